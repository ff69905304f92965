import type { Agent, Command, Issue, Queue, Task, Worker } from "@svc/client";
import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import { commandQuery } from "../features/actions/commands/command-queries.ts";
import { mayHaveToBeSentAgain, requestOf } from "../features/actions/commands/send-again.ts";
import { wordsOfAction } from "../features/actions/commands/words.ts";
import { workerActs } from "../features/actions/fleet/worker-acts.ts";
import { ableAgents, type Capability } from "../features/actions/requests/able.ts";
import { endedStates } from "../features/actions/tasks/task-reasons.ts";
import { agentsQuery } from "../features/agents/queries.ts";
import { issueQuery } from "../features/issues/issue-queries.ts";
import { projectQuery } from "../features/projects/queries.ts";
import { queueQuery } from "../features/queues/queries.ts";
import { roleIn, useMe } from "../features/sessions/queries.ts";
import { taskQuery } from "../features/tasks/queries.ts";
import { splitTask, taskKey } from "../features/tasks/task-address.ts";
import { workerQuery } from "../features/workers/queries.ts";
import { count, idTail, nameText } from "../ui/time/format.ts";
import { type Asked, ask } from "./asked.ts";
import type { Entry } from "./entries.ts";

/** What the page on screen is about, as far as it was read. */
interface Subjects {
  task: Task | null | undefined;
  worker: Worker | undefined;
  queue: Queue | undefined;
  issue: Issue | null;
  command: Command | undefined;
}

interface Powers {
  isAdmin: boolean;
  agents: readonly Agent[];
}

/** What can be done with what the page is about, by this role and the agents that are online. Each entry leads to the form that asks. */
export function useActEntries(slug: string | null): Entry[] {
  const client = useQueryClient();
  const params = useParams({ strict: false }) as Readonly<Record<string, string | undefined>>;
  const { task: drawer } = useSearch({ strict: false }) as { task?: string };
  const role = roleIn(useMe(), slug ?? "");
  const isHere = { enabled: slug !== null };
  const agents = useQuery({ ...agentsQuery(slug ?? ""), ...isHere }).data?.items;
  const project = useQuery({ ...projectQuery(slug ?? ""), ...isHere }).data;
  const mayAct = (role === "operator" || role === "admin") && project?.is_active === true;
  if (slug === null || agents === undefined || !mayAct) return [];
  return actEntries(subjectsOf(client, slug, { ...params, drawer }), { isAdmin: role === "admin", agents });
}

function subjectsOf(client: QueryClient, slug: string, params: Readonly<Record<string, string | undefined>>): Subjects {
  const { engine = "", name, workerId, fingerprint, commandId } = params;
  const [taskEngine, taskId] = params.taskId === undefined ? splitTask(params.drawer) : [engine, params.taskId];
  // First as its button counts them: of all that is kept.
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
  };
}

export function actEntries({ task, worker, queue, issue, command }: Subjects, { isAdmin, agents }: Powers): Entry[] {
  const can = (engine: string, capability: Capability) => ableAgents(agents, engine, capability).reason === null;
  const entries: Entry[] = [];
  const add = (label: string, icon: string, detail: string, what: Asked, more: Partial<Entry> = {}) =>
    entries.push({ id: `act ${label}`, group: "On this page", label, icon, detail, run: () => ask(what), ...more });
  if (task) {
    const { engine, state } = task;
    const taskId = taskKey(task);
    const hasEnded = endedStates.includes(state);
    const detail = `${nameText(task.name)} ${idTail(task.task_id)}`;
    if ((hasEnded || state === "unknown") && can(engine, "retry_task"))
      add(
        "Retry this task",
        "retry",
        detail,
        { kind: "task", act: "retry", engine, taskId },
        { keys: "r", also: "again" },
      );
    if (!hasEnded && can(engine, "cancel_task"))
      add(
        "Cancel this task",
        "x",
        detail,
        { kind: "task", act: "cancel", engine, taskId },
        { keys: "c", also: "stop" },
      );
  }
  if (worker) {
    for (const { act, words, capability } of workerActs) {
      if (can(worker.engine, capability))
        add(words, "workers", nameText(worker.name), { kind: "worker", act, worker }, { also: "worker control" });
    }
  }
  if (queue) {
    const [about, detail] = [{ kind: "queue", queue } as const, nameText(queue.name)];
    if (can(queue.engine, "rate_limit_of_queue"))
      add("Limit the rate of this queue", "queues", detail, { ...about, act: "limit" }, { also: "slow down" });
    if (isAdmin && can(queue.engine, "purge_queue"))
      add("Purge this queue", "trash", detail, { ...about, act: "purge" }, { also: "empty delete" });
  }
  if (issue && issue.open_count > 0 && issue.engines.some((engine) => can(engine, "bulk_retry"))) {
    const detail = `${count(issue.open_count)} failed now`;
    add("Retry the failed tasks of this issue", "retry", detail, { kind: "issue", fingerprint: issue.fingerprint });
  }
  if (command && mayHaveToBeSentAgain(command)) {
    const again = requestOf(command);
    if (again !== null && can(again.engine, again.capability))
      add("Send this command again", "retry", wordsOfAction(command.action), { kind: "command", command });
  }
  return entries;
}
