import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual";
import {
  type DOMAttributes,
  type FocusEvent,
  Fragment,
  type ReactNode,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import panel from "../panels/panel.module.css";
import { ScrollBox } from "../panels/ScrollBox.tsx";
import { HeadCells, RowCells } from "./columns.tsx";
import { type DataTableProps, tableClass } from "./DataTable.tsx";

/** Lists up to this length are fully in the document, so that the browser's search finds all rows. */
const wholeRows = 30;
const overscanRows = 4;

interface WindowTableProps<Row> extends DataTableProps<Row> {
  label: string;
  /** Whether more rows exist than were loaded. */
  isOpenEnded?: boolean;
  /** The estimated row height until the first rows are measured. */
  rowPx: number;
  /** Handlers of the table element. */
  on?: DOMAttributes<HTMLTableElement>;
  /** Below the table, inside the scrolling region. */
  children?: ReactNode;
}

/**
 * A virtualised table: once it is long, only the rows near the viewport are in the document. It scrolls with the page. The focused row and
 * its neighbours stay, so that Tab moves from row to row.
 */
export function WindowTable<Row>(props: WindowTableProps<Row>) {
  const { columns, rows, rowKey, rowProps, rowPx, isOpenEnded = false } = props;
  const keyAt = (index: number) => (rows[index] === undefined ? null : rowKey(rows[index]));
  const body = useRef<HTMLTableSectionElement>(null);
  const [startPx, setStartPx] = useState(0);
  /** The assumed height of rows not rendered yet, from the first ones, so that content below does not move. */
  const [usualPx, setUsualPx] = useState<number | null>(null);
  const [focusedKey, setFocusedKey] = useState<string | null>(null);
  const isWindowed = rows.length > wholeRows;
  const focusedAt = focusedKey === null || !isWindowed ? -1 : rows.findIndex((row) => rowKey(row) === focusedKey);

  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => body.current?.closest("main") ?? null,
    estimateSize: () => usualPx ?? rowPx,
    getItemKey: (index) => keyAt(index) ?? index,
    overscan: overscanRows,
    scrollMargin: startPx,
    rangeExtractor: (range) => (isWindowed ? withNeighbours(range, focusedAt) : everyRow(range)),
  });
  useLayoutEffect(() => {
    const scroller = body.current?.closest("main");
    if (!body.current || !scroller) return;
    const { top } = body.current.getBoundingClientRect();
    setStartPx(Math.round(top - scroller.getBoundingClientRect().top + scroller.scrollTop));
    if (usualPx === null && isWindowed) setUsualPx(usualHeight(body.current));
  });

  const focused = (event: FocusEvent) => {
    const at = event.target.closest<HTMLElement>("tr[data-index]")?.dataset.index;
    setFocusedKey(at === undefined ? null : keyAt(Number(at)));
  };
  const blurred = (event: FocusEvent) => {
    if (!event.currentTarget.contains(event.relatedTarget)) setFocusedKey(null);
  };

  let reachedPx = startPx;
  const filler = (untilPx: number) => (untilPx - reachedPx > 0.5 ? <Filler heightPx={untilPx - reachedPx} /> : null);
  const shown = virtual.getVirtualItems().map(({ index, start, end }) => {
    const row = rows[index];
    if (row === undefined) return null;
    const before = filler(start);
    reachedPx = end;
    return (
      <Fragment key={rowKey(row)}>
        {before}
        <tr ref={virtual.measureElement} data-index={index} aria-rowindex={index + 2} {...rowProps?.(row)}>
          <RowCells columns={columns} row={row} />
        </tr>
      </Fragment>
    );
  });
  return (
    <ScrollBox label={props.label}>
      <table
        className={tableClass(props)}
        data-windowed={isWindowed}
        aria-rowcount={isOpenEnded ? -1 : rows.length + 1}
        {...props.on}
      >
        <thead>
          <tr aria-rowindex={1}>
            <HeadCells columns={columns} />
          </tr>
        </thead>
        <tbody ref={body} onFocus={focused} onBlur={blurred}>
          {shown}
          {filler(startPx + virtual.getTotalSize())}
        </tbody>
      </table>
      {props.children}
    </ScrollBox>
  );
}

/** Takes the space of rows that are not in the document. A single cell, so that hidden columns don't reappear on phones. */
function Filler({ heightPx }: { heightPx: number }) {
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus
    <tr aria-hidden="true" className={panel.filler} style={{ height: `${heightPx}px` }}>
      <td />
    </tr>
  );
}

/** The median height of the rows in the document; null without any. */
function usualHeight(body: HTMLTableSectionElement): number | null {
  const rows = [...body.querySelectorAll("tr[data-index]")];
  const heights = rows.map((row) => row.getBoundingClientRect().height).sort((a, b) => a - b);
  return heights[heights.length >> 1] || null;
}

const everyRow = ({ count }: Range): number[] => Array.from({ length: count }, (_, at) => at);

function withNeighbours(range: Range, focusedAt: number): number[] {
  const shown = defaultRangeExtractor(range);
  if (focusedAt < 0) return shown;
  const kept = [focusedAt - 1, focusedAt, focusedAt + 1].filter((at) => at >= 0 && at < range.count);
  return [...new Set([...shown, ...kept])].sort((a, b) => a - b);
}
