import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef } from "react";
import { rowHeights, useDensity, useIsPhone } from "../../ui/appearance.ts";
import controls from "../../ui/controls.module.css";
import { count, duration } from "../../ui/format.ts";
import { Icon } from "../../ui/Icon.tsx";
import css from "./grid.module.css";
import { lifeOf, scaleOf, steadyScale } from "./life.ts";
import { type RowActions, TaskRow } from "./TaskRow.tsx";
import { type TaskList, useOlderPages } from "./use-task-list.ts";

const headPx = 28;
const phoneRowPx = 56;
/** Rows the scale of the bars is taken from: enough to be fair, few enough to be free. */
const scaleSample = 400;

interface TaskGridProps {
  slug: string;
  list: TaskList;
  total: number | null;
  currentId: string | null;
  ticked: ReadonlySet<string>;
  onTickAll: (isTicked: boolean) => void;
  onMove: (step: number) => void;
  actions: RowActions;
  /** What stands after the last loaded row. */
  end: ReactNode;
  onScrolledToTop: (isTop: boolean) => void;
}

export function TaskGrid(props: TaskGridProps) {
  const { slug, list, total, currentId, ticked, actions } = props;
  const { rows, look, timesShown } = list;
  const scroller = useRef<HTMLDivElement>(null);
  const isPhone = useIsPhone();
  const density = useDensity();
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
  const rowPx = (isPhone ? phoneRowPx : rowHeights[density]) * rem;
  const currentIndex = useMemo(
    () => (currentId === null ? -1 : rows.findIndex((row) => row.id === currentId)),
    [rows, currentId],
  );

  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 5,
    scrollPaddingEnd: headPx * rem,
    // The current row stays in the document wherever the list is scrolled, so that focus is never lost with it.
    rangeExtractor: (range) => {
      const shown = defaultRangeExtractor(range);
      if (currentIndex < 0 || shown.includes(currentIndex)) return shown;
      return [...shown, currentIndex].sort((a, b) => a - b);
    },
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured again when the height changes
  useEffect(() => virtual.measure(), [rowPx]);

  const items = virtual.getVirtualItems();
  const lastShown = virtual.range?.endIndex ?? 0;
  const firstShown = virtual.range?.startIndex ?? 0;
  useEffect(() => look(firstShown, lastShown), [look, firstShown, lastShown]);
  useOlderPages(list, lastShown);

  // Rows that were asked for come on top, so that is where the list goes.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per time they are shown
  useEffect(() => {
    if (timesShown > 0) virtual.scrollToOffset(0);
  }, [timesShown]);

  // Moving with the keys brings the row into view and takes the focus along, if the focus was in the list.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new current row scrolls, not every patch
  useEffect(() => {
    if (currentIndex < 0) return;
    virtual.scrollToIndex(currentIndex, { align: "auto" });
    if (!scroller.current?.contains(document.activeElement)) return;
    const frame = requestAnimationFrame(() => {
      document.getElementById(`task-${currentId}`)?.focus({ preventScroll: true });
    });
    return () => cancelAnimationFrame(frame);
  }, [currentId]);

  const scaleMs = useMemo(
    () => steadyScale(scaleOf(rows.slice(0, scaleSample).map((row) => lifeOf(row, Date.parse(row.updated_at))))),
    [rows],
  );

  const pressed = (event: KeyboardEvent) => {
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: 15,
      PageUp: -15,
      Home: -1e9,
      End: 1e9,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    props.onMove(step);
  };

  return (
    <div
      ref={scroller}
      className={css.grid}
      role="grid"
      aria-label="Tasks, newest first"
      aria-rowcount={total === null ? -1 : total + 1}
      aria-colcount={11}
      aria-multiselectable="true"
      onKeyDown={pressed}
      onScroll={(event) => props.onScrolledToTop(event.currentTarget.scrollTop < 4)}
    >
      <div className={css.ghead} role="rowgroup">
        <div className={css.hrow} role="row" aria-rowindex={1}>
          <div className={css.x} role="columnheader">
            <label className={controls.tick}>
              <input
                type="checkbox"
                aria-label={
                  ticked.size === 0 ? "Select all loaded rows" : `Select all loaded rows, ${ticked.size} are selected`
                }
                checked={ticked.size > 0 && ticked.size === rows.length}
                ref={(box) => {
                  if (box) box.indeterminate = ticked.size > 0 && ticked.size < rows.length;
                }}
                onChange={(event) => props.onTickAll(event.currentTarget.checked)}
              />
            </label>
          </div>
          <div role="columnheader">State</div>
          <div className={css.nm} role="columnheader">
            <span>Task, id tail</span>
            {list.freshCount > 0 ? (
              <button
                type="button"
                className={css.fresh}
                title={`Show ${freshText(list)} rows (n)`}
                onClick={list.showFresh}
              >
                <Icon name="up" />
                {freshText(list)}
              </button>
            ) : null}
          </div>
          <div className={css.en} role="columnheader">
            Engine
          </div>
          <div role="columnheader">Queue</div>
          <div className={css.wk} role="columnheader">
            Worker
          </div>
          <div className={css.lf} role="columnheader">
            <span className="grow">Wait, run</span>
            <span title="What 95 of 100 of these rows stay within">to {duration(scaleMs).replace(".0", "")}</span>
          </div>
          <div className="num" role="columnheader">
            Wait
          </div>
          <div className="num" role="columnheader">
            Run
          </div>
          <div className={`${css.t} num`} role="columnheader">
            Try
          </div>
          <div className="num" role="columnheader">
            Age
          </div>
        </div>
      </div>
      <div className={css.body} role="rowgroup" style={{ height: `${virtual.getTotalSize()}px` }}>
        {items.map((item) => {
          const row = rows[item.index];
          if (!row) return null;
          return (
            <TaskRow
              key={item.key}
              slug={slug}
              row={row}
              index={item.index}
              top={item.start}
              scaleMs={scaleMs}
              isCurrent={row.id === currentId}
              isTabStop={currentIndex < 0 ? item.index === 0 : item.index === currentIndex}
              isTicked={ticked.has(row.id)}
              isNew={list.justIn.has(row.id)}
              actions={actions}
            />
          );
        })}
      </div>
      {props.end}
    </div>
  );
}

function freshText({ freshCount, hasMore }: TaskList): string {
  return `${count(freshCount)}${hasMore ? "+" : ""} new`;
}
