import type { Issue, IssuePage } from "@svc/client";
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
import { byOccurrences, splitError, tagOf } from "../../issues/index.ts";
import { taskKey } from "../../task-data/index.ts";
import css from "../overview.module.css";
import { type Failures, newestFailures, type Window } from "../overview-queries.ts";

const issuesShown = 6;

interface IssuesPanelProps {
  slug: string;
  query: UseQueryResult<IssuePage>;
  window: Window;
  windowLabel: string;
}

/** Failures that look alike, the most frequent first. */
export function IssuesPanel({ slug, query, window, windowLabel }: IssuesPanelProps) {
  const { items = [], next_cursor: next = null } = query.data ?? {};
  const shown = byOccurrences(items).slice(0, issuesShown);
  return (
    <Panel
      className={`${css.cell} ${css.wide}`}
      title="Top issues"
      window={
        items.length === 0
          ? windowLabel
          : shown.length === items.length && next === null
            ? `${shown.length}, most frequent first, ${windowLabel}`
            : `${shown.length} most frequent of ${items.length}${next ? " that failed last" : ""}, ${windowLabel}`
      }
      actions={<AppLink href={paths.issues(slug)}>All issues</AppLink>}
      read={query}
      rows={issuesShown}
      empty={({ items: all }) => (all.length === 0 ? <p className={css.quiet}>No task failed in this time.</p> : null)}
    >
      {() => (
        <DataTable
          label="Top issues"
          className={css.tbl}
          rows={shown}
          rowKey={({ fingerprint }) => fingerprint}
          columns={issueColumns(slug, window)}
        />
      )}
    </Panel>
  );
}

const issueColumns = (slug: string, window: Window): readonly Column<Issue>[] => [
  {
    header: "Exception, message, task",
    cellClass: css.two,
    cell: (issue) => {
      const { type, message } = splitError(issue.sample_exception);
      return (
        <>
          <span className={css.line}>
            <AppLink
              className={css.strong}
              href={paths.issue(slug, issue.fingerprint)}
              title="This issue: its tasks, its traceback, where it happens"
            >
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
        label={`${count(issue.occurrences)} of ${printable(splitError(issue.sample_exception).type)} in this time`}
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
  query: UseQueryResult<Failures>;
  windowLabel: string;
}

/** The newest failed tasks, one click from their cause. */
export function NewestFailuresPanel({ slug, query, windowLabel }: NewestFailuresProps) {
  return (
    <Panel
      className={css.cell}
      title="Newest failures"
      window={windowLabel}
      actions={<AppLink href={failedTasks(slug)}>All</AppLink>}
      read={query}
      rows={newestFailures}
      empty={({ items }) =>
        items.length === 0 ? <p className={css.quiet}>No task received in this time is failed now.</p> : null
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
              cell: (task) => (
                <AppLink className={css.plain} href={paths.task(slug, task.engine, taskKey(task))}>
                  <span className="cut">{nameText(task.name)}</span>{" "}
                  <span className="mono t3">{idTail(task.task_id)}</span>
                </AppLink>
              ),
            },
            { header: "Tries", className: "num", cellClass: "t2", cell: (task) => task.attempt + 1 },
            {
              header: "Ago",
              className: "num",
              cellClass: "t2",
              cell: (task) => <Age at={task.finished_at ?? task.received_at} />,
            },
          ]}
        />
      )}
    </Panel>
  );
}
