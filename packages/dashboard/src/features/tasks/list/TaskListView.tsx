import type { TaskState } from "@svc/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useLocation, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useTimeRange } from "../../../address/time-range.ts";
import { useIsPhone } from "../../../ui/appearance.ts";
import { Opening } from "../../../ui/layers/Opening.tsx";
import { InlineError, NoteLine } from "../../../ui/panels/Lines.tsx";
import { QueryBoundary } from "../../../ui/panels/QueryBoundary.tsx";
import { count } from "../../../ui/time/format.ts";
import { useGaps } from "../../agents/index.ts";
import {
  activeFilters,
  filtersOf,
  isTaskAt,
  type ListRow,
  readTasksSearch,
  splitTask,
  type TasksSearch,
  taskKey,
  taskTotalQuery,
} from "../../task-data/index.ts";
import { DrawerSlot } from "../DrawerSlot.tsx";
import { cellFilter, cellText } from "../filters/cell-filter.ts";
import { FilterBar } from "../filters/FilterBar.tsx";
import { useStateCounts } from "../filters/facets.ts";
import { spokenFilters } from "../filters/filter-words.ts";
import { StateRail } from "../filters/StateRail.tsx";
import { reachedRange } from "../following/reach.ts";
import { filterTextOf, savedFilters, saveFilters, useSavedPlace } from "../following/saved-place.ts";
import { useListFreeze } from "../following/use-list-freeze.ts";
import { useTaskList } from "../following/use-task-list.ts";
import css from "../list.module.css";
import { type ColumnId, columnFacts } from "../views/columns.ts";
import { useColumns } from "../views/use-columns.ts";
import { ViewTabs } from "../views/ViewTabs.tsx";
import { ListAnnouncer } from "./ListAnnouncer.tsx";
import { FoundSoFar, ListEnd } from "./ListEnd.tsx";
import { ListTools } from "./ListTools.tsx";
import { SelectionBar } from "./SelectionBar.tsx";
import { TaskGrid } from "./TaskGrid.tsx";
import type { RowActions } from "./TaskRow.tsx";
import { useListKeys } from "./use-list-keys.ts";
import { useSelection } from "./use-selection.ts";

const TimeStrip = lazy(() => import("../filters/TimeStrip.tsx").then((part) => ({ default: part.TimeStrip })));
const RowMenu = lazy(() => import("./RowMenu.tsx").then((part) => ({ default: part.RowMenu })));
const NothingMatches = lazy(() =>
  import("../matching/NothingMatches.tsx").then((part) => ({ default: part.NothingMatches })),
);
const NotUnderstood = lazy(() =>
  import("../matching/NothingMatches.tsx").then((part) => ({ default: part.NotUnderstood })),
);
const ExportDialog = lazy(() =>
  import("../matching/ExportDialog.tsx").then((module) => ({ default: module.ExportDialog })),
);

