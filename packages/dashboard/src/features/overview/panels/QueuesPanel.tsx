import { plural, type Queue, type QueueActivity } from "@svc/client";
import type { UseQueryResult } from "@tanstack/react-query";
import { paths } from "../../../address/paths.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import { SparkBars } from "../../../ui/charts/SparkBars.tsx";
import { Glyph } from "../../../ui/Icon.tsx";
import { labels } from "../../../ui/labels.ts";
import { Panel, PanelEmpty } from "../../../ui/panels/Panel.tsx";
import panel from "../../../ui/panels/panel.module.css";
import { DataTable } from "../../../ui/tables/DataTable.tsx";
import { count, nameText, printable } from "../../../ui/time/format.ts";
import { Age } from "../../../ui/time/Stamp.tsx";
import { useNowEvery } from "../../../ui/time/ticker.ts";
import { byTrouble, hasNoConsumer, type Trouble, troubleOf } from "../../queues/index.ts";
import css from "../overview.module.css";

const shown = 6;

interface QueuesPanelProps {
  slug: string;
  query: UseQueryResult<{ items: Queue[]; next_cursor: string | null }>;
  /** Depths of the last hour; optional for the panel. */
  activities: readonly QueueActivity[];
}

/** The queues, those with problems first, then by depth. */
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
        next === null ? null : `Includes only the first ${count(items.length)} queues by name.`
      }
      empty={({ items }) =>
        items.length === 0 ? (
          <PanelEmpty kind="none-yet">Queues appear automatically when an agent reports them.</PanelEmpty>
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
      <DataTable
        label="Queues"
        size="dense"
        className={css.tbl}
        rows={rows.slice(0, shown)}
        rowKey={({ queue }) => queue.id}
        rowProps={({ trouble }) => (trouble === "stuck" ? { className: panel.alarm } : {})}
        columns={[
          {
            header: "Queue",
            cellClass: css.name,
            cell: ({ queue: { engine, name, pending_count: pending } }) => (
              <>
                <AppLink className={css.plain} href={paths.queue(slug, engine, name)}>
                  {nameText(name)}
                </AppLink>{" "}
                <span className="t3">{printable(engine)}</span>
                <svg className={css.depth} width="100%" height="2" aria-hidden="true">
                  <rect width={`${(pending / most) * 100}%`} height="2" />
                </svg>
              </>
            ),
          },
          { header: labels.waiting, className: "num", cell: ({ queue }) => <b>{count(queue.pending_count)}</b> },
          {
            header: "Trend",
            isHeaderHidden: true,
            cell: ({ queue }) => <Trend queue={queue} depths={activityOf.get(queue.id)?.pending ?? []} />,
          },
          {
            header: "Oldest",
            className: "num",
            cellClass: ({ trouble }) => (trouble === "stuck" || trouble === "long wait" ? css.worseText : "t2"),
            cell: ({ queue }) => <Age at={queue.pending_count > 0 ? queue.oldest_waiting_since : null} none="–" />,
          },
          { header: labels.workers, className: "num", cell: (row) => <Workers {...row} /> },
        ]}
      />
      {rows.length > shown ? <p className={css.more}>and {plural(rows.length - shown, "more queue")}</p> : null}
    </>
  );
}

function Trend({ queue, depths }: { queue: Queue; depths: QueueActivity["pending"] }) {
  const most = Math.max(0, ...depths.map((depth) => depth ?? 0));
  return (
    <SparkBars
      width={48}
      height={16}
      values={depths}
      label={`Waiting in ${nameText(queue.name)} in the last hour, at most ${count(most)}`}
    />
  );
}

function Workers({ queue, trouble }: { queue: Queue; trouble: Trouble }) {
  if (trouble === "stuck") {
    return (
      <span className={panel.wrong}>
        <Glyph name="failure" />0<span className="vh"> workers</span>
      </span>
    );
  }
  if (hasNoConsumer(queue) || queue.consumer_count > 0) return count(queue.consumer_count);
  return (
    <span className="t3" title="Not reported">
      –
    </span>
  );
}
