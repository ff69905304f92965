import type { Issue } from "@svc/client";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import { paths, type SearchOf } from "../../address/paths.ts";
import { type Bounds, boundsNow, rangeParams } from "../../address/range-bounds.ts";
import { type TimeRange, useTimeRange } from "../../address/time-range.ts";
import { type PageLoader, readPageAhead } from "../../api/read-ahead.ts";
import { useTimedMs } from "../../live/live.ts";
import { AppLink, useGo } from "../../ui/buttons/AppLink.tsx";
import { Button, ButtonLink } from "../../ui/buttons/Button.tsx";
import { OlderOrAll } from "../../ui/buttons/OlderButton.tsx";
import { Segments } from "../../ui/buttons/Segments.tsx";
import { SparkBars } from "../../ui/charts/SparkBars.tsx";
import { Select } from "../../ui/forms/Select.tsx";
import { Empty } from "../../ui/panels/Lines.tsx";
import panel from "../../ui/panels/panel.module.css";
import { QueryBoundary } from "../../ui/panels/QueryBoundary.tsx";
import type { Column } from "../../ui/tables/columns.tsx";
import { useSteadyOrder } from "../../ui/tables/steady-order.ts";
import { WindowTable } from "../../ui/tables/WindowTable.tsx";
import { count, nameText, printable } from "../../ui/time/format.ts";
import { Age } from "../../ui/time/Stamp.tsx";
import { usePage } from "../../ui/title.ts";
import { agentsQuery } from "../agents/index.ts";
import { IssueTag } from "./IssueTag.tsx";
import { issuePages } from "./issue-queries.ts";
import { splitError, stateOf } from "./issue-words.ts";
import { type IssuesSearch, issueStatuses, readIssuesSearch } from "./issues-search.ts";

const listQuery = (slug: string, { status, engine }: IssuesSearch, range: Bounds) =>
  issuePages(slug, { ...rangeParams(range), ...(status && { status }), ...(engine && { engine }) });

export const loader: PageLoader<{ slug: string }> = ({ params: { slug }, location: { search } }) =>
  readPageAhead(listQuery(slug, readIssuesSearch(search), boundsNow(search)));

/** Failures that look alike, as one row each. */
export function IssuesPage() {
  const { slug } = useParams({ from: "/signed-in/p/$slug/issues" });
  const search = useSearch({ from: "/signed-in/p/$slug/issues", select: readIssuesSearch, structuralSharing: true });
  usePage([[slug, paths.project(slug)], ["Issues"]]);
  const goTo = useGo();
  const range = useTimeRange();
  const { status, engine } = search;
  const agents = useQuery(agentsQuery(slug)).data?.items ?? [];
  const engines = [
    ...new Set([...agents.flatMap((agent) => agent.engine_adapters), ...(engine ? [engine] : [])]),
  ].sort();
  const read = useInfiniteQuery({
    ...listQuery(slug, search, range),
    refetchInterval: useTimedMs(30_000),
  });
  const all = read.data?.pages.flatMap(({ items }) => items) ?? [];
  const { rows, hold } = useSteadyOrder([
    ...new Map(all.map((issue) => [issue.fingerprint, { ...issue, key: issue.fingerprint }])).values(),
  ]);
  const go = (next: SearchOf<"/p/$slug/issues">) => goTo(paths.issues(slug, { ...search, ...next }));

  return (
    <>
      <div className={panel.head}>
        <h1>Issues</h1>
        <span className="t3 grow">failures that look alike, the last ones first, {range.label}</span>
        <Segments
          legend="Status"
          value={status ?? "all"}
          options={[
            { value: "all", label: "All" },
            ...issueStatuses.map((one) => ({ value: one, label: one === "ongoing" ? "Ongoing" : "Recovered" })),
          ]}
          onChange={(next) => go({ status: next === "all" ? undefined : next })}
        />
        {engines.length > 1 ? (
          <Select
            label="Engine"
            value={engine ?? ""}
            options={[["", "any engine"], ...engines.map((one) => [one, printable(one)] as const)]}
            onChange={(next) => go({ engine: next })}
          />
        ) : null}
      </div>
      <QueryBoundary name="Issues" read={read}>
        {rows.length === 0 && !read.hasNextPage ? (
          <NoIssues
            isFiltered={status !== undefined || engine !== undefined}
            label={range.label}
            onClear={() => go({ status: undefined, engine: undefined })}
            wideHref={paths.issues(slug, { ...search, since: "-7d", until: undefined })}
          />
        ) : (
          <>
            <WindowTable
              label="Issues"
              size="wide"
              on={hold}
              rows={rows}
              rowKey={({ key }) => key}
              isOpenEnded={read.hasNextPage}
              rowPx={45}
              columns={columnsOf(slug, range)}
            />
            <p className={panel.foot}>
              <OlderOrAll read={read} shown={rows.length}>
                Older issues
              </OlderOrAll>
            </p>
          </>
        )}
      </QueryBoundary>
    </>
  );
}

