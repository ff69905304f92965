import type { Queue, QueueActivity } from "@svc/client";
import { fieldTerm } from "@svc/client/task-query";
import { paths } from "../../address/paths.ts";
import { AppLink } from "../../ui/buttons/AppLink.tsx";
import controls from "../../ui/controls.module.css";
import { Glyph } from "../../ui/Icon.tsx";
import { labels } from "../../ui/labels.ts";
import panel from "../../ui/panels/panel.module.css";
import type { Column } from "../../ui/tables/columns.tsx";
import { age, count, nameText, printable } from "../../ui/time/format.ts";
import { instant } from "../../ui/time/instants.ts";
import { Age } from "../../ui/time/Stamp.tsx";
import { DepthSpark } from "./DepthSpark.tsx";
import css from "./queues.module.css";
import { hasNoConsumer, isStale, perMinute, reportsEntries, type Trouble } from "./trouble.ts";

export interface ShownQueue {
  key: string;
  queue: Queue;
  activity: QueueActivity | undefined;
  trouble: Trouble;
}

interface ListFacts {
  /** The greatest depth in the list, which sets the scale of the bars. */
  deepest: number;
  /** The time span that the counts of `activity` cover. */
  windowMs: number;
  now: number;
}

export const queueColumns = (slug: string, { deepest, windowMs, now }: ListFacts): readonly Column<ShownQueue>[] => [
  {
    header: "Queue",
    cell: ({ queue, trouble }) => (
      <>
        <AppLink href={paths.queue(slug, queue.engine, queue.name)}>
          <b>{nameText(queue.name)}</b>
        </AppLink>
        {trouble === "growing" || trouble === "long wait" ? (
          <span className={`${controls.tag} ${css.tag}`}>{trouble}</span>
        ) : null}
      </>
    ),
    small: ({ queue }) => printable(queue.engine),
  },
  {
    header: labels.waiting,
    className: "num",
    cellClass: css.depth,
    width: "8.5rem",
    phoneWidth: "4.75rem",
    cell: ({ queue, trouble }) => {
      const isOld = isStale(queue, now);
      return (
        <>
          <b className={isOld ? css.old : undefined}>{count(queue.pending_count)}</b>
          <svg className={`${css.bar} lg`} width="64" height="6" aria-hidden="true" data-wrong={trouble === "stuck"}>
            <rect className={css.ground} width="64" height="6" rx="1" />
            <rect width={barPx(queue.pending_count, deepest)} height="6" rx="1" />
          </svg>
          {isOld && queue.depth_reported_at ? (
            <small className="t3">updated {age(now - instant(queue.depth_reported_at))} ago</small>
          ) : null}
        </>
      );
    },
  },
  {
    header: `${labels.waiting}, last hour`,
    className: `lg ${panel.apart}`,
    width: "8rem",
    cell: ({ activity, trouble }) =>
      activity ? <DepthSpark pending={activity.pending} isBad={trouble === "stuck"} /> : <span className="t3">–</span>,
  },
  {
    header: labels.oldestWaiting,
    className: "num",
    cellClass: ({ trouble }) => (trouble === "long wait" || trouble === "stuck" ? css.late : ""),
    width: "6.5rem",
    phoneWidth: "5.25rem",
    cell: ({ queue }) => <Age at={queue.oldest_waiting_since} none="–" />,
  },
  {
    header: labels.workers,
    className: "num",
    width: "6rem",
    cell: ({ queue, trouble }) => <Workers queue={queue} isStuck={trouble === "stuck"} />,
  },
  {
    header: "Added / min",
    className: "num lg",
    width: "5rem",
    cell: ({ activity }) =>
      activity === undefined ? (
        "–"
      ) : reportsEntries(activity) ? (
        perMinute(activity.entered, windowMs)
      ) : (
        <span className="t3" title="Not reported for this queue">
          –
        </span>
      ),
  },
  {
    header: `${labels.finished} / min`,
    className: "num lg",
    width: "6.5rem",
    cell: ({ activity }) => (activity ? perMinute(activity.ended, windowMs) : "–"),
  },
  {
    header: `${labels.failed}, last hour`,
    className: "num lg",
    width: "7.75rem",
    cell: ({ queue: { name, engine }, activity }) =>
      activity === undefined ? (
        "–"
      ) : activity.failed === 0 ? (
        <span className="t3">0</span>
      ) : (
        <AppLink
          href={paths.tasks(slug, { queue: name, q: fieldTerm("engine", engine), state: "failure", since: "-1h" })}
          aria-label={`${count(activity.failed)} failed in ${printable(name)}`}
        >
          {count(activity.failed)}
        </AppLink>
      ),
  },
  {
    header: "Last seen",
    className: "num lg",
    cellClass: "t2",
    width: "6.5rem",
    cell: ({ queue }) => <Age at={queue.last_seen_at} suffix=" ago" />,
  },
];

/** A depth of 1 stays visible next to a depth of a million. */
const barPx = (depth: number, deepest: number) => (depth === 0 ? 0 : Math.max(1.5, (depth / deepest) * 64));

export function Workers({ queue, isStuck }: { queue: Queue; isStuck: boolean }) {
  if (isStuck) {
    return (
      <span className={panel.wrong}>
        <Glyph name="failure" />
        none
      </span>
    );
  }
  if (queue.consumer_count === 0 && !hasNoConsumer(queue)) return <span className="t3">not reported</span>;
  return count(queue.consumer_count);
}
