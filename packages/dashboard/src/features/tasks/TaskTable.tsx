import type { TaskRow } from "@svc/client";
import { Fragment } from "react";
import { paths } from "../../address/paths.ts";
import { useIsPhone } from "../../ui/appearance.ts";
import { AppLink } from "../../ui/buttons/AppLink.tsx";
import { GapBand } from "../../ui/gap-band/GapBand.tsx";
import { type LossGap, placeGaps } from "../../ui/gap-band/gaps.ts";
import panel from "../../ui/panels/panel.module.css";
import { ScrollBox } from "../../ui/panels/ScrollBox.tsx";
import { StatePill } from "../../ui/StatePill.tsx";
import { duration, idTail, nameText, printable } from "../../ui/time/format.ts";
import { Age } from "../../ui/time/Stamp.tsx";
import { useNow } from "../../ui/time/ticker.ts";
import { taskKey } from "../task-data/index.ts";
import css from "./task-table.module.css";

type Column = "queue" | "worker" | "error" | "running";

interface TaskTableProps {
  slug: string;
  label: string;
  /** Newest first. */
  tasks: readonly TaskRow[];
  /** The most useful columns in this context. */
  columns: readonly Column[];
  /** Where events were lost, shown as bands between rows. */
  gaps?: readonly LossGap[];
  hasOlder?: boolean;
}

/** A phone has space for the task, its error below it, and one number. */
const phoneCells: ReadonlySet<Column> = new Set(["running"]);
const heads: Record<Column, string> = { queue: "Queue", worker: "Worker", error: "Error", running: "Running" };

/** A short table of tasks in a panel. The full list is the Tasks page. */
export function TaskTable({ slug, label, tasks, columns, gaps = [], hasOlder = false }: TaskTableProps) {
  const isPhone = useIsPhone();
  const shown = isPhone ? columns.filter((column) => phoneCells.has(column)) : columns;
  const hasErrorBelow = isPhone && columns.includes("error");
  const bands = placeGaps(gaps, {
    receivedMs: (at) => Date.parse(tasks[at]?.received_at ?? ""),
    rowCount: tasks.length,
    hasOlder,
  });
  const bandAt = (place: number) => {
    const group = bands.get(place);
    if (group === undefined) return null;
    return (
      <tr>
        <td colSpan={shown.length + 3} className={panel.bandCell}>
          <GapBand group={group} agentHref={(id) => (id === null ? paths.agents(slug) : paths.agent(slug, id))} />
        </td>
      </tr>
    );
  };
  return (
    <ScrollBox label={label}>
      <table className={panel.tbl}>
        <thead>
          <tr>
            <th>
              <span className={css.word}>State</span>
            </th>
            <th>Task</th>
            {shown.map((column) => (
              <th key={column} className={column === "running" ? "num" : undefined}>
                {heads[column]}
              </th>
            ))}
            <th className="num">Age</th>
          </tr>
        </thead>
        <tbody>
          {tasks.map((task, at) => (
            <Fragment key={task.id}>
              {bandAt(at)}
              <tr>
                <td className={css.state}>
                  <StatePill state={task.state} bare />
                </td>
                <td className={css.task}>
                  <span className={css.name}>
                    <AppLink className="cut" href={paths.task(slug, task.engine, taskKey(task))}>
                      {nameText(task.name)}
                    </AppLink>{" "}
                    <span className="mono t3">{idTail(task.task_id)}</span>
                  </span>
                  {hasErrorBelow ? <small className={`${css.error} cut`}>{errorText(task)}</small> : null}
                </td>
                {shown.map((column) => (
                  <Cell key={column} task={task} column={column} />
                ))}
                <td className="num">
                  <Age at={task.received_at} />
                </td>
              </tr>
            </Fragment>
          ))}
          {bandAt(tasks.length)}
        </tbody>
      </table>
    </ScrollBox>
  );
}

/** The first line of the error; the task page shows the rest. */
function errorText({ exception }: TaskRow): string {
  return printable((exception ?? "not recorded").split("\n", 1)[0] ?? "");
}

function Cell({ task, column }: { task: TaskRow; column: Column }) {
  switch (column) {
    case "queue":
      return <td>{printable(task.queue ?? "–")}</td>;
    case "worker":
      return <td>{printable(task.worker_name ?? "–")}</td>;
    case "error":
      return <td className={panel.long}>{errorText(task)}</td>;
    case "running":
      return (
        <td className="num">
          <Running since={task.started_at} />
        </td>
      );
  }
}

function Running({ since }: { since: string | null | undefined }) {
  const now = useNow();
  const ms = Date.parse(since ?? "");
  return <span>{Number.isNaN(ms) ? "–" : duration(Math.max(0, now - ms))}</span>;
}
