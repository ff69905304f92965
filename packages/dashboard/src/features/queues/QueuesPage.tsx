import { plural, type QueueActivity } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { matchesWords, useListFilter } from "../../address/list-filter.ts";
import { paths } from "../../address/paths.ts";
import { type PageLoader, readAhead, readPageAhead } from "../../api/read-ahead.ts";
import { useTimedMs } from "../../live/live.ts";
import { rowPagesQuery, useRowPages } from "../../live/use-row-pages.ts";
import { Button } from "../../ui/buttons/Button.tsx";
import { FilterBox } from "../../ui/forms/FilterBox.tsx";
import { Glyph } from "../../ui/Icon.tsx";
import { Empty } from "../../ui/panels/Lines.tsx";
import panel from "../../ui/panels/panel.module.css";
import { StaleLine } from "../../ui/panels/QueryBoundary.tsx";
import { useSteadyOrder } from "../../ui/tables/steady-order.ts";
import { WindowTable } from "../../ui/tables/WindowTable.tsx";
import { count } from "../../ui/time/format.ts";
import { useNow } from "../../ui/time/ticker.ts";
import { usePage } from "../../ui/title.ts";
import { queueActivityQuery, queuePages } from "./queries.ts";
import { queueColumns, type ShownQueue } from "./queue-columns.tsx";
import css from "./queues.module.css";
import { byTrouble, isStale, troubleOf } from "./trouble.ts";

const noActivity: readonly QueueActivity[] = [];

export const loader: PageLoader<{ slug: string }> = ({ params: { slug } }) =>
  Promise.all([readPageAhead(rowPagesQuery(queuePages(slug))), readAhead(queueActivityQuery(slug))]);

export function QueuesPage() {
  const { slug } = useParams({ from: "/signed-in/p/$slug/queues" });
  usePage([[slug, paths.project(slug)], ["Queues"]]);
  const now = useNow();
  const [filter, setFilter] = useListFilter();
  const list = useRowPages(queuePages(slug));
  const activity = useQuery({ ...queueActivityQuery(slug), refetchInterval: useTimedMs(30_000) });
  const activityOf = new Map((activity.data?.items ?? noActivity).map((item) => [item.queue_id, item]));
  const windowMs = activity.data ? Date.parse(activity.data.to) - Date.parse(activity.data.from) : 0;

  const all = list.rows.map((queue): ShownQueue => {
    const own = activityOf.get(queue.id);
    return { key: queue.id, queue, activity: own, trouble: troubleOf(queue, own, now) };
  });
  const matching = all.filter(({ queue }) => matchesWords(filter, [queue.name, queue.engine]));
  const { rows, hold } = useSteadyOrder(byTrouble(matching));
  const deepest = Math.max(1, ...all.map(({ queue }) => queue.pending_count));
  const stuck = all.filter(({ trouble }) => trouble === "stuck");
  const stuckTasks = stuck.reduce((sum, { queue }) => sum + queue.pending_count, 0);

  return (
    <>
      <div className={panel.head}>
        <h1>Queues</h1>
        <span className="t3 grow">
          {all.length === 0
            ? null
            : `${rows.length === all.length ? "" : `${count(rows.length)} of `}${plural(all.length, "queue")}, worst first. Waiting tasks as last reported; rates cover the last hour.`}
        </span>
        {all.length > 0 ? <FilterBox label="Filter queues" value={filter} onChange={setFilter} /> : null}
      </div>
      <StaleLine name="Queues" read={list} />
      <StaleLine name="Rates and charts" read={activity} />
      {stuck.length > 0 ? (
        <p className={css.alarm}>
          <Glyph name="failure" />
          {plural(stuckTasks, "waiting task")} in {plural(stuck.length, "queue")} without workers.
        </p>
      ) : null}
      {all.length === 0 ? (
        <Empty title="No queues yet">
          <p>Queues appear automatically when an agent reports them.</p>
        </Empty>
      ) : rows.length === 0 ? (
        <Empty title="No queues match" chips={<Button onClick={() => setFilter("")}>Clear filter</Button>}>
          <p>No queue has this text in its name or engine.</p>
        </Empty>
      ) : (
        <WindowTable
          label="Queues"
          size="wide"
          on={hold}
          rows={rows}
          rowKey={({ key }) => key}
          isOpenEnded={list.hasMore}
          rowPx={45}
          rowProps={({ queue, trouble }) => ({
            className: trouble === "stuck" ? panel.alarm : undefined,
            "data-old": isStale(queue, now),
          })}
          columns={queueColumns(slug, { deepest, windowMs, now })}
        >
          {list.hasMore ? (
            <p className={panel.foot}>
              The first {count(all.length)} queues by engine and name are loaded.{" "}
              <Button variant="link" onClick={list.readMore}>
                Load more
              </Button>
            </p>
          ) : null}
          {activity.data?.truncated ? (
            <p className={panel.foot}>Rates and charts cover the first 2,000 queues by engine and name.</p>
          ) : null}
        </WindowTable>
      )}
    </>
  );
}
