import type { Task, TaskCause } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { useIsPaused } from "../../../../live/live.ts";
import { AppLink } from "../../../../ui/buttons/AppLink.tsx";
import { QueryBoundary } from "../../../../ui/panels/QueryBoundary.tsx";
import { printable } from "../../../../ui/time/format.ts";
import { instant } from "../../../../ui/time/instants.ts";
import { Age, Stamp } from "../../../../ui/time/Stamp.tsx";
import { useNow } from "../../../../ui/time/ticker.ts";
import { taskExplanationQuery } from "../detail-queries.ts";
import css from "./causes.module.css";
import { type EvidenceLine, evidenceLines } from "./evidence.ts";

/** Queues, workers and agents change independently of the task, so an open explanation is refreshed. */
const againMs = 10_000;

export function CauseList({ slug, task }: { slug: string; task: Task }) {
  const isPaused = useIsPaused();
  const read = useQuery({
    ...taskExplanationQuery(slug, task.engine, task.task_id),
    refetchInterval: isPaused ? false : againMs,
  });
  return (
    <QueryBoundary name="The causes" read={read} rows={2} isPart>
      <ol className={css.causes}>
        {read.data?.causes.map((cause) => (
          <li key={cause.code}>
            <p>
              {printable(cause.message)} <Since cause={cause} />
            </p>
            <dl>
              {evidenceLines(slug, task.engine, cause).map((line) => (
                <div key={line.label}>
                  <dt>{line.label}</dt>
                  <dd>
                    <Value line={line} />
                  </dd>
                </div>
              ))}
            </dl>
          </li>
        ))}
      </ol>
    </QueryBoundary>
  );
}

function Since({ cause: { since } }: { cause: TaskCause }) {
  if (since === undefined) return null;
  return (
    <span className="t2">
      Since <Age at={since} suffix=" ago" />
    </span>
  );
}

function Value({ line }: { line: EvidenceLine }) {
  const now = useNow();
  const atMs = instant(line.at);
  if (!Number.isNaN(atMs)) return atMs > now ? <Stamp at={line.at} /> : <Age at={line.at} suffix=" ago" />;
  if (line.at !== undefined) return printable(line.at);
  return line.href === undefined ? line.text : <AppLink href={line.href}>{line.text}</AppLink>;
}
