import { idsOf, type ListRow, maximumRows, pageSize, rowsOf } from "../../../task-data/index.ts";
import { countNewFailures } from "../../filters/list-summary.ts";
import { matchesFilters } from "../filter-match.ts";
import { changedRows, type Draft, none, removedIds } from "../list-state.ts";
import { insertRows, isNewer, missingRows, patchRows, removeRows } from "../row-changes.ts";
import { isTooFast, slideMs, withArrivals } from "../tail-pace.ts";
import { markFresh, renewStaleInView, restartSoon } from "./stale-rows.ts";

// Routes new and changed rows: into the list, into the pending rows or, while the list is frozen, into the deferred changes.

const tintMs = 700;

/** Applies current rows to the list and the pending rows. */
export function take(draft: Draft, rows: readonly ListRow[]): void {
  const { list, filters } = draft;
  if (!list || rows.length === 0) return;
  const loaded = rowsOf(list);
  const known = loaded.map((row) => draft.deferredPatches.get(row.id) ?? row);
  const failed = countNewFailures([...known, ...draft.pendingRows.values()], rows);
  markFresh(
    draft,
    rows.map(({ id }) => id),
  );
  patch(draft, rows);
  const pending = new Map(draft.pendingRows);
  for (const row of rows) {
    if (!isNewer(row, pending.get(row.id) ?? row)) continue;
    if (matchesFilters(row, filters)) pending.set(row.id, row);
    else pending.delete(row.id);
  }
  draft.pendingRows = pending;
  const arrived = missingRows(list, rows).filter((row) => !pending.has(row.id) && matchesFilters(row, filters));
  noteArrivals(draft, arrived.length);
  const fits = !draft.hasMorePending && pending.size + arrived.length < pageSize;
  const isInserted = draft.isFollowing || (loaded.length === 0 && !draft.isFrozen);
  const added = isInserted && !fits ? [] : arrived.slice(0, Math.max(0, pageSize - pending.size));
  draft.pendingRows = new Map([...pending, ...added.map((row) => [row.id, row] as const)]);
  draft.hasMorePending = !fits && !isInserted;
  draft.failedCount += failed;
  countArrived(draft, added);
  if (isInserted && !fits) restartSoon(draft);
  else if (isInserted && arrived.length > 0) slideIn(draft);
}

function patch(draft: Draft, rows: readonly ListRow[]): void {
  const { list } = draft;
  if (!list) return;
  if (!draft.isFrozen) {
    draft.list = patchRows(list, rows);
    return;
  }
  const loaded = idsOf(list);
  const deferred = new Map(draft.deferredPatches);
  for (const row of rows) {
    if (loaded.has(row.id) && isNewer(row, deferred.get(row.id) ?? { ...row })) deferred.set(row.id, row);
  }
  draft.deferredPatches = deferred;
}

export function remove(draft: Draft, ids: readonly string[]): void {
  if (ids.length === 0) return;
  const { list } = draft;
  if (list && draft.isFrozen) {
    // Only for loaded rows, so that memory stays bounded while the list is frozen.
    const loaded = idsOf(list);
    const removed = ids.filter((id) => loaded.has(id)).map((id) => [id, null] as const);
    draft.deferredPatches = new Map([...draft.deferredPatches, ...removed]);
  } else if (list) draft.list = removeRows(list, ids);
  const pending = new Map(draft.pendingRows);
  for (const id of ids) pending.delete(id);
  draft.pendingRows = pending;
  markFresh(draft, ids);
}

export function noteArrivals(draft: Draft, amount: number): void {
  if (!draft.isFollowing || amount === 0) return;
  draft.arrivals = withArrivals(draft.arrivals, amount, draft.nowMs);
  if (!isTooFast(draft.arrivals)) return;
  draft.isFollowing = false;
  draft.isFlooded = true;
}

export function countArrived(draft: Draft, rows: readonly ListRow[]): void {
  draft.arrivedCount += rows.length;
  draft.failedCount += rows.filter((row) => row.state === "failure").length;
}

/** Inserts the pending rows, rate-limited by the slide timer. */
export function slideIn(draft: Draft): void {
  if (draft.isSliding) return;
  insertPending(draft);
  draft.isSliding = true;
  draft.effects.push({ type: "startTimer", timer: "slide", ms: slideMs });
}

function insertPending(draft: Draft): void {
  const rows = [...draft.pendingRows.values()];
  draft.pendingRows = none;
  if (draft.list) draft.list = insertRows(draft.list, rows);
  draft.justInserted = new Set(rows.map((row) => row.id));
  draft.effects.push({ type: "startTimer", timer: "tint", ms: tintMs });
  // insertRows keeps at least one page; if that alone exceeds the limit, only a restart shrinks it.
  if (rowsOf(draft.list).length > maximumRows) restartSoon(draft);
}

export function showPending(draft: Draft): void {
  draft.timesShown += 1;
  if (draft.hasMorePending) {
    draft.hasMorePending = false;
    draft.pendingRows = none;
    draft.deferredPatches = none;
    draft.missedAbove = undefined;
    draft.effects.push({ type: "restart" });
    return;
  }
  insertPending(draft);
  // Rows that were pending for a long time may be stale.
  renewStaleInView(draft);
}

export function release(draft: Draft): void {
  if (!draft.isFrozen) return;
  draft.isFrozen = false;
  const changes = draft.deferredPatches;
  draft.deferredPatches = none;
  patch(draft, changedRows(changes));
  remove(draft, removedIds(changes));
  if (draft.isFollowing && draft.pendingRows.size > 0) slideIn(draft);
}

export function follow(draft: Draft, isFollowing: boolean): void {
  draft.isFollowing = isFollowing;
  draft.arrivals = [];
  draft.isFlooded = false;
  // A user who scrolled away keeps the list.
  if (!isFollowing) draft.isRestartWanted = false;
  else if (draft.pendingRows.size > 0) showPending(draft);
}
