import type { Issue, IssuePage } from "@svc/client";
import type { UseQueryResult } from "@tanstack/react-query";
import { paths } from "../../../address/paths.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import { SparkBars } from "../../../ui/charts/SparkBars.tsx";
import controls from "../../../ui/controls.module.css";
import { Panel } from "../../../ui/panels/Panel.tsx";
import panel from "../../../ui/panels/panel.module.css";
import { ScrollBox } from "../../../ui/panels/ScrollBox.tsx";
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
        <ScrollBox label="Top issues">
          <table className={`${panel.tbl} ${css.tbl}`}>
            <thead>
              <tr>
                <th>Exception, message, task</th>
                <th className="num">Count</th>
                <th className="lg">Trend</th>
                <th className="num lg">First</th>
                <th className="num">Last</th>
                <th className="lg">
                  <span className="vh">State</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map((issue) => (
                <IssueRow key={issue.fingerprint} slug={slug} issue={issue} window={window} />
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
    </Panel>
  );
}

function IssueRow({ slug, issue, window }: { slug: string; issue: Issue; window: Window }) {
  const { type, message } = splitError(issue.sample_exception);
  const tag = tagOf(issue, window.sinceMs);
  return (
    <tr>
      <td className={css.two}>
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
      </td>
      <td className="num">
        <b>
          {count(issue.occurrences)}
          {issue.is_capped ? "+" : ""}
        </b>
      </td>
      <td className="lg">
        <SparkBars
          tone="failure"
          values={issue.trend ?? []}
          isRunning={window.isOpen}
          label={`${count(issue.occurrences)} of ${printable(type)} in this time`}
        />
      </td>
      <td className="num t2 lg">
        <Age at={issue.first_seen} />
      </td>
      <td className="num t2">
        <Age at={issue.last_seen} />
      </td>
      <td className="num lg">
        {tag === null ? null : <span className={`${controls.tag} ${tag === "new" ? css.new : ""}`}>{tag}</span>}
      </td>
    </tr>
  );
}

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
        <ScrollBox label="Newest failures">
          <table className={`${panel.tbl} ${panel.dense} ${css.tbl}`}>
            <thead>
              <tr>
                <th>Task</th>
                <th className="num">Tries</th>
                <th className="num">Ago</th>
              </tr>
            </thead>
            <tbody>
              {items.map((task) => (
                <tr key={task.id}>
                  <td className={css.task}>
                    <AppLink className={css.plain} href={paths.task(slug, task.engine, taskKey(task))}>
                      <span className="cut">{nameText(task.name)}</span>{" "}
                      <span className="mono t3">{idTail(task.task_id)}</span>
                    </AppLink>
                  </td>
                  <td className="num t2">{task.attempt + 1}</td>
                  <td className="num t2">
                    <Age at={task.finished_at ?? task.received_at} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
    </Panel>
  );
}
