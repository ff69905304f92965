import type { Queue, QueueActivity } from "@svc/client";
import type { UseQueryResult } from "@tanstack/react-query";
import { paths } from "../../../address/paths.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import { SparkBars } from "../../../ui/charts/SparkBars.tsx";
import { Glyph } from "../../../ui/Icon.tsx";
import { Panel, PanelEmpty } from "../../../ui/panels/Panel.tsx";
import panel from "../../../ui/panels/panel.module.css";
import { ScrollBox } from "../../../ui/panels/ScrollBox.tsx";
import { count, nameText, printable } from "../../../ui/time/format.ts";
import { Age } from "../../../ui/time/Stamp.tsx";
import { useNowEvery } from "../../../ui/time/ticker.ts";
import { byTrouble, hasNoConsumer, type Trouble, troubleOf } from "../../queues/trouble.ts";
import css from "../overview.module.css";

const shown = 6;

interface QueuesPanelProps {
  slug: string;
  query: UseQueryResult<{ items: Queue[]; next_cursor: string | null }>;
  /** Depths of the last hour; the panel stands without them. */
  activities: readonly QueueActivity[];
}

/** The queues by trouble, then by depth. */
export function QueuesPanel({ slug, query, activities }: QueuesPanelProps) {
  return (
    <Panel
      className={css.cell}
      title="Queues"
      window="now, trend 1 h"
      actions={<AppLink href={paths.queues(slug)}>All queues</AppLink>}
      read={query}
      rows={shown}
      missing={({ items, next_cursor: next }) =>
        next === null ? null : `Only the first ${count(items.length)} queues by name are looked at.`
      }
      empty={({ items }) =>
        items.length === 0 ? (
          <PanelEmpty kind="none-yet">
            <p>Queues appear by themselves when an agent reports one.</p>
          </PanelEmpty>
        ) : null
      }
    >
      {({ items }) => <QueueTable slug={slug} queues={items} activities={activities} />}
    </Panel>
  );
}

interface QueueTableProps {
  slug: string;
  queues: readonly Queue[];
  activities: readonly QueueActivity[];
}

function QueueTable({ slug, queues, activities }: QueueTableProps) {
  const now = useNowEvery(10_000);
  const activityOf = new Map(activities.map((activity) => [activity.queue_id, activity]));
  const rows = byTrouble(queues.map((queue) => ({ queue, trouble: troubleOf(queue, activityOf.get(queue.id), now) })));
  const most = Math.max(1, ...queues.map((queue) => queue.pending_count));
  return (
    <>
      <ScrollBox label="Queues">
        <table className={`${panel.tbl} ${panel.dense} ${css.tbl}`}>
          <thead>
            <tr>
              <th>Queue</th>
              <th className="num">Waiting</th>
              <th>
                <span className="vh">Trend</span>
              </th>
              <th className="num">Oldest</th>
              <th className="num">Cons.</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown).map(({ queue, trouble }) => (
              <QueueRow
                key={queue.id}
                slug={slug}
                queue={queue}
                trouble={trouble}
                activity={activityOf.get(queue.id)}
                most={most}
              />
            ))}
          </tbody>
        </table>
      </ScrollBox>
      {rows.length > shown ? <p className={css.more}>and {count(rows.length - shown)} more queues</p> : null}
    </>
  );
}

interface QueueRowProps {
  slug: string;
  queue: Queue;
  trouble: Trouble;
  activity: QueueActivity | undefined;
  /** Depth of the deepest queue, which the bar is a share of. */
  most: number;
}

function QueueRow({ slug, queue, trouble, activity, most }: QueueRowProps) {
  const { name, engine, pending_count: pending } = queue;
  const isLate = trouble === "stuck" || trouble === "waits long";
  return (
    <tr className={trouble === "stuck" ? panel.alarm : undefined}>
      <td className={css.name}>
        <AppLink className={css.plain} href={paths.queue(slug, engine, name)}>
          {nameText(name)}
        </AppLink>{" "}
        <span className="t3">{printable(engine)}</span>
        <svg className={css.depth} width="100%" height="2" aria-hidden="true">
          <rect width={`${(pending / most) * 100}%`} height="2" />
        </svg>
      </td>
      <td className="num">
        <b>{count(pending)}</b>
      </td>
      <td>
        <SparkBars
          width={48}
          height={16}
          values={activity?.pending ?? []}
          label={`Depth of ${nameText(name)} in the last hour, at most ${count(Math.max(0, ...(activity?.pending ?? []).map((depth) => depth ?? 0)))}`}
        />
      </td>
      <td className={`num ${isLate ? css.worseText : "t2"}`}>
        <Age at={pending > 0 ? queue.oldest_waiting_since : null} none="–" />
      </td>
      <td className="num">
        {trouble === "stuck" ? (
          <span className={panel.wrong}>
            <Glyph name="failure" />0<span className="vh"> consumers</span>
          </span>
        ) : hasNoConsumer(queue) || queue.consumer_count > 0 ? (
          count(queue.consumer_count)
        ) : (
          <span className="t3" title="Not reported">
            –
          </span>
        )}
      </td>
    </tr>
  );
}
