import type { CSSProperties, ReactNode } from "react";
import panel from "../panels/panel.module.css";

/** A column of a table: its header and its cells. */
export interface Column<Row> {
  /** The header's text; unique in the table. */
  header: string;
  /** Shown in the header instead of the text. */
  head?: ReactNode;
  /** Whether the header is for screen readers only. */
  isHeaderHidden?: boolean;
  /** For header and cells. */
  className?: string | undefined;
  /** For cells only, in addition to `className`. */
  cellClass?: string | undefined | ((row: Row) => string | undefined);
  /** The fixed width in virtualised lists. Columns without one share the rest. */
  width?: string;
  /** The width on phones, if different. */
  phoneWidth?: string;
  /** Whether the cells are row headers. */
  isRowHeader?: boolean;
  /** The cell's tooltip. */
  title?: (row: Row) => string | undefined;
  cell: (row: Row) => ReactNode;
  /** A second, smaller line of the cell; null leaves it out. */
  small?: (row: Row) => ReactNode;
}

export function HeadCells<Row>({ columns }: { columns: readonly Column<Row>[] }) {
  return columns.map(({ header, head, isHeaderHidden, className, width, phoneWidth = width }) => (
    <th
      key={header}
      className={className}
      style={width ? ({ "--width": width, "--phone-width": phoneWidth } as CSSProperties) : undefined}
    >
      {head ?? (isHeaderHidden ? <span className="vh">{header}</span> : header)}
    </th>
  ));
}

export function RowCells<Row>({ columns, row }: { columns: readonly Column<Row>[]; row: Row }) {
  return columns.map(({ header, className, cellClass, isRowHeader, title, cell, small }) => {
    const own = typeof cellClass === "function" ? cellClass(row) : cellClass;
    const Cell = isRowHeader ? "th" : "td";
    const below = small?.(row) ?? null;
    return (
      <Cell
        key={header}
        scope={isRowHeader ? "row" : undefined}
        className={[className, small && panel.two, own].filter(Boolean).join(" ") || undefined}
        title={title?.(row)}
      >
        {cell(row)}
        {below === null ? null : <small>{below}</small>}
      </Cell>
    );
  });
}
