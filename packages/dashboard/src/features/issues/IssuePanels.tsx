import { type Facet, type Issue, plural, type TaskRow } from "@svc/client";
import { fieldTerm } from "@svc/client/task-query";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { paths } from "../../address/paths.ts";
import { instantRange, rangeParams } from "../../address/range-bounds.ts";
import { type TimeRange, useSetTimeRange } from "../../address/time-range.ts";
import { useTimedMs } from "../../live/live.ts";
import { AppLink } from "../../ui/buttons/AppLink.tsx";
import { AmountChart } from "../../ui/charts/AmountChart.tsx";
import { sinceFirst } from "../../ui/charts/parts/marks.ts";
import { TableToggle } from "../../ui/charts/TableToggle.tsx";
import { chartGaps } from "../../ui/gap-band/gaps.ts";
import { Panel, PanelEmpty } from "../../ui/panels/Panel.tsx";
import panel from "../../ui/panels/panel.module.css";
import { DataTable } from "../../ui/tables/DataTable.tsx";
import { count, nameText } from "../../ui/time/format.ts";
import { instant } from "../../ui/time/instants.ts";
import { Age } from "../../ui/time/Stamp.tsx";
import { useGaps } from "../agents/index.ts";
import { taskQuery } from "../task-data/index.ts";
import { TaskTable, Trace } from "../tasks/index.ts";
import { issueSpreadQuery, issueTasksQuery, spreadFields } from "./issue-queries.ts";
import { trendBuckets } from "./trend-buckets.ts";

interface OfIssue {
  slug: string;
  fingerprint: string;
}

interface TrendProps extends OfIssue {
  issue: Issue;
  range: TimeRange;
}

/** The number of tasks that last failed in each interval of the range. */
export function TrendPanel({ slug, issue, range }: TrendProps) {
  const setRange = useSetTimeRange();
  const [isTable, setTable] = useState(false);
  const { gaps } = useGaps(slug, rangeParams(range));
  const shown = { fromMs: range.sinceMs ?? range.untilMs, toMs: range.untilMs };
  const bands = chartGaps(gaps, shown);
  const buckets = sinceFirst(trendBuckets(issue.trend ?? [], shown), {
    bornMs: instant(issue.first_seen),
    bands,
    isFilled: ({ value }) => (value ?? 0) > 0,
  });
  const most = Math.max(0, ...buckets.map(({ value }) => value ?? 0));
  return (
    <Panel
      title="Failures over time"
      window={range.label}
      actions={<TableToggle name="Failures over time" isTable={isTable} onChange={setTable} />}
      read={{ data: issue, error: null, refetch: () => undefined }}
      rows={4}
      missing={() => (issue.is_capped ? "Only the newest failures were counted." : null)}
    >
      {() => (
        <div className={panel.inner}>
          <AmountChart
            name="Failures over time"
            valueName="failed"
            bars="failure"
            summary={`${plural(issue.occurrences, "failed task")} in this time range, maximum ${count(most)} in one of ${plural(buckets.length, "interval")}.`}
            buckets={buckets}
            isRunning={range.isOpen}
            bands={bands}
            isTable={isTable}
            onRange={(fromMs, toMs) => setRange(instantRange(fromMs, toMs))}
          />
        </div>
      )}
    </Panel>
  );
}

const shownTasks = 10;

/** The newest tasks with this failure, and one of them as a sample. */
export function useIssueTasks({ slug, fingerprint }: OfIssue) {
  const read = useQuery({ ...issueTasksQuery(slug, fingerprint, shownTasks), refetchInterval: useTimedMs(30_000) });
  const items = read.data?.items ?? [];
  return { read, sample: items.find(({ state }) => state === "failure") ?? items[0] ?? null };
}

