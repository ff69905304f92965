import { type MouseEvent, memo } from "react";
import { paths } from "../../paths.ts";
import { AppLink, isPlainClick } from "../../ui/AppLink.tsx";
import controls from "../../ui/controls.module.css";
import { duration, idTail, nameText, printable } from "../../ui/format.ts";
import { Icon } from "../../ui/Icon.tsx";
import { Age } from "../../ui/Stamp.tsx";
import { PriorityMark, StatePill } from "../../ui/StatePill.tsx";
import { useNow } from "../../ui/ticker.ts";
import css from "./grid.module.css";
import { barOf, type Life, lifeOf, tryText } from "./life.ts";
import type { ListRow } from "./task-pages.ts";

export interface RowActions {
  onOpen: (row: ListRow) => void;
  onTick: (row: ListRow, isRange: boolean) => void;
  onFilter: (patch: { queue?: string; worker?: string; name?: string }) => void;
  onCurrent: (row: ListRow) => void;
}

interface TaskRowProps {
  slug: string;
  row: ListRow;
  index: number;
  top: number;
  scaleMs: number;
  isCurrent: boolean;
  isTabStop: boolean;
  isTicked: boolean;
  isNew: boolean;
  /** The same object for the life of the grid, so that a row is drawn only when it changed. */
  actions: RowActions;
}

export const TaskRow = memo(function TaskRow(props: TaskRowProps) {
  const { slug, row, index, top, isCurrent, isTabStop, isTicked, isNew, actions } = props;
  const name = nameText(row.name);
  const classes = [css.row, isTicked && css.sel, isCurrent && css.cur, isNew && css.in].filter(Boolean).join(" ");
  const open = (event: MouseEvent) => {
    if (!isPlainClick(event)) return;
    if ((event.target as Element).closest("button, input, label")) return;
    event.preventDefault();
    actions.onOpen(row);
  };

  return (
    <div
      className={classes}
      role="row"
      id={`task-${row.id}`}
      aria-rowindex={index + 2}
      aria-selected={isTicked}
      aria-label={`${name} ${row.state}`}
      tabIndex={isTabStop ? 0 : -1}
      style={{ transform: `translateY(${top}px)` }}
      onClick={open}
      onFocus={() => actions.onCurrent(row)}
    >
      <div className={css.x} role="gridcell">
        <label className={controls.tick}>
          <input
            type="checkbox"
            tabIndex={-1}
            checked={isTicked}
            aria-label={`Select ${name} ${idTail(row.task_id)}`}
            onChange={(event) => actions.onTick(row, (event.nativeEvent as PointerEvent).shiftKey === true)}
          />
        </label>
      </div>
      <div className={css.st} role="gridcell">
        <StatePill state={row.state} />
      </div>
      <div className={css.nm} role="gridcell">
        <PriorityMark priority={row.priority} />
        <AppLink className="cut" tabIndex={-1} href={paths.task(slug, row.engine, row.task_id)}>
          {name}
        </AppLink>
        <span className={`${css.id} mono`}>{idTail(row.task_id)}</span>
      </div>
      <div className={`${css.en} ${css.dim} cut`} role="gridcell">
        {printable(row.engine)}
      </div>
      <div className={css.q} role="gridcell">
        <span className="cut">{row.queue === null ? <span className="t3">–</span> : printable(row.queue)}</span>
        {row.queue === null ? null : (
          <button
            type="button"
            className={css.fn}
            tabIndex={-1}
            aria-label={`Show only queue ${printable(row.queue)}`}
            title={`Show only queue ${printable(row.queue)} (f)`}
            onClick={() => actions.onFilter({ queue: row.queue ?? "" })}
          >
            <Icon name="funnel" />
          </button>
        )}
      </div>
      <div className={`${css.wk} t2 cut`} role="gridcell">
        {row.worker_name ? printable(row.worker_name) : <span className={css.dim}>none yet</span>}
      </div>
      <LifeCells row={row} scaleMs={props.scaleMs} />
      <div className={`${css.t} num t2`} role="gridcell">
        {tryText(row)}
      </div>
      <div className={`${css.a} num t2`} role="gridcell">
        <Age at={row.received_at} />
      </div>
    </div>
  );
});

function LifeCells({ row, scaleMs }: { row: ListRow; scaleMs: number }) {
  const isMoving = row.state === "pending" || row.state === "received" || row.state === "started";
  // Two components, so that only rows whose time still grows listen to the ticker.
  return isMoving ? <MovingLife row={row} scaleMs={scaleMs} /> : <StillLife row={row} scaleMs={scaleMs} />;
}

function MovingLife({ row, scaleMs }: { row: ListRow; scaleMs: number }) {
  return <LifeView row={row} life={lifeOf(row, useNow())} scaleMs={scaleMs} />;
}

function StillLife({ row, scaleMs }: { row: ListRow; scaleMs: number }) {
  return <LifeView row={row} life={lifeOf(row, 0)} scaleMs={scaleMs} />;
}

function LifeView({ row, life, scaleMs }: { row: ListRow; life: Life; scaleMs: number }) {
  const bar = barOf(life, scaleMs);
  const hasRun = life.runMs > 0 || row.started_at !== null;
  const wait = duration(life.waitMs);
  const run = life.isLost ? "lost" : hasRun ? duration(life.runMs) : "–";
  const tip = Math.min(99.4, bar.wait + bar.run);
  return (
    <>
      <div className={css.lf} role="gridcell">
        <svg
          className={css.life}
          width="100%"
          height="12"
          role="img"
          aria-label={`waited ${wait}, ran ${run === "–" ? "not yet" : run}`}
        >
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
          {life.isWaiting || life.isRunning ? (
            <rect className={css.tip} x={`${tip}%`} y="0" width="2" height="12" />
          ) : null}
        </svg>
      </div>
      <div className={`${css.wt} num ${life.isWaiting ? css.now : "t2"}`} role="gridcell">
        {wait}
      </div>
      <div
        className={`${css.rn} num ${life.isRunning ? css.now : hasRun && !life.isLost ? "t1" : css.dim}`}
        role="gridcell"
      >
        {run}
      </div>
    </>
  );
}
