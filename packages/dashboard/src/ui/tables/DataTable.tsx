import type { ComponentProps } from "react";
import panel from "../panels/panel.module.css";
import { ScrollBox } from "../panels/ScrollBox.tsx";
import { type Column, HeadCells, RowCells } from "./columns.tsx";

export interface DataTableProps<Row> {
  /** Names the horizontally scrolling region. A table without a label does not scroll. */
  label?: string;
  /** `wide` spans the full page width, `dense` has low rows. */
  size?: "wide" | "dense";
  className?: string | undefined;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  rowProps?: (row: Row) => ComponentProps<"tr">;
}

/** A table with all rows in the document. Long lists use `WindowTable`. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowKey, rowProps } = props;
  const table = (
    <table className={tableClass(props)}>
      <thead>
        <tr>
          <HeadCells columns={columns} />
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={rowKey(row)} {...rowProps?.(row)}>
            <RowCells columns={columns} row={row} />
          </tr>
        ))}
      </tbody>
    </table>
  );
  return label === undefined ? table : <ScrollBox label={label}>{table}</ScrollBox>;
}

export function tableClass({ size, className }: { size?: "wide" | "dense"; className?: string | undefined }): string {
  return [panel.tbl, size && panel[size], className].filter(Boolean).join(" ");
}
