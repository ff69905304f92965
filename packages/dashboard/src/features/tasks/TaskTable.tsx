import type { TaskRow } from "@svc/client";
import { Fragment } from "react";
import { paths } from "../../paths.ts";
import { AppLink } from "../../ui/AppLink.tsx";
import { duration, idTail, nameText, printable } from "../../ui/format.ts";
import { GapBand } from "../../ui/gap-band/GapBand.tsx";
import { type LossGap, placeGaps } from "../../ui/gap-band/gaps.ts";
import panel from "../../ui/panel.module.css";
import { ScrollBox } from "../../ui/ScrollBox.tsx";
import { Age } from "../../ui/Stamp.tsx";
import { StatePill } from "../../ui/StatePill.tsx";
import { useNow } from "../../ui/ticker.ts";

type Column = "queue" | "worker" | "error" | "running";

interface TaskTableProps {
  slug: string;
  label: string;
  /** Newest first. */
  tasks: readonly TaskRow[];
  /** The column that tells most where these rows stand. */
  columns: readonly Column[];
  /** Where events were lost; a band stands between the rows. */
  gaps?: readonly LossGap[];
  hasOlder?: boolean;
}

/** On a phone there is room for one thing more than the task. */
const cellClass: Record<Column, string | undefined> = { queue: "lg", worker: "lg", error: undefined, running: "num" };
const heads: Record<Column, string> = { queue: "Queue", worker: "Worker", error: "Error", running: "Running" };

/** A short table of tasks inside a panel. The list with all its means is the page Tasks. */
export function TaskTable({ slug, label, tasks, columns, gaps = [], hasOlder = false }: TaskTableProps) {
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
        <td colSpan={columns.length + 3} className={panel.bandCell}>
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
            <th>State</th>
            <th>Task, id tail</th>
            {columns.map((column) => (
              <th key={column} className={cellClass[column]}>
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
                <td>
                  <StatePill state={task.state} bare />
                </td>
                <td>
                  <AppLink href={paths.task(slug, task.engine, task.task_id)}>{nameText(task.name)}</AppLink>{" "}
                  <span className="mono t3">{idTail(task.task_id)}</span>
                </td>
                {columns.map((column) => (
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

function Cell({ task, column }: { task: TaskRow; column: Column }) {
  switch (column) {
    case "queue":
      return <td className={cellClass.queue}>{printable(task.queue ?? "–")}</td>;
    case "worker":
      return <td className={cellClass.worker}>{printable(task.worker_name ?? "–")}</td>;
    case "error":
      return <td className={panel.long}>{printable((task.exception ?? "not recorded").split("\n", 1)[0] ?? "")}</td>;
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
