import { type FocusEvent, type MouseEvent, memo, type PointerEvent, useRef, useState } from "react";
import { isPlainClick } from "../../../ui/buttons/AppLink.tsx";
import controls from "../../../ui/controls.module.css";
import { Icon } from "../../../ui/Icon.tsx";
import { idTail, nameText, printable } from "../../../ui/time/format.ts";
import { useZone } from "../../../ui/time/instants.ts";
import type { ListRow } from "../../task-data/index.ts";
import { cellFilter } from "../filters/cell-filter.ts";
import css from "../grid.module.css";
import { type ColumnId, columnFacts } from "../views/columns.ts";
import { stampLines, TaskCell, textOfCell } from "./TaskCell.tsx";

export interface RowActions {
  onOpen: (row: ListRow) => void;
  onSelect: (row: ListRow, isRange: boolean) => void;
  /** Filters by one cell; with Alt, searches its text. */
  onFilter: (row: ListRow, column: ColumnId, isText: boolean) => void;
  /** Opens the row's menu below the anchor. */
  onMenu: (row: ListRow, anchor: HTMLElement) => void;
  onCurrent: (row: ListRow, column: ColumnId | null) => void;
}

interface TaskRowProps {
  slug: string;
  row: ListRow;
  columns: readonly ColumnId[];
  /** Its row index in the grid; the header is 1. */
  line: number;
  top: number;
  scaleMs: number;
  isCurrent: boolean;
  isTabStop: boolean;
  isSelected: boolean;
  isNew: boolean;
  /** The row matched the filters when it was listed, and no longer does. */
  isStray: boolean;
  /** The same object for the lifetime of the grid, so that rows render only when they change. */
  actions: RowActions;
}

/** Duration of a long press, which selects the row. */
const longPressMs = 500;
const driftPx = 10;

export const TaskRow = memo(function TaskRow(props: TaskRowProps) {
  const { slug, row, columns, top, isCurrent, isTabStop, isSelected, isNew, isStray, actions } = props;
  const [under, setUnder] = useState<ColumnId | null>(null);
  const [isPointed, setPointed] = useState(false);
  const [focused, setFocused] = useState<ColumnId | null>(null);
  const press = usePress(() => actions.onSelect(row, false));
  const name = nameText(row.name);
  const classes = [css.row, isSelected && css.sel, isCurrent && css.cur, isNew && css.in];
  const open = (event: MouseEvent) => {
    if (press.wasLong()) return event.preventDefault();
    if (!isPlainClick(event)) return;
    if ((event.target as Element).closest("button, input, label")) return;
    event.preventDefault();
    // A click that ends a text selection does not open the task.
    if (!getSelection()?.isCollapsed) return;
    actions.onOpen(row);
  };

  return (
    <div
      className={classes.filter(Boolean).join(" ")}
      role="row"
      id={`task-${row.id}`}
      aria-rowindex={props.line}
      aria-selected={isSelected}
      aria-label={`${name} ${row.state}${isStray ? ", no longer matches the filters" : ""}`}
      tabIndex={isTabStop ? 0 : -1}
      style={{ transform: `translateY(${top}px)` }}
      onClick={open}
      onFocus={(event) => {
        setFocused(columnOf(event));
        actions.onCurrent(row, columnOf(event));
      }}
      onBlur={() => setFocused(null)}
      onPointerOver={(event) => {
        setUnder(event.pointerType === "mouse" ? columnOf(event) : null);
        setPointed(event.pointerType === "mouse");
      }}
      onPointerLeave={() => {
        setUnder(null);
        setPointed(false);
      }}
      {...press.handlers}
    >
      <div className={css.x} role="gridcell">
        <label className={controls.tick}>
          <input
            type="checkbox"
            tabIndex={-1}
            checked={isSelected}
            aria-label={`Select ${name} ${idTail(row.task_id)}`}
            onChange={(event) =>
              actions.onSelect(row, (event.nativeEvent as globalThis.PointerEvent).shiftKey === true)
            }
          />
        </label>
        {isCurrent || isPointed ? (
          <button
            type="button"
            className={css.dots}
            tabIndex={-1}
            aria-label={`Actions for ${name} ${idTail(row.task_id)}`}
            title="Actions (m)"
            onClick={(event) => actions.onMenu(row, event.currentTarget)}
          >
            <Icon name="more" />
          </button>
        ) : null}
      </div>
      {columns.map((column) => {
        const filter = under === column ? cellFilter(column, row, {}) : null;
        return (
          <div
            key={column}
            className={cellClass(column)}
            role="gridcell"
            data-col={column}
            tabIndex={-1}
            title={textOfCell(column, row) || undefined}
          >
            <TaskCell slug={slug} column={column} row={row} scaleMs={props.scaleMs} />
            {column === "age" && focused === "age" ? <Stamps row={row} /> : null}
            {isStray && column === "name" ? (
              <span className={css.stray} title="It matched when it was listed and stays until the list is reloaded.">
                no longer matches
              </span>
            ) : null}
            {filter ? (
              <button
                type="button"
                className={css.fn}
                tabIndex={-1}
                aria-label={printable(filter.label)}
                title={`${printable(filter.label)} (f). Alt: search its text`}
                onClick={(event) => actions.onFilter(row, column, event.altKey)}
              >
                <Icon name="funnel" />
              </button>
            ) : null}
          </div>
        );
      })}
    </div>
  );
});

/** The exact times, for keyboard users, who get no tooltip. */
function Stamps({ row }: { row: ListRow }) {
  const { zone } = useZone();
  return (
    <span className={css.stamps}>
      {stampLines(row, zone).map((line) => (
        <span key={line}>{line}</span>
      ))}
    </span>
  );
}

function cellClass(column: ColumnId): string {
  const { isText, isFigure } = columnFacts[column];
  return [css.cell, isText && css.text, isFigure && "num", css[column]].filter(Boolean).join(" ");
}

function columnOf(event: FocusEvent | PointerEvent): ColumnId | null {
  const cell = (event.target as Element).closest<HTMLElement>("[data-col]");
  return (cell?.dataset.col as ColumnId | undefined) ?? null;
}

/** Selects a row by long press, as phone rows have no checkbox. */
function usePress(onLong: () => void) {
  const state = useRef({ timer: 0, x: 0, y: 0, wasLong: false });
  const stop = () => clearTimeout(state.current.timer);
  return {
    /** Whether the current click ends a long press. */
    wasLong() {
      const { wasLong } = state.current;
      state.current.wasLong = false;
      return wasLong;
    },
    handlers: {
      onPointerDown(event: PointerEvent) {
        if (event.pointerType === "mouse") return;
        state.current = { timer: 0, x: event.clientX, y: event.clientY, wasLong: false };
        state.current.timer = window.setTimeout(() => {
          state.current.wasLong = true;
          onLong();
        }, longPressMs);
      },
      onPointerMove(event: PointerEvent) {
        const { x, y } = state.current;
        if (Math.hypot(event.clientX - x, event.clientY - y) > driftPx) stop();
      },
      onPointerUp: stop,
      onPointerCancel: stop,
      onContextMenu(event: MouseEvent) {
        // A long press would otherwise open the browser's menu for the link.
        if (state.current.wasLong) event.preventDefault();
      },
    },
  };
}
