import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import {
  type CSSProperties,
  type KeyboardEvent,
  lazy,
  type ReactNode,
  Suspense,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
} from "react";
import { paths } from "../../../address/paths.ts";
import { type Density, rowHeights, useDensity, useIsPhone } from "../../../ui/appearance.ts";
import { GapBand } from "../../../ui/gap-band/GapBand.tsx";
import type { LossGap } from "../../../ui/gap-band/gaps.ts";
import { Icon } from "../../../ui/Icon.tsx";
import { count, duration } from "../../../ui/time/format.ts";
import { entriesOf } from "../following/entries.ts";
import { type TaskList, useOlderPages } from "../following/use-task-list.ts";
import css from "../grid.module.css";
import { lifeOf, scaleOf, steadyScale } from "../life.ts";
import { tracksOf } from "../views/columns.ts";
import type { ColumnChoice } from "../views/use-columns.ts";
import { HeadRow } from "./HeadRow.tsx";
import { type RowActions, TaskRow } from "./TaskRow.tsx";

/** Id of the bar above the list while rows are selected. */
export const dockId = "task-dock";
const InputLine = lazy(() => import("../filters/InputLine.tsx").then((module) => ({ default: module.InputLine })));
/** Fixed height of an opened row's input. Longer input scrolls inside, so that the rows below keep their positions. */
const inputRem = 11;
const headPx = 28;
const phoneRowHeights: Readonly<Record<Density, number>> = { compact: 48, default: 56, comfortable: 64 };
const gapPx = 24;
const phoneGapPx = 44;
/** Number of rows that determine the scale of the bars. */
const scaleSample = 400;

interface TaskGridProps {
  slug: string;
  list: TaskList;
  total: number | null;
  columns: ColumnChoice;
  currentId: string | null;
  selected: ReadonlySet<string>;
  /** Ids of the rows whose input is shown. */
  opened: ReadonlySet<string>;
  /** Where events were lost. */
  gaps: readonly LossGap[];
  onSelectAll: (isSelected: boolean) => void;
  onMove: (step: number) => void;
  actions: RowActions;
  /** Content after the last loaded row. */
  end: ReactNode;
  /** The scroll offset to restore when the user comes back; null otherwise. */
  leftTop: number | null;
  onScroll: (top: number) => void;
  /** The selection bar is shown above the list; the rows keep their position on the screen. */
  isDocked: boolean;
}

export function TaskGrid(props: TaskGridProps) {
  const { slug, list, total, currentId, selected, opened, actions } = props;
  const { rows, setVisible, timesShown } = list;
  const scroller = useRef<HTMLDivElement>(null);
  const isPhone = useIsPhone();
  const density = useDensity();
  const { layout } = props.columns;
  const columns = layout.shown;
  const tracks = useMemo(() => tracksOf(layout), [layout]);
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
  const rowPx = (isPhone ? phoneRowHeights : rowHeights)[density] * rem;
  const { gaps } = props;
  const hasOlder = list.query.hasNextPage;
  const entries = useMemo(() => entriesOf({ rows, opened, gaps, hasOlder }), [rows, opened, gaps, hasOlder]);
  const currentAt = useMemo(
    () => (currentId === null ? -1 : entries.findIndex((entry) => entry.key === currentId)),
    [entries, currentId],
  );

  const virtual = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => {
      const kind = entries[index]?.kind;
      if (kind === "input") return inputRem * 16 * rem;
      return kind === "gap" ? (isPhone ? phoneGapPx : gapPx) * rem : rowPx;
    },
    getItemKey: (index) => entries[index]?.key ?? index,
    overscan: 4,
    scrollPaddingEnd: headPx * rem,
    initialOffset: props.leftTop ?? 0,
    // The current row stays in the document at any scroll position, so that it never loses focus.
    rangeExtractor: (range) => {
      const shown = defaultRangeExtractor(range);
      if (currentAt < 0 || shown.includes(currentAt)) return shown;
      return [...shown, currentAt].sort((a, b) => a - b);
    },
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured again when a height changes
  useLayoutEffect(() => virtual.measure(), [rowPx, entries.length - rows.length]);

  const agentHref = (agentId: string | null) => (agentId === null ? paths.agents(slug) : paths.agent(slug, agentId));
  const items = virtual.getVirtualItems();
  const lastShown = virtual.range?.endIndex ?? 0;
  const firstShown = virtual.range?.startIndex ?? 0;
  useEffect(() => setVisible(firstShown, lastShown), [setVisible, firstShown, lastShown]);
  useOlderPages(list, lastShown);
  const shownRow = items.find(({ index }) => index >= firstShown && entries[index]?.kind === "row");
  const tabStopAt = currentAt < 0 ? shownRow?.index : currentAt;

  // Pending rows are inserted at the top, so the list scrolls there.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs each time they are shown
  useEffect(() => {
    if (timesShown > 0) virtual.scrollToOffset(0);
  }, [timesShown]);
  useSteadyRows(scroller, props.isDocked, virtual.getTotalSize() + headPx * rem);

  // Keyboard navigation scrolls the row into view, and moves focus to it if focus was in the list.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new current row scrolls, not every patch
  useEffect(() => {
    if (currentAt < 0) return;
    const focused = document.activeElement;
    const isInside = scroller.current?.contains(focused) === true;
    if (isInside || props.leftTop === null) virtual.scrollToIndex(currentAt, { align: "auto" });
    if (!isInside && (props.leftTop === null || focused !== document.body)) return;
    const column = focused?.closest<HTMLElement>("[data-col]")?.dataset.col;
    const frame = requestAnimationFrame(() => {
      const row = document.getElementById(`task-${currentId}`);
      // Another key press may already have moved focus within the row.
      if (row?.contains(document.activeElement)) return;
      const cell = column ? row?.querySelector<HTMLElement>(`[data-col="${column}"]`) : null;
      (cell ?? row)?.focus({ preventScroll: true });
    });
    return () => cancelAnimationFrame(frame);
  }, [currentId]);

  const scaleMs = useMemo(
    () => steadyScale(scaleOf(rows.slice(0, scaleSample).map((row) => lifeOf(row, Date.parse(row.updated_at))))),
    [rows],
  );

  const pressed = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (step !== undefined) props.onMove(step);
    else if (!moveAcross(event)) return;
    event.preventDefault();
  };

  return (
    <div
      ref={scroller}
      className={css.grid}
      role="grid"
      aria-label="Tasks, newest first"
      aria-rowcount={total === null ? -1 : total + 1 + entries.length - rows.length}
      aria-colcount={columns.length + 1}
      aria-multiselectable="true"
      onKeyDown={pressed}
      onScroll={(event) => props.onScroll(event.currentTarget.scrollTop)}
      style={isPhone ? undefined : ({ "--cols": tracks.columns, "--least": tracks.leastWidth } as CSSProperties)}
    >
      <div className={props.isDocked ? `${css.sheet} ${css.docked}` : css.sheet}>
        <div className={css.ghead} role="rowgroup">
          <HeadRow
            choice={props.columns}
            columns={columns}
            rowCount={rows.length}
            selectedCount={selected.size}
            onSelectAll={props.onSelectAll}
            afterLabel={{
              name: <Fresh list={list} />,
              lifecycle: (
                <span className={css.upTo} title="Scale of the bars: 95 % of these rows fit">
                  (scale {duration(scaleMs).replace(".0", "")})
                </span>
              ),
            }}
          />
        </div>
        <div className={css.body} role="rowgroup" style={{ height: `${virtual.getTotalSize()}px` }}>
          {items.map((item) => {
            const entry = entries[item.index];
            if (!entry) return null;
            const line = item.index + 2;
            if (entry.kind === "gap") {
              const grid = { columns: columns.length + 1, rowIndex: line, top: item.start };
              return <GapBand key={item.key} group={entry.group} agentHref={agentHref} grid={grid} />;
            }
            if (entry.kind === "input") {
              return (
                <div
                  key={item.key}
                  className={css.input}
                  role="row"
                  aria-rowindex={line}
                  style={{ transform: `translateY(${item.start}px)`, height: `${inputRem}rem` }}
                >
                  <div role="gridcell" aria-colspan={columns.length + 1}>
                    <Suspense fallback={null}>
                      <InputLine slug={slug} row={entry.row} />
                    </Suspense>
                  </div>
                </div>
              );
            }
            const { row } = entry;
            return (
              <TaskRow
                key={item.key}
                slug={slug}
                row={row}
                columns={columns}
                line={line}
                top={item.start}
                scaleMs={scaleMs}
                isCurrent={row.id === currentId}
                isTabStop={item.index === tabStopAt}
                isSelected={selected.has(row.id)}
                isNew={list.justInserted.has(row.id)}
                isStray={list.isStray(row)}
                actions={actions}
              />
            );
          })}
        </div>
        {props.end}
      </div>
    </div>
  );
}

