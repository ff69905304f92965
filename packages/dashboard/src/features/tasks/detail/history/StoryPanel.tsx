import { plural, type Task, type TaskCommand } from "@svc/client";
import { paths } from "../../../../address/paths.ts";
import { AppLink } from "../../../../ui/buttons/AppLink.tsx";
import { InlineError } from "../../../../ui/panels/Lines.tsx";
import { PanelFrame } from "../../../../ui/panels/PanelFrame.tsx";
import { count, duration, idTail, nameText } from "../../../../ui/time/format.ts";
import { clockText, useZone } from "../../../../ui/time/instants.ts";
import { CommandStep } from "../../../actions/index.ts";
import css from "../task.module.css";
import type { TaskDetail } from "../use-task-detail.ts";
import { storyOf } from "./story.ts";

interface StoryPanelProps {
  slug: string;
  task: Task;
  detail: TaskDetail;
  hrefOf: (engine: string, taskId: string) => string;
}

/** The task's reported events and the commands on it, in order. */
export function StoryPanel({ slug, task, detail, hrefOf }: StoryPanelProps) {
  const { zone } = useZone();
  const { events, attempts, commands, commandsQuery } = detail;
  const parent = detail.treeQuery.data?.nodes.find((node) => node.task_id === task.parent_task_id);
  const received = Date.parse(task.received_at);
  const steps: { key: string; atMs: number; text?: string; command?: TaskCommand }[] = [
    ...storyOf(task, events, attempts).map((step) => ({ ...step, key: `${step.atMs} ${step.text}` })),
    ...commands.map((command) => ({ key: command.id, atMs: Date.parse(command.issued_at), command })),
  ].sort((a, b) => a.atMs - b.atMs);
  return (
    <PanelFrame
      id="timeline"
      title="What happened"
      note={`${detail.eventsQuery.data?.next_cursor ? "newest " : ""}${plural(events.length, "event")}`}
    >
      {task.parent_task_id === null || detail.treeQuery.data === undefined ? null : (
        <p className={css.empty}>
          Started by{" "}
          {parent ? (
            <AppLink href={hrefOf(parent.engine, parent.task_id)}>
              {nameText(parent.name)} <span className="mono">{idTail(parent.task_id)}</span>
            </AppLink>
          ) : (
            <>
              <span className="mono">{idTail(task.parent_task_id)}</span>
              {detail.treeQuery.data.truncated ? "" : ", which isn't stored here"}
            </>
          )}
          .
        </p>
      )}
      {steps.length === 0 ? (
        <p className={css.empty}>No events are stored for this task.</p>
      ) : (
        <ol className={css.story}>
          {steps.map(({ key, atMs, text, command }) => (
            <li key={key}>
              <span className="num t3" title={clockText(atMs, zone)}>
                +{duration(atMs - received)}
              </span>
              <span className="says">{command ? <CommandStep slug={slug} command={command} /> : text}</span>
            </li>
          ))}
        </ol>
      )}
      {commandsQuery.data?.next_cursor ? (
        <p className={css.empty}>
          Only the newest {count(commands.length)} commands are shown.{" "}
          <AppLink href={paths.commands(slug)}>All commands</AppLink>
        </p>
      ) : null}
      {commandsQuery.isError ? (
        <InlineError
          title="Couldn't load the commands of this task"
          error={commandsQuery.error}
          onRetry={() => void commandsQuery.refetch()}
        />
      ) : null}
    </PanelFrame>
  );
}
