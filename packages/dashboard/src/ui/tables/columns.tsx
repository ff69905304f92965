import type { CSSProperties, ReactNode } from "react";
import panel from "../panels/panel.module.css";

/** One column of a table as data: its head cell, and what it shows of each row. */
export interface Column<Row> {
  /** Text of the head cell, which no other column of the table has. */
  header: string;
  /** What the head cell shows instead of its text. */
  head?: ReactNode;
  /** The header is read out, but not visible. */
  isHeaderHidden?: boolean;
  /** Of the head cell and of the cells. */
  className?: string | undefined;
  /** Of the cells only, in addition to `className`. */
  cellClass?: string | undefined | ((row: Row) => string | undefined);
  /** In a long list, whose columns keep their widths whichever rows are shown. The columns without a width share the rest. */
  width?: string;
  /** The same on a phone, where it differs. */
  phoneWidth?: string;
  /** The cells are the headers of their rows. */
  isRowHeader?: boolean;
  /** Tooltip of the cell. */
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
