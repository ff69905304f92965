import type { Task } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { paths } from "../../../address/paths.ts";
import { recent } from "../../../shell/rail/recent.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import { Icon } from "../../../ui/Icon.tsx";
import { Menu } from "../../../ui/layers/Layers.tsx";
import { age, printable } from "../../../ui/time/format.ts";
import { instant } from "../../../ui/time/instants.ts";
import { useNow } from "../../../ui/time/ticker.ts";
import { taskKey } from "../../task-data/index.ts";
import { CommandPill } from "../commands/CommandPill.tsx";
import { commandQuery, hasEnded } from "../commands/command-queries.ts";
import css from "../commands/commands.module.css";
import { wordsOfAction } from "../commands/words.ts";
import { ActionButton, ActionEntry } from "../registry/ActionButton.tsx";
import { cancelTask, limitName, retryTask, retryWithChanges, taskSubject } from "./task-actions.tsx";

type OfTask = Pick<Task, "id" | "engine" | "task_id" | "state">;
type ActedOn = OfTask & Pick<Task, "name" | "worker_name">;

/** What can be done with one task: buttons for what is done often, a menu for the rest. */
export function TaskCommands({ slug, task }: { slug: string; task: ActedOn }) {
  const subject = taskSubject(task);
  return (
    <>
      <ActionButton slug={slug} action={retryTask} subject={subject} />
      <ActionButton slug={slug} action={cancelTask} subject={subject} />
      <Menu button={<Icon name="down" />} variant="icon" buttonLabel="More: act on this task" label="Act on this task">
        <ActionEntry slug={slug} action={retryWithChanges} subject={subject} />
        <ActionEntry slug={slug} action={limitName} subject={subject} />
      </Menu>
    </>
  );
}

/** What was asked of this task here, and how far that is. Its own state is left to its engine. */
export function TaskGhosts({ slug, task, hrefOf }: { slug: string; task: OfTask; hrefOf: HrefOf }) {
  const own = `${task.engine}/${taskKey(task)}`;
  const { commands } = useSyncExternalStore(recent.subscribe, recent.get);
  // The newest alone: the list of commands has them all.
  const newest = commands.find((command) => command.slug === slug && command.task === own);
  return newest === undefined ? null : <Ghost key={newest.id} slug={slug} id={newest.id} task={task} hrefOf={hrefOf} />;
}

type HrefOf = (engine: string, taskId: string) => string;

interface GhostProps {
  slug: string;
  id: string;
  task: OfTask;
  hrefOf: HrefOf;
}

function Ghost({ slug, id, task, hrefOf }: GhostProps) {
  const now = useNow();
  // The tray reads it again and follows it.
  const { data: command } = useQuery(commandQuery(slug, id));
  if (command === undefined) return null;
  const result = command.result as { new_task_id?: unknown } | null;
  const newId =
    typeof result?.new_task_id === "string" && result.new_task_id !== task.task_id ? result.new_task_id : null;
  const at = hasEnded(command) ? command.completed_at : (command.dispatched_at ?? command.issued_at);
  return (
    <div className={css.ghost}>
      <dt>{wordsOfAction(command.action)}</dt>
      <dd>
        <CommandPill status={command.status} bare />{" "}
        {newId === null ? (
          <AppLink href={paths.command(slug, id)} title={command.error === null ? undefined : printable(command.error)}>
            {command.error === null ? (at ? `${age(now - instant(at))} ago` : "details") : shortText(command.error)}
          </AppLink>
        ) : (
          <AppLink href={hrefOf(task.engine, newId)}>the new task</AppLink>
        )}
      </dd>
    </div>
  );
}

/** So much of an error stands beside the facts of a task; its command has all of it. */
const shownLetters = 60;
const shortText = (error: string): string =>
  printable(error.length > shownLetters ? `${error.slice(0, shownLetters - 1)}…` : error);