export function TaskListView({ slug, search }: { slug: string; search: TasksSearch }) {
  const navigate = useNavigate({ from: "/p/$slug/tasks" });
  const entry = useLocation({ select: (location) => location.state.__TSR_key ?? "" });
  const filterText = filterTextOf(search);
  const { leftTop, isTop, currentId, setCurrentId, onScroll } = useSavedPlace(entry, filterText);
  const [follows, setFollows] = useState(false);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [isExporting, setExporting] = useState(false);
  const [notice, setNotice] = useState<string | null>(null);
  useTimeRange("all");
  const columns = useColumns();
  const isPhone = useIsPhone();
  const freeze = useListFreeze();

  const client = useQueryClient();
  const active = activeFilters(search);
  const restored = leftTop === null ? null : savedFilters(client, slug, search);
  // biome-ignore lint/correctness/useExhaustiveDependencies: ages are relative to when the filter was set
  const filters = useMemo(() => restored ?? filtersOf(search, Date.now()), [filterText]);
  useEffect(() => saveFilters(slug, filterText, filters), [slug, filterText, filters]);
  const [isSelecting, setSelecting] = useState(false);
  const isFrozen = isSelecting || freeze !== null;
  const list = useTaskList(slug, filters, { follows: follows && isTop && !isFrozen, isFrozen });
  const { rows, query } = list;
  const selection = useSelection(rows, filterText);
  const { selected } = selection;
  if (isSelecting !== selected.size > 0) setSelecting(selected.size > 0);
  // A fully loaded list needs no count; its task pages use the same total.
  const isWhole = query.isSuccess && !query.hasNextPage && !list.isFull && !filters.q;
  const totalQuery = taskTotalQuery(slug, filters);
  const counts = useStateCounts(slug, filters);
  // State counts are refreshed while the list is open. If they are lower bounds, an exact total is read once.
  const stateTotal = filters.q ? null : (counts?.exactly(search.state) ?? null);
  const isCounted = query.isSuccess && !isWhole && !filters.q && stateTotal === null;
  const counted = useQuery({ ...totalQuery, enabled: isCounted });
  const total = stateTotal ?? (isWhole ? rows.length : (counted.data ?? null));
  const shownTotal = Math.max(total ?? 0, rows.length);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key follows the filters
  useEffect(() => {
    if (isWhole) client.setQueryData(totalQuery.queryKey, rows.length);
  }, [client, filters, isWhole, rows.length]);
  const { gaps } = useGaps(slug, reachedRange(filters, Date.now(), 7 * dayMs));

  const patch = useCallback(
    (change: Partial<Record<keyof TasksSearch, string | undefined>>, replace = false) => {
      setNotice(null);
      void navigate({ search: (old) => readTasksSearch({ ...old, ...change }), replace });
    },
    [navigate],
  );

  // A task opened by a URL or by Back becomes the current row. For tasks opened here the URL may lag behind.
  const [engine, taskId] = splitTask(search.task);
  const openId = rows.find((row) => isTaskAt(row, engine, taskId))?.id;
  const openedHere = useRef<string[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once per task in the drawer
  useEffect(() => {
    const at = openedHere.current.indexOf(search.task ?? "");
    openedHere.current.splice(0, at + 1);
    if (at < 0 && openId) setCurrentId(openId);
  }, [openId]);
  const currentIndex = rows.findIndex((row) => row.id === currentId);
  const current = rows[currentIndex];
  const open = (row: ListRow, replace = false) => {
    const task = `${row.engine}/${taskKey(row)}`;
    if (task !== search.task) openedHere.current.push(task);
    patch({ task }, replace);
  };
  const close = () => patch({ task: undefined, tab: undefined });
  const move = (step: number): ListRow | undefined => {
    const next = rows[Math.min(rows.length - 1, Math.max(0, currentIndex < 0 ? 0 : currentIndex + step))];
    if (!next) return;
    setCurrentId(next.id);
    if (search.task) open(next, true);
    return next;
  };
  const filterBy = (row: ListRow, column: ColumnId, isText: boolean) => {
    const text = isText ? cellText(column, row) : null;
    const filter = isText ? (text ? { search: text } : null) : cellFilter(column, row, search)?.patch;
    if (filter) patch(filter as Record<string, string>);
    else
      setNotice(
        isText
          ? `This task's ${columnFacts[column].label.toLowerCase()} can't be searched as text.`
          : `Can't filter by this task's ${columnFacts[column].label.toLowerCase()}.`,
      );
  };
  const release = () => {
    selection.set([]);
    document.getSelection()?.removeAllRanges();
  };

  const named =
    engine && taskId ? { engine, task_id: taskId } : current && { engine: current.engine, task_id: taskKey(current) };
  const [menu, setMenu] = useState<{ row: ListRow; anchor: HTMLElement } | null>(null);
  const closeMenu = useCallback(() => setMenu(null), []);
  useListKeys({
    slug,
    search,
    list,
    selection,
    current,
    named,
    isDrawerOpen: search.task !== undefined,
    onMove: move,
    onOpen: open,
    onClose: close,
    onFilter: filterBy,
    onInput: (row) => setOpened(toggledIn(opened, row.id)),
    onMenu: (row, anchor) => setMenu({ row, anchor }),
  });

  // Rows render only when they change, so their callbacks must stay the same object.
  const latest = useRef({ open, toggle: selection.toggle, filterBy, isSelecting: false });
  latest.current = { open, toggle: selection.toggle, filterBy, isSelecting: isPhone && selected.size > 0 };
  const actions = useMemo<RowActions>(
    () => ({
      onOpen: (row) => {
        // Phone rows have no checkbox: once one is selected, tapping selects others.
        if (latest.current.isSelecting) return latest.current.toggle(row, false);
        setCurrentId(row.id);
        latest.current.open(row);
      },
      onSelect: (row, isRange) => latest.current.toggle(row, isRange),
      onFilter: (row, column, isText) => latest.current.filterBy(row, column, isText),
      onMenu: (row, anchor) => {
        setCurrentId(row.id);
        setMenu({ row, anchor });
      },
      onCurrent: (row) => setCurrentId(row.id),
    }),
    [setCurrentId],
  );

  return (
    <div className={css.list}>
      <div>
        {notice ? <NoteLine>{notice}</NoteLine> : null}
        {list.failure ? (
          <InlineError title="Couldn't refresh the list" error={list.failure} onRetry={list.retry} />
        ) : null}
      </div>
      <ListAnnouncer key={filterText} counts={list} isFrozen={isFrozen} />
      <div className={css.bar}>
        <h1>Tasks</h1>
        <ViewTabs
          slug={slug}
          search={search}
          onGo={(view) => void navigate({ search: readTasksSearch({ ...view }) })}
        />
        <ListTools
          columns={columns}
          list={list}
          follows={follows}
          isTop={isTop}
          onFollow={setFollows}
          frozen={frozenReason(selected.size > 0, freeze)}
          onRelease={release}
          onExport={() => setExporting(true)}
        />
      </div>
      <div className={css.cluster}>
        <StateRail state={search.state} counts={counts} onChange={(state: TaskState | undefined) => patch({ state })} />
        <Suspense fallback={<div className={css.stripPlace} />}>
          <TimeStrip
            slug={slug}
            filters={filters}
            gaps={gaps}
            isWhole={search.since === undefined && search.until === undefined}
          />
        </Suspense>
      </div>
      <div>
        <div className={css.bar}>
          <FilterBar slug={slug} search={search} filters={filters} onPatch={patch} />
          <span className="lg nowrap t2" role="status">
            {total === null ? (
              <FoundSoFar list={list} matching={search.state ? counts?.by.get(search.state) : counts?.all} />
            ) : (
              <>
                <b className="t1">{count(shownTotal)}</b> {shownTotal === 1 ? "task" : "tasks"}
                {active.length === 0 ? "" : shownTotal === 1 ? " matches" : " match"}
              </>
            )}
          </span>
        </div>
        {selected.size > 0 ? (
          <SelectionBar
            slug={slug}
            rows={rows.filter((row) => selected.has(row.id))}
            filters={filters}
            filterText={spokenFilters(search)}
            total={total}
            onClear={() => selection.set([])}
            onDrop={selection.drop}
          />
        ) : null}
      </div>
      <div className={css.rows}>
        <QueryBoundary
          name="The task list"
          read={query}
          rows={14}
          isQuiet
          refusals={{
            validation_error: (problem) => (
              <Suspense fallback={null}>
                <NotUnderstood error={problem} slug={slug} search={search} onPatch={patch} />
              </Suspense>
            ),
          }}
        >
          {rows.length === 0 ? (
            <Suspense fallback={null}>
              <NothingMatches slug={slug} search={search} onPatch={patch} list={list} />
            </Suspense>
          ) : (
            <TaskGrid
              key={filterText}
              slug={slug}
              list={list}
              total={total}
              columns={columns}
              currentId={currentId}
              selected={selected}
              opened={opened}
              gaps={gaps}
              onSelectAll={(isSelected) => selection.set(isSelected ? rows : [])}
              onMove={move}
              actions={actions}
              leftTop={leftTop}
              onScroll={onScroll}
              isDocked={selected.size > 0}
              end={<ListEnd list={list} onOlder={(until) => patch({ until })} />}
            />
          )}
        </QueryBoundary>
        {engine && taskId ? (
          <DrawerSlot
            slug={slug}
            engine={engine}
            taskId={taskId}
            search={search}
            filters={filters}
            onTab={(tab) => patch({ tab }, true)}
            onClose={close}
            onMove={move}
          />
        ) : null}
      </div>
      {menu ? (
        <Suspense fallback={null}>
          <RowMenu
            key={menu.row.id}
            slug={slug}
            row={rows.find((row) => row.id === menu.row.id) ?? menu.row}
            search={search}
            isSelected={selected.has(menu.row.id)}
            anchor={menu.anchor}
            onOpen={() => open(menu.row)}
            onSelect={() => selection.toggle(menu.row, false)}
            onFilter={() => filterBy(menu.row, "name", false)}
            onClose={closeMenu}
          />
        </Suspense>
      ) : null}
      {isExporting ? (
        <Suspense fallback={<Opening onClose={() => setExporting(false)} />}>
          <ExportDialog
            slug={slug}
            filters={filters}
            filterText={spokenFilters(search)}
            columns={columns.layout.shown}
            total={total}
            onClose={() => setExporting(false)}
          />
        </Suspense>
      ) : null}
    </div>
  );
}

function frozenReason(isSelecting: boolean, freeze: ReturnType<typeof useListFreeze>): string | null {
  if (isSelecting) return "Updates are paused while tasks are selected";
  if (freeze === "menu") return "Updates are paused while a menu is open";
  return freeze === "text" ? "Updates are paused while text is selected" : null;
}

const dayMs = 86_400_000;

function toggledIn(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(id)) next.add(id);
  return next;
}
