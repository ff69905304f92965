import type { Task } from "@svc/client";
import { AppLink } from "../../../../ui/buttons/AppLink.tsx";
import { PanelFrame } from "../../../../ui/panels/PanelFrame.tsx";
import { count, duration, idTail, nameText } from "../../../../ui/time/format.ts";
import { clockText, useZone } from "../../../../ui/time/instants.ts";
import css from "../task.module.css";
import type { TaskDetail } from "../use-task-detail.ts";
import { storyOf } from "./story.ts";

interface StoryPanelProps {
  task: Task;
  detail: TaskDetail;
  hrefOf: (engine: string, taskId: string) => string;
}

export function StoryPanel({ task, detail, hrefOf }: StoryPanelProps) {
  const { zone } = useZone();
  const parent = detail.treeQuery.data?.nodes.find((node) => node.task_id === task.parent_task_id);
  const steps = storyOf(task, detail.events, detail.attempts);
  const newest = detail.eventsQuery.data?.next_cursor ? "the newest " : "";
  return (
    <PanelFrame
      id="timeline"
      title="What happened"
      note={`from ${newest}${count(detail.events.length)} ${detail.events.length === 1 ? "event" : "events"}, no guesses`}
    >
      {parent ? (
        <p className={css.empty}>
          Started by{" "}
          <AppLink href={hrefOf(parent.engine, parent.task_id)}>
            {nameText(parent.name)} <span className="mono">{idTail(parent.task_id)}</span>
          </AppLink>
          .
        </p>
      ) : null}
      {steps.length === 0 ? (
        <p className={css.empty}>No event of this task is kept any more, or none has arrived yet.</p>
      ) : (
        <ol className={css.story}>
          {steps.map((step) => (
            <li key={`${step.atMs} ${step.text}`}>
              <span className="num t3" title={clockText(step.atMs, zone)}>
                +{duration(step.offsetMs)}
              </span>
              <span>{step.text}</span>
            </li>
          ))}
        </ol>
      )}
    </PanelFrame>
  );
}
