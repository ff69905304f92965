import { type Issue, plural } from "@svc/client";
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
import controls from "../../ui/controls.module.css";
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
import { tagOf, titleOf } from "./issue-labels.ts";
import { issuePages, mostFrequentRows } from "./issue-queries.ts";
import css from "./issues.module.css";
import { type IssueSort, type IssuesSearch, issueStatuses, readIssuesSearch } from "./issues-search.ts";

const listQuery = (slug: string, { status, engine, sort }: IssuesSearch, range: Bounds) =>
  issuePages(slug, {
    ...rangeParams(range),
    ...(status && { status }),
    ...(engine && { engine }),
    ...(sort && { sort }),
  });

export const loader: PageLoader<{ slug: string }> = ({ params: { slug }, location: { search } }) =>
  readPageAhead(listQuery(slug, readIssuesSearch(search), boundsNow(search)));

/** The issues of a project: similar failures grouped into one row. */
export function IssuesPage() {
  const { slug } = useParams({ from: "/signed-in/p/$slug/issues" });
  const search = useSearch({ from: "/signed-in/p/$slug/issues", select: readIssuesSearch, structuralSharing: true });
  usePage([[slug, paths.project(slug)], ["Issues"]]);
  const goTo = useGo();
  const range = useTimeRange();
  const { status, engine, sort } = search;
  const agents = useQuery(agentsQuery(slug)).data?.items ?? [];
  const engines = [
    ...new Set([...agents.flatMap((agent) => agent.engine_adapters), ...(engine ? [engine] : [])]),
  ].sort();
  const read = useInfiniteQuery({
    ...listQuery(slug, search, range),
    refetchInterval: useTimedMs(30_000),
  });
  const all = read.data?.pages.flatMap(({ items }) => items) ?? [];
  const isExact = read.data?.pages[0]?.is_exact ?? true;
  const { rows, hold } = useSteadyOrder([
    ...new Map(all.map((issue) => [issue.fingerprint, { ...issue, key: issue.fingerprint }])).values(),
  ]);
  const go = (next: SearchOf<"/p/$slug/issues">) => goTo(paths.issues(slug, { ...search, ...next }));

  return (
    <>
      <div className={panel.head}>
        <h1>Issues</h1>
        <span className="t3 grow">
          Similar failures, most {sort === "occurrences" ? "frequent" : "recent"} first, {range.label}
        </span>
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
            options={[["", "All engines"], ...engines.map((one) => [one, printable(one)] as const)]}
            onChange={(next) => go({ engine: next })}
          />
        ) : null}
        <Select<IssueSort>
          label="Sort by"
          value={sort ?? "last_seen"}
          options={[
            ["last_seen", "Last seen"],
            ["occurrences", "Most failures"],
          ]}
          onChange={(next) => go({ sort: next === "occurrences" ? next : undefined })}
        />
      </div>
      <QueryBoundary name="Issues" read={read}>
        {rows.length === 0 && !read.hasNextPage ? (
          <NoIssues
            isFiltered={status !== undefined || engine !== undefined}
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
              {sort === "occurrences" && rows.length >= mostFrequentRows ? (
                `The ${count(rows.length)} issues with the most failures.`
              ) : (
                <OlderOrAll read={read} shown={rows.length}>
                  Load older issues
                </OlderOrAll>
              )}
              {isExact
                ? null
                : " May be incomplete: the order counts only the newest 50,000 failures, and a status filter checks only the 200 most frequent issues."}
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
    cellClass: css.issue,
    cell: (issue) => {
      const { type, message } = titleOf(issue);
      return (
        <div className={css.title} title={printable(issue.sample_exception ?? "")}>
          <AppLink href={paths.issue(slug, issue.fingerprint)}>
            <b>{printable(type)}</b>
          </AppLink>{" "}
          {tagOf(issue, range.sinceMs ?? 0) === "new" ? (
            <>
              <span className={`${controls.tag} ${css.new}`}>new</span>{" "}
            </>
          ) : null}
          {printable(message)}
        </div>
      );
    },
    small: (issue) => (
      <>
        {nameText(issue.sample_task_name ?? "")}
        <span className="sm">, {issue.status}</span>
      </>
    ),
  },
  { header: "Status", className: "lg", width: "7rem", cell: ({ status }) => <IssueTag status={status} bare /> },
  {
    header: "Engine",
    className: "lg",
    cellClass: "t2",
    width: "6.5rem",
    cell: ({ engines }) => engines.map(printable).join(", "),
  },
  {
    header: "Tasks",
    className: "num",
    width: "5rem",
    phoneWidth: "4rem",
    cell: (issue) => (
      <b>
        {count(issue.occurrences)}
        {issue.is_capped ? "+" : ""}
      </b>
    ),
  },
  {
    header: "Trend",
    className: "lg",
    width: "7rem",
    cell: (issue) => (
      <SparkBars
        tone="failure"
        values={issue.trend ?? []}
        isRunning={range.isOpen}
        label={`${plural(issue.occurrences, "task")} in this time range`}
      />
    ),
  },
  {
    header: "Still failing",
    className: "num lg",
    width: "5.5rem",
    cell: ({ open_count: open }) => (open === 0 ? <span className="t3">0</span> : count(open)),
  },
  {
    header: "First seen",
    className: "num lg",
    cellClass: "t2",
    width: "7.5rem",
    cell: (issue) => <Age at={issue.first_seen} suffix=" ago" />,
  },
  {
    header: "Last seen",
    className: "num",
    cellClass: "t2",
    width: "8.5rem",
    phoneWidth: "7.5rem",
    cell: (issue) => <Age at={issue.last_seen} suffix=" ago" />,
  },
];

interface NoIssuesProps {
  isFiltered: boolean;
  wideHref: string;
  onClear: () => void;
}

function NoIssues({ isFiltered, wideHref, onClear }: NoIssuesProps) {
  const wider = <ButtonLink href={wideHref}>Show the last 7 days</ButtonLink>;
  if (!isFiltered) {
    return (
      <Empty title="No issues" chips={wider}>
        <p>No tasks failed in this time range. Similar failures are grouped into one issue.</p>
      </Empty>
    );
  }
  return (
    <Empty
      title="No issues match"
      chips={
        <>
          <Button onClick={onClear}>Clear filters</Button>
          {wider}
        </>
      }
    >
      <p>No issues in this time range match these filters.</p>
    </Empty>
  );
}
