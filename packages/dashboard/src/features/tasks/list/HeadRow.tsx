import { type PointerEvent, type ReactNode, useRef } from "react";
import controls from "../../../ui/controls.module.css";
import css from "../grid.module.css";
import { type ColumnId, type ColumnLayout, columnFacts, moved, resized, widthOf } from "../views/columns.ts";
import type { ColumnChoice } from "../views/use-columns.ts";

interface HeadRowProps {
  choice: ColumnChoice;
  columns: readonly ColumnId[];
  rowCount: number;
  selectedCount: number;
  onSelectAll: (isSelected: boolean) => void;
  /** Content after the label of a column. */
  afterLabel: Partial<Record<ColumnId, ReactNode>>;
}

/** The list's header: dragging a label moves a column, dragging its edge resizes it. */
export function HeadRow({ choice, columns, rowCount, selectedCount, onSelectAll, afterLabel }: HeadRowProps) {
  const dragged = useRef<ColumnId | null>(null);
  const { layout, change } = choice;
  return (
    <div className={css.hrow} role="row" aria-rowindex={1}>
      <div className={css.x} role="columnheader">
        <label className={controls.tick}>
          <input
            type="checkbox"
            aria-label={
              selectedCount === 0 ? "Select all loaded rows" : `Select all loaded rows, ${selectedCount} selected`
            }
            checked={selectedCount > 0 && selectedCount >= rowCount}
            ref={(box) => {
              if (box) box.indeterminate = selectedCount > 0 && selectedCount < rowCount;
            }}
            onChange={(event) => onSelectAll(event.currentTarget.checked)}
          />
        </label>
      </div>
      {columns.map((id) => (
        <div
          key={id}
          role="columnheader"
          className={`${css.cell} ${css.head} ${css[id] ?? ""}${columnFacts[id].isFigure ? " num" : ""}`}
          draggable
          onDragStart={(event) => {
            dragged.current = id;
            event.dataTransfer.effectAllowed = "move";
          }}
          onDragOver={(event) => {
            if (dragged.current !== null && dragged.current !== id) event.preventDefault();
          }}
          onDrop={(event) => {
            event.preventDefault();
            if (dragged.current) change(moved(layout, dragged.current, layout.shown.indexOf(id)));
          }}
          onDragEnd={() => {
            dragged.current = null;
          }}
        >
          <span className="cut">{columnFacts[id].label}</span>
          {afterLabel[id]}
          <Edge layout={layout} id={id} onResize={change} />
        </div>
      ))}
    </div>
  );
}

interface EdgeProps {
  layout: ColumnLayout;
  id: ColumnId;
  onResize: (layout: ColumnLayout) => void;
}

/** Resizes with the pointer; the columns menu does the same by keyboard. */
function Edge({ layout, id, onResize }: EdgeProps) {
  const start = useRef<{ x: number; widthRem: number } | null>(null);
  const rem = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  return (
    <span
      className={css.edge}
      aria-hidden="true"
      title={`Drag to resize ${columnFacts[id].label}; double-click to reset`}
      draggable
      onDragStart={(event) => {
        event.preventDefault();
        event.stopPropagation();
      }}
      onPointerDown={(event: PointerEvent<HTMLSpanElement>) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        const box = event.currentTarget.parentElement?.getBoundingClientRect();
        start.current = { x: event.clientX, widthRem: box ? box.width / rem() : widthOf(layout, id) };
      }}
      onPointerMove={(event) => {
        if (!start.current) return;
        onResize(resized(layout, id, start.current.widthRem + (event.clientX - start.current.x) / rem()));
      }}
      onPointerUp={() => {
        start.current = null;
      }}
      onDoubleClick={() => {
        const { [id]: _, ...widthsRem } = layout.widthsRem;
        onResize({ ...layout, widthsRem });
      }}
    />
  );
}