const steps: Readonly<Record<string, number | undefined>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 15,
  PageUp: -15,
  Home: -1e9,
  End: 1e9,
};

/** Right and Left move focus between the cells of the current row, so that `f` filters by the focused one. */
function moveAcross({ key, target }: KeyboardEvent): boolean {
  if (key !== "ArrowRight" && key !== "ArrowLeft") return false;
  const row = (target as Element).closest<HTMLElement>("[role=row][id]");
  if (!row || (target as Element).closest("input, button")) return false;
  const cells = [...row.querySelectorAll<HTMLElement>("[data-col]")];
  const at = cells.findIndex((cell) => cell.contains(target as Element));
  const next = at + (key === "ArrowRight" ? 1 : -1);
  (next < 0 ? row : cells[Math.min(next, cells.length - 1)])?.focus();
  return true;
}

/**
 * The selection bar takes space from the list, so the list scrolls by the bar's height and no row moves under the pointer.
 * If all rows fit on the screen they move down instead, as the first would scroll out of sight.
 */
function useSteadyRows(scroller: { current: HTMLDivElement | null }, isDocked: boolean, contentPx: number): void {
  // The offset before the bar appeared or disappeared; the browser may have clamped it since.
  const scrolled = useRef(0);
  useEffect(() => {
    const element = scroller.current;
    const remember = () => {
      scrolled.current = element?.scrollTop ?? 0;
    };
    remember();
    element?.addEventListener("scroll", remember, { passive: true });
    return () => element?.removeEventListener("scroll", remember);
  }, [scroller]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows added while the bar is shown change nothing
  useLayoutEffect(() => {
    const element = scroller.current;
    const heightPx = document.getElementById(dockId)?.offsetHeight ?? 0;
    if (!isDocked || !element || contentPx <= element.clientHeight + heightPx) return;
    const scrollBy = (px: number) => {
      scrolled.current = Math.max(0, scrolled.current + px);
      element.scrollTop = scrolled.current;
    };
    scrollBy(heightPx);
    return () => scrollBy(-heightPx);
  }, [scroller, isDocked]);
}

function Fresh({ list }: { list: TaskList }) {
  if (list.pendingCount === 0) return null;
  const text = `${count(list.pendingCount)}${list.hasMorePending ? "+" : ""} new`;
  return (
    <button type="button" className={css.fresh} title="Show new rows (n)" onClick={list.showPending}>
      <Icon name="up" />
      {text}
    </button>
  );
}
