import type { UseQueryResult } from "@tanstack/react-query";
import { useMemo } from "react";
import { paths } from "../../paths.ts";
import { stringifySearch } from "../../search-text.ts";
import { AppLink } from "../../ui/AppLink.tsx";
import { SparkBars } from "../../ui/charts/SparkBars.tsx";
import { count, idTail, nameText, printable } from "../../ui/format.ts";
import { Panel } from "../../ui/Panel.tsx";
import panel from "../../ui/panel.module.css";
import { ScrollBox } from "../../ui/ScrollBox.tsx";
import { Age } from "../../ui/Stamp.tsx";
import { countsOver, type FailureGroup, groupFailures } from "./failure-groups.ts";
import css from "./overview.module.css";
import { type Failures, failuresRead, type Window } from "./overview-queries.ts";

interface FailurePanelProps {
  slug: string;
  query: UseQueryResult<Failures>;
  window: Window;
  windowLabel: string;
}

const groupsShown = 6;
const sparkParts = 24;
const newestShown = 6;

const failedTasks = (slug: string, name?: string) =>
  paths.tasks(slug) + stringifySearch({ state: "failure", ...(name === undefined ? {} : { name }) });

/** Failed tasks grouped by their error, the most frequent first. */
export function ErrorsPanel({ slug, query, window, windowLabel }: FailurePanelProps) {
  const groups = useMemo(() => groupFailures(query.data?.items ?? []), [query.data]);
  const shown = groups.slice(0, groupsShown);
  const scope = query.data?.hasMore ? `the last ${failuresRead} failures, ${windowLabel}` : windowLabel;
  return (
    <Panel
      className={`${css.cell} ${css.wide}`}
      title="Top errors"
      window={groups.length === 0 ? windowLabel : `${shown.length} of ${groups.length} kinds, ${scope}`}
      actions={<AppLink href={failedTasks(slug)}>All failed tasks</AppLink>}
      read={query}
      rows={groupsShown}
      empty={noFailures}
    >
      {() => (
        <ScrollBox label="Top errors">
          <table className={`${panel.tbl} ${css.tbl}`}>
            <thead>
              <tr>
                <th>Error, message, task</th>
                <th className="num">Count</th>
                <th className="lg">Trend</th>
                <th className="num lg">First</th>
                <th className="num">Last</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((group) => (
                <ErrorRow key={group.key} slug={slug} group={group} window={window} />
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
    </Panel>
  );
}

const noFailures = ({ items }: Failures) =>
  items.length === 0 ? <p className={css.quiet}>No task received in this time is failed now.</p> : null;

function ErrorRow({ slug, group, window }: { slug: string; group: FailureGroup; window: Window }) {
  const [name = "", ...others] = group.names;
  const range = { fromMs: window.sinceMs, toMs: window.untilMs };
  return (
    <tr>
      <td className={css.two}>
        <span className={css.line}>
          <AppLink
            className={css.strong}
            href={paths.task(slug, group.newest.engine, group.newest.task_id)}
            title="The newest of them"
          >
            {printable(group.type)}
          </AppLink>{" "}
          <span className="t2">{printable(group.message)}</span>
        </span>
        <small>
          <AppLink className="t3" href={failedTasks(slug, name)}>
            {nameText(name)}
          </AppLink>
          {others.length > 0 ? ` and ${others.length} more` : ""}
        </small>
      </td>
      <td className="num">
        <b>{count(group.count)}</b>
      </td>
      <td className="lg">
        <SparkBars
          tone="failure"
          values={countsOver(group.failedAtMs, range, sparkParts)}
          isRunning={window.isOpen}
          label={`${group.count} of ${printable(group.type)} in this time`}
        />
      </td>
      <td className="num t2 lg">
        <Age at={new Date(group.firstMs).toISOString()} />
      </td>
      <td className="num t2">
        <Age at={new Date(group.lastMs).toISOString()} />
      </td>
    </tr>
  );
}

/** The newest failed tasks, one click from their cause. */
export function NewestFailuresPanel({ slug, query, windowLabel }: Omit<FailurePanelProps, "window">) {
  return (
    <Panel
      className={css.cell}
      title="Newest failures"
      window={windowLabel}
      actions={<AppLink href={failedTasks(slug)}>All</AppLink>}
      read={query}
      rows={newestShown}
      empty={noFailures}
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
              {items.slice(0, newestShown).map((task) => (
                <tr key={task.id}>
                  <td className={css.name}>
                    <AppLink className={css.plain} href={paths.task(slug, task.engine, task.task_id)}>
                      {nameText(task.name)} <span className="mono t3">{idTail(task.task_id)}</span>
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