const columnsOf = (slug: string, range: TimeRange): readonly Column<Issue>[] => [
  {
    header: "Issue",
    cellClass: `${panel.named} ${panel.long}`,
    cell: ({ fingerprint, sample_exception: exception }) => {
      const { type, message } = splitError(exception);
      return (
        <>
          <AppLink href={paths.issue(slug, fingerprint)}>
            <b>{printable(type)}</b>
          </AppLink>{" "}
          <span className="t2">{printable(message)}</span>
        </>
      );
    },
    small: (issue) => (
      <>
        {nameText(issue.sample_task_name ?? "")}
        <span className="sm">, {stateOf(issue, range.sinceMs ?? 0)}</span>
      </>
    ),
  },
  { header: "State", className: "lg", cell: (issue) => <IssueTag issue={issue} sinceMs={range.sinceMs ?? 0} /> },
  {
    header: "Tasks",
    className: "num",
    cell: (issue) => (
      <b>
        {count(issue.occurrences)}
        {issue.is_capped ? "+" : ""}
      </b>
    ),
  },
  {
    header: "Failed now",
    className: "num lg",
    cell: ({ open_count: open }) => (open === 0 ? <span className="t3">0</span> : count(open)),
  },
  {
    header: "Failures over time",
    className: "lg",
    cell: (issue) => (
      <SparkBars
        tone="failure"
        values={issue.trend ?? []}
        isRunning={range.isOpen}
        label={`${count(issue.occurrences)} in the ${range.label}`}
      />
    ),
  },
  { header: "Engines", className: "lg", cellClass: "t2", cell: ({ engines }) => engines.map(printable).join(", ") },
  {
    header: "First",
    className: "num lg",
    cellClass: "t2",
    cell: (issue) => <Age at={issue.first_seen} suffix=" ago" />,
  },
  { header: "Last", className: "num", cellClass: "t2", cell: (issue) => <Age at={issue.last_seen} suffix=" ago" /> },
];

interface NoIssuesProps {
  isFiltered: boolean;
  label: string;
  wideHref: string;
  onClear: () => void;
}

function NoIssues({ isFiltered, label, wideHref, onClear }: NoIssuesProps) {
  const wider = <ButtonLink href={wideHref}>Look at the last 7 days</ButtonLink>;
  if (!isFiltered) {
    return (
      <Empty title="No issue" chips={wider}>
        <p>No task failed in the {label}. Failures with the same error and the same deepest frames are one issue.</p>
      </Empty>
    );
  }
  return (
    <Empty
      title="No issue matches"
      chips={
        <>
          <Button onClick={onClear}>Clear all filters</Button>
          {wider}
        </>
      }
    >
      <p>No issue of the {label} has this status and engine.</p>
    </Empty>
  );
}
