import type { Command, Issue, Queue, Schedule, Task, Worker } from "@svc/client";
import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import { useSyncExternalStore } from "react";
import {
  type Action,
  actionLabel,
  ask,
  type ChosenTasks,
  commandQuery,
  queueActions,
  selectedTasks,
  sendAgain,
  taskActions,
  taskSubject,
  whyNot,
  workerActions,
} from "../../features/actions/index.ts";
import { agentsQuery } from "../../features/agents/index.ts";
import { issueQuery, retryIssue } from "../../features/issues/index.ts";
import { projectQuery, whyNotAs } from "../../features/projects/index.ts";
import { queueQuery } from "../../features/queues/index.ts";
import { scheduleActions, scheduleQuery } from "../../features/schedules/index.ts";
import { roleIn, useMe } from "../../features/sessions/index.ts";
import { splitTask, taskQuery } from "../../features/task-data/index.ts";
import { workerQuery } from "../../features/workers/index.ts";
import type { Entry } from "../../palette/entries.ts";
import { count, idTail, nameText } from "../../ui/time/format.ts";

/** The subjects of the current page, as far as they are loaded. */
interface Subjects {
  task: Task | null | undefined;
  worker: Worker | undefined;
  queue: Queue | undefined;
  issue: Issue | null;
  command: Command | undefined;
  schedule: Schedule | undefined;
}

/** The actions on the page's subjects that the role and the online agents allow. Each entry opens the action's dialog. */
export function useActEntries(slug: string | null): Entry[] {
  const client = useQueryClient();
  const params = useParams({ strict: false }) as Readonly<Record<string, string | undefined>>;
  const { task: drawer } = useSearch({ strict: false }) as { task?: string };
  const role = roleIn(useMe(), slug ?? "");
  const isHere = { enabled: slug !== null };
  const agents = useQuery({ ...agentsQuery(slug ?? ""), ...isHere }).data?.items;
  const project = useQuery({ ...projectQuery(slug ?? ""), ...isHere }).data;
  const chosen = useSyncExternalStore(selectedTasks.subscribe, selectedTasks.get);
  if (slug === null || agents === undefined || project === undefined) return [];
  const can: Can = (action, subject) =>
    (whyNotAs(role, project, action.role) ?? whyNot(action, subject, agents)) === null;
  return [
    ...(chosen ? entriesOf("Selected tasks", chosen.actions, chosen.subject, { detail: chosenText(chosen), can }) : []),
    ...actEntries(subjectsOf(client, slug, { ...params, drawer }), can),
  ];
}

const chosenText = ({ subject: { rows, all } }: { subject: ChosenTasks }) =>
  all === null ? `${count(rows.length)} selected` : `all tasks with ${all.filterText}`;

function subjectsOf(client: QueryClient, slug: string, params: Readonly<Record<string, string | undefined>>): Subjects {
  const { engine = "", name, workerId, fingerprint, commandId, scheduleId } = params;
  const [taskEngine, taskId] = params.taskId === undefined ? splitTask(params.drawer) : [engine, params.taskId];
  // Prefer the issue without a time range, as its button does.
  const whole = fingerprint ? client.getQueryData(issueQuery(slug, fingerprint, {}).queryKey) : null;
  const inRange = fingerprint
    ? client.getQueriesData<Issue | null>({ queryKey: ["issues", slug, "one", fingerprint] })
    : [];
  return {
    task: taskEngine && taskId ? client.getQueryData(taskQuery(slug, taskEngine, taskId).queryKey) : null,
    worker: workerId === undefined ? undefined : client.getQueryData(workerQuery(slug, workerId).queryKey),
    queue: name === undefined ? undefined : client.getQueryData(queueQuery(slug, engine, name).queryKey),
    issue: whole ?? inRange.map(([, issue]) => issue).findLast((issue) => issue) ?? null,
    command: commandId === undefined ? undefined : client.getQueryData(commandQuery(slug, commandId).queryKey),
    schedule: scheduleId === undefined ? undefined : client.getQueryData(scheduleQuery(slug, scheduleId).queryKey),
  };
}

type Can = <Subject>(action: Action<Subject>, subject: Subject) => boolean;

function entriesOf<Subject>(
  group: Entry["group"],
  actions: readonly Action<Subject>[],
  subject: Subject,
  { detail, can }: { detail: string; can: Can },
): Entry[] {
  return actions.flatMap((action) => {
    const { inPalette, icon = "", keys } = action;
    if (!inPalette || !can(action, subject)) return [];
    const run = () => ask(action, subject);
    const entry: Entry = { id: action.id, group, icon, detail, run, ...inPalette };
    return [keys === undefined ? entry : { ...entry, keys }];
  });
}

function actEntries({ task, worker, queue, issue, command, schedule }: Subjects, can: Can): Entry[] {
  const entries = <Subject>(actions: readonly Action<Subject>[], subject: Subject, detail: string) =>
    entriesOf("On this page", actions, subject, { detail, can });
  return [
    ...(task ? entries(taskActions, taskSubject(task), `${nameText(task.name)} ${idTail(task.task_id)}`) : []),
    ...(worker ? entries(workerActions, worker, nameText(worker.name)) : []),
    ...(queue ? entries(queueActions, queue, nameText(queue.name)) : []),
    ...(issue ? entries([retryIssue], issue, `${count(issue.open_count)} still failing`) : []),
    ...(command ? entries([sendAgain], command, actionLabel(command.action)) : []),
    ...(schedule ? entries(scheduleActions, schedule, nameText(schedule.name)) : []),
  ];
}