/** The traceback of the newest failure. */
export function TracePanel({ slug, sample }: { slug: string; sample: TaskRow | null }) {
  const read = useQuery({
    ...taskQuery(slug, sample?.engine ?? "", sample?.task_id ?? ""),
    enabled: sample !== null,
    placeholderData: keepPreviousData,
  });
  return (
    <Panel
      title="Newest failure"
      actions={
        sample === null ? null : <AppLink href={paths.task(slug, sample.engine, sample.task_id)}>View task</AppLink>
      }
      read={read}
      rows={4}
      empty={(task) => {
        if (task?.traceback) return null;
        return (
          <p className={panel.foot}>
            {task === null
              ? "The task was deleted."
              : task.state === "failure"
                ? "The engine reported no traceback."
                : "The newest task has recovered. Its attempts show the failure."}
          </p>
        );
      }}
    >
      {(task) => <Trace text={task?.traceback ?? ""} />}
    </Panel>
  );
}

export function TasksPanel({ slug, fingerprint }: OfIssue) {
  const { read } = useIssueTasks({ slug, fingerprint });
  return (
    <Panel
      title="Tasks"
      window={`newest ${shownTasks}, failed or recovered`}
      actions={<AppLink href={paths.tasks(slug, { q: `fingerprint:${fingerprint}` })}>View all</AppLink>}
      read={read}
      rows={4}
      empty={({ items }) =>
        items.length > 0 ? null : <PanelEmpty kind="no-match">No tasks within retention have this failure.</PanelEmpty>
      }
    >
      {({ items, next_cursor }) => (
        <TaskTable
          slug={slug}
          label="Tasks"
          tasks={items}
          columns={["queue", "worker"]}
          hasOlder={next_cursor !== null}
        />
      )}
    </Panel>
  );
}

const fieldLabels = { name: "Task name", queue: "Queue", worker: "Worker" } as const;

/** The task names, queues and workers that an issue affects. */
export function SpreadPanel({ slug, fingerprint, range }: OfIssue & { range: TimeRange }) {
  const within = rangeParams(range);
  const read = useQuery({ ...issueSpreadQuery(slug, fingerprint, within), refetchInterval: useTimedMs(60_000) });
  const hrefOf = (field: (typeof spreadFields)[number], value: string) =>
    paths.tasks(slug, { q: `fingerprint:${fingerprint} ${fieldTerm(field, value)}` });
  return (
    <Panel
      title="Where it happens"
      window={"tasks received in this time range"}
      read={read}
      rows={5}
      empty={(facets) =>
        facets.some(({ values }) => values.length > 0) ? null : (
          <PanelEmpty kind="no-match">No tasks of this issue were received in this time range.</PanelEmpty>
        )
      }
    >
      {(facets) => (
        <DataTable
          size="dense"
          rows={facets.flatMap((facet: Facet) => {
            const field = spreadFields.find((one) => one === facet.field);
            return field === undefined ? [] : facet.values.map((value) => ({ field, ...value }));
          })}
          rowKey={({ field, value }) => `${field} ${value}`}
          columns={[
            { header: "Field", cellClass: "t2", cell: ({ field }) => fieldLabels[field] },
            {
              header: "Value",
              cellClass: panel.long,
              cell: ({ field, value }) => <AppLink href={hrefOf(field, value)}>{nameText(value)}</AppLink>,
            },
            { header: "Tasks", className: "num", cell: (row) => `${count(row.count)}${row.exact ? "" : "+"}` },
          ]}
        />
      )}
    </Panel>
  );
}

/** Summary of an issue without failures in the selected range. */
export function OutsideRange({ slug, fingerprint, issue }: OfIssue & { issue: Issue }) {
  return (
    <p>
      No failures in this time range. Last seen <Age at={issue.last_seen} suffix=" ago." />{" "}
      {issue.is_capped ? `${count(issue.occurrences)}+ tasks` : plural(issue.occurrences, "task")} within retention.{" "}
      <AppLink href={paths.tasks(slug, { q: `fingerprint:${fingerprint}` })}>View tasks</AppLink>
    </p>
  );
}
