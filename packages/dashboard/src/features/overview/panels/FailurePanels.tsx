import type { Issue, IssuePage, RecentFailurePage } from "@svc/client";
import type { UseQueryResult } from "@tanstack/react-query";
import { paths } from "../../../address/paths.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import { SparkBars } from "../../../ui/charts/SparkBars.tsx";
import controls from "../../../ui/controls.module.css";
import { Panel } from "../../../ui/panels/Panel.tsx";
import type { Column } from "../../../ui/tables/columns.tsx";
import { DataTable } from "../../../ui/tables/DataTable.tsx";
import { count, idTail, nameText, printable } from "../../../ui/time/format.ts";
import { Age } from "../../../ui/time/Stamp.tsx";
import { tagOf, titleOf } from "../../issues/index.ts";
import css from "../overview.module.css";
import { newestFailures, topIssues, type Window } from "../overview-queries.ts";

interface IssuesPanelProps {
  slug: string;
  query: UseQueryResult<IssuePage>;
  window: Window;
  windowLabel: string;
}

/** The issues with the most failures in the range. */
export function IssuesPanel({ slug, query, window, windowLabel }: IssuesPanelProps) {
  const { is_exact: isExact = true } = query.data ?? {};
  return (
    <Panel
      className={`${css.cell} ${css.wide}`}
      title="Top issues"
      window={`most frequent first, ${isExact ? "" : "among the newest failures, "}${windowLabel}`}
      actions={<AppLink href={paths.issues(slug, { sort: "occurrences" })}>All issues</AppLink>}
      read={query}
      rows={topIssues}
      empty={({ items: all }) =>
        all.length === 0 ? <p className={css.quiet}>No failed tasks in this time range.</p> : null
      }
    >
      {({ items }) => (
        <DataTable
          label="Top issues"
          className={css.tbl}
          rows={items}
          rowKey={({ fingerprint }) => fingerprint}
          columns={issueColumns(slug, window)}
        />
      )}
    </Panel>
  );
}

const issueColumns = (slug: string, window: Window): readonly Column<Issue>[] => [
  {
    header: "Issue, task",
    cellClass: css.two,
    cell: (issue) => {
      const { type, message } = titleOf(issue);
      return (
        <>
          <span className={css.line}>
            <AppLink className={css.strong} href={paths.issue(slug, issue.fingerprint)}>
              {printable(type)}
            </AppLink>{" "}
            <span className="t2">{printable(message)}</span>
          </span>
          <small>{nameText(issue.sample_task_name ?? "")}</small>
        </>
      );
    },
  },
  {
    header: "Count",
    className: "num",
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
    cell: (issue) => (
      <SparkBars
        tone="failure"
        values={issue.trend ?? []}
        isRunning={window.isOpen}
        label={`${count(issue.occurrences)} of ${printable(titleOf(issue).type)} in this time range`}
      />
    ),
  },
  { header: "First", className: "num lg", cellClass: "t2", cell: (issue) => <Age at={issue.first_seen} /> },
  { header: "Last", className: "num", cellClass: "t2", cell: (issue) => <Age at={issue.last_seen} /> },
  {
    header: "State",
    isHeaderHidden: true,
    className: "lg",
    cellClass: "num",
    cell: (issue) => {
      const tag = tagOf(issue, window.sinceMs);
      return tag === null ? null : <span className={`${controls.tag} ${tag === "new" ? css.new : ""}`}>{tag}</span>;
    },
  },
];

const failedTasks = (slug: string) => paths.tasks(slug, { state: "failure" });
interface NewestFailuresProps {
  slug: string;
  query: UseQueryResult<RecentFailurePage>;
  windowLabel: string;
}

/** The newest failures, with links to their tasks. */
export function NewestFailuresPanel({ slug, query, windowLabel }: NewestFailuresProps) {
  return (
    <Panel
      className={css.cell}
      title="Newest failures"
      window={windowLabel}
      actions={<AppLink href={failedTasks(slug)}>All failures</AppLink>}
      read={query}
      rows={newestFailures}
      empty={({ items }) =>
        items.length === 0 ? <p className={css.quiet}>No failed tasks in this time range.</p> : null
      }
    >
      {({ items }) => (
        <DataTable
          label="Newest failures"
          size="dense"
          className={css.tbl}
          rows={items}
          rowKey={({ id }) => id}
          columns={[
            {
              header: "Task",
              cellClass: css.task,
              cell: ({ engine, task_id, task_name }) => (
                <AppLink className={css.plain} href={paths.task(slug, engine, task_id)}>
                  <span className="cut">{nameText(task_name ?? "")}</span>{" "}
                  <span className="mono t3">{idTail(task_id)}</span>
                </AppLink>
              ),
            },
            {
              header: "Error",
              cellClass: css.error,
              cell: ({ exception }) => printable((exception ?? "").trim().split("\n", 1)[0] || "No error message"),
            },
            {
              header: "Age",
              className: "num",
              cellClass: "t2",
              cell: ({ occurred_at }) => <Age at={occurred_at} />,
            },
          ]}
        />
      )}
    </Panel>
  );
}
