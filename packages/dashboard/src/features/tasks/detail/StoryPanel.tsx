import type { Task } from "@svc/client";
import { duration } from "../../../ui/format.ts";
import { clockText, useZone } from "../../../ui/instants.ts";
import panel from "../../../ui/panel.module.css";
import { storyOf } from "./story.ts";
import css from "./task.module.css";
import type { TaskDetail } from "./use-task-detail.ts";

export function StoryPanel({ task, detail }: { task: Task; detail: TaskDetail }) {
  const { zone } = useZone();
  const steps = storyOf(task, detail.events, detail.attempts);
  return (
    <section className={panel.panel} id="timeline" aria-labelledby="h-timeline">
      <header>
        <h2 id="h-timeline">What happened</h2>
        <span className="t3">from {detail.events.length} events, no guesses</span>
      </header>
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
    </section>
  );
}
