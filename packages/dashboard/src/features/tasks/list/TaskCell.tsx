import { memo, useContext } from "react";
import { paths } from "../../../address/paths.ts";
import { HrefContext } from "../../../ui/buttons/AppLink.tsx";
import { PriorityMark, StatePill } from "../../../ui/StatePill.tsx";
import { age, duration, idTail, nameText, printable } from "../../../ui/time/format.ts";
import { fullText, instant, useZone } from "../../../ui/time/instants.ts";
import { Stamp } from "../../../ui/time/Stamp.tsx";
import { useNow } from "../../../ui/time/ticker.ts";
import { type ListRow, taskKey } from "../../task-data/index.ts";
import css from "../grid.module.css";
import { barOf, lifeOf, tryText, waitText } from "../life.ts";
import type { ColumnId } from "../views/columns.ts";

interface CellProps {
  slug: string;
  column: ColumnId;
  row: ListRow;
  scaleMs: number;
}

/** The content of one cell. */
export const TaskCell = memo(function TaskCell({ slug, column, row, scaleMs }: CellProps) {
  switch (column) {
    case "state":
      return <StatePill state={row.state} />;
    case "name":
      return (
        <>
          <PriorityMark priority={row.priority} />
          <NameLink slug={slug} row={row} />
          <span className={`${css.tail} mono`}>{idTail(row.task_id)}</span>
        </>
      );
    case "lifecycle":
      return <LifeBar row={row} scaleMs={scaleMs} />;
    case "wait":
      return <WaitText row={row} />;
    case "run":
      return <RunText row={row} />;
    case "age":
      return <TaskAge row={row} />;
    case "started":
      return <Stamp at={row.started_at} />;
    case "finished":
      return <Stamp at={row.finished_at} />;
    default: {
      const text = textOfCell(column, row);
      return text || <span className={css.dim}>{column === "worker" ? "none yet" : "–"}</span>;
    }
  }
});

/** A link for opening in a new tab; the row handles plain clicks. */
function NameLink({ slug, row }: { slug: string; row: ListRow }) {
  const hrefHere = useContext(HrefContext);
  return (
    <a className="cut" tabIndex={-1} href={hrefHere(paths.task(slug, row.engine, taskKey(row)))}>
      {nameText(row.name)}
    </a>
  );
}

/** The text of a text column; empty if there is none. */
export function textOfCell(column: ColumnId, row: ListRow): string {
  switch (column) {
    case "engine":
      return printable(row.engine);
    case "queue":
      return printable(row.queue ?? "");
    case "worker":
      return printable(row.worker_name ?? "");
    case "try":
      return tryText(row);
    case "priority":
      return row.priority;
    case "error":
      return printable(row.exception?.split("\n", 1)[0] ?? "");
    case "release":
      return printable(row.release ?? "");
    case "tags":
      return printable(row.tags.join(", "));
    case "id":
      return printable(row.task_id);
    default:
      return "";
  }
}

/** Wait and run times, updated by the clock only for unfinished tasks. */
function useLife(row: ListRow) {
  const isMoving = row.state === "pending" || row.state === "received" || row.state === "started";
  const life = lifeOf(row, useNow(isMoving));
  return { life, hasRun: life.runMs > 0 || row.started_at !== null };
}

function WaitText({ row }: { row: ListRow }) {
  const { life } = useLife(row);
  return <span className={life.isWaiting ? css.now : "t2"}>{waitText(life)}</span>;
}

function RunText({ row }: { row: ListRow }) {
  const { life, hasRun } = useLife(row);
  const isKnown = hasRun && !life.isLost;
  return (
    <span className={life.isRunning ? css.now : isKnown ? "t1" : css.dim}>
      {life.isLost ? "lost" : hasRun ? duration(life.runMs) : "–"}
    </span>
  );
}

function LifeBar({ row, scaleMs }: { row: ListRow; scaleMs: number }) {
  const { life, hasRun } = useLife(row);
  const bar = barOf(life, scaleMs);
  const ran = life.isLost ? "end not recorded" : hasRun ? `ran ${duration(life.runMs)}` : "not started";
  const tip = Math.min(99.4, bar.wait + bar.run);
  return (
    <svg className={css.life} width="100%" height="12" role="img" aria-label={`waited ${waitText(life)}, ${ran}`}>
      <rect className={css.w} x="0" y="5" width={`${bar.wait}%`} height="2" />
      {hasRun ? (
        <rect
          className={life.isLost ? css.lost : css.r}
          data-state={row.state}
          x={`${bar.wait}%`}
          y="2"
          width={`${Math.max(0.6, bar.run)}%`}
          height="8"
        />
      ) : null}
      {life.isWaiting || life.isRunning ? <rect className={css.tip} x={`${tip}%`} y="0" width="2" height="12" /> : null}
    </svg>
  );
}

/** When the task was received, started and finished, one line each, in the selected time zone and in UTC. */
export function stampLines(row: ListRow, zone: string): string[] {
  const zones = zone === "UTC" ? ["UTC"] : [zone, "UTC"];
  const instants = { received: row.received_at, started: row.started_at, finished: row.finished_at };
  return Object.entries(instants).flatMap(([word, at]) =>
    at === null ? [] : [`${word} ${zones.map((one) => `${fullText(instant(at), one)} ${one}`).join(", ")}`],
  );
}

/** How long ago the task was received; the tooltip has the exact times. */
function TaskAge({ row }: { row: ListRow }) {
  const now = useNow();
  const { zone } = useZone();
  return (
    <time className="t2" dateTime={row.received_at} title={stampLines(row, zone).join("\n")}>
      {age(now - instant(row.received_at))}
    </time>
  );
}
