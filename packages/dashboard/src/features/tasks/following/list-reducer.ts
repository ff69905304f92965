import { isProblem } from "@svc/client";
import { turnedToFailure } from "../filters/list-summary.ts";
import { matchesFilters } from "./filter-match.ts";
import { type Changes, type ListEffect, type ListEvent, type ListState, type ListTimer, none } from "./list-state.ts";
import { insertRows, isNewer, missingRows, patchRows, reachesTo, removeRows } from "./row-changes.ts";
import { isTooFast, slideMs, withArrivals } from "./tail-pace.ts";
import { idsOf, type ListPage, type ListRow, maximumRows, pageSize, rowsOf } from "./task-pages.ts";

// The rules that keep one loaded list true, as a function of events; list-follower.ts runs its effects. Change events
// patch the rows they name. After a gap (a poll, a change event without its rows, a list that was left for a while) every
// loaded row is stale until it was read once more. A renewal reads the newest page, then a page around stale rows in view
// below it, then stale rows in view that neither page held, one by one: they no longer match the filters or were deleted.

/** At least this long between two renewals that are not asked for by a timer. */
const spacingMs = 2_000;
const retryMs = 5_000;
const tintMs = 700;
/** Rows that one renewal reads by themselves; the others in view follow with the next. */
const maximumSingles = 20;
/** Changes kept while reads are in flight; more of them are a gap. */
const maximumInFlightChanges = 2_000;

/** The next state in the making, with the effects in order. */
type Draft = { -readonly [Key in keyof ListState]: ListState[Key] } & { effects: ListEffect[] };

export function reduce(state: ListState, event: ListEvent): [ListState, ListEffect[]] {
  const draft: Draft = { ...state, effects: [] };
  const handle = handlers[event.type] as (draft: Draft, event: ListEvent) => void;
  handle(draft, event);
  const { effects, ...next } = draft;
  return [next, effects];
}

type Handlers = { [Type in ListEvent["type"]]: (draft: Draft, event: Extract<ListEvent, { type: Type }>) => void };

// Fields of the draft are assigned; the maps, sets and pages in them belong to earlier states and are never changed.
const handlers: Handlers = {
  changed: (draft, { rows, removed }) => change(draft, rows, removed),
  invalidated(draft) {
    if (!draft.list) draft.isOutdated = true;
    invalidate(draft);
  },
  loaded(draft, { isJustRead }) {
    if (draft.isOutdated && !isJustRead) invalidate(draft);
    draft.isOutdated = false;
  },
  scrolled(draft, { first, last }) {
    draft.visible = { first, last };
    renewStaleInView(draft);
  },
  held(draft, { isHeld }) {
    if (!isHeld) release(draft);
    else draft.isHeld = true;
  },
  followed: (draft, { isFollowing }) => follow(draft, isFollowing),
  pendingShown: showPending,
  retried(draft) {
    if (draft.renewal === "waiting") {
      draft.effects.push({ type: "clearTimer", timer: "renewal" });
      draft.renewal = "idle";
    }
    renewSoon(draft);
  },
  readStarted(draft) {
    draft.readsInFlight += 1;
  },
  readEnded: endRead,
  pageRead(draft, { until, page }) {
    if (until === null) takeNewest(draft, page);
    else {
      takeAnswer(draft, page.items);
      readSingles(draft);
    }
  },
  rowRead(draft, { id, row }) {
    if (row) takeAnswer(draft, [row]);
    else {
      if (draft.inFlightChanges.has(id)) noteInFlight(draft, [[id, null]]);
      remove(draft, [id]);
    }
  },
  rowsRead: endRenewal,
  readFailed: (draft, { error }) => failRenewal(draft, error),
  timerFired: (draft, { timer }) => timerFired[timer](draft),
};

const timerFired: Record<ListTimer, (draft: Draft) => void> = {
  tint(draft) {
    draft.justInserted = new Set();
  },
  slide(draft) {
    draft.isSliding = false;
    if (draft.pendingRows.size > 0 && (draft.isFollowing || rowsOf(draft.list).length === 0)) slideIn(draft);
  },
  renewal(draft) {
    draft.renewal = "idle";
    if (draft.isRenewalWanted) renewSoon(draft);
    else renewStaleInView(draft);
  },
};

function change(draft: Draft, rows: readonly ListRow[], removed: readonly string[]): void {
  const { list, filters } = draft;
  if (!list) draft.isOutdated = true;
  if (draft.readsInFlight > 0) {
    noteInFlight(draft, [...rows.map((row) => [row.id, row] as const), ...removed.map((id) => [id, null] as const)]);
  }
  remove(draft, removed);
  // Only the service can tell whether a new row matches a search: it may need what no change event carries.
  const known = list && filters.q !== undefined ? rows.filter((row) => missingRows(list, [row]).length === 0) : rows;
  take(draft, known);
  if (known.length < rows.length) renewSoon(draft);
}

/** Puts rows as they are now where they belong: into the list, the pending rows, or neither. */
function take(draft: Draft, rows: readonly ListRow[]): void {
  const { list, filters } = draft;
  if (!list || rows.length === 0) return;
  const loaded = rowsOf(list);
  const known = loaded.map((row) => draft.deferredPatches.get(row.id) ?? row);
  const failed = turnedToFailure([...known, ...draft.pendingRows.values()], rows);
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
  const goesIn = draft.isFollowing || (loaded.length === 0 && !draft.isHeld);
  const added = goesIn && !fits ? [] : arrived.slice(0, Math.max(0, pageSize - pending.size));
  draft.pendingRows = new Map([...pending, ...added.map((row) => [row.id, row] as const)]);
  draft.hasMorePending = !fits && !goesIn;
  draft.failedCount += failed;
  countArrived(draft, added);
  if (goesIn && !fits) restartSoon(draft);
  else if (goesIn && arrived.length > 0) slideIn(draft);
}

function patch(draft: Draft, rows: readonly ListRow[]): void {
  const { list } = draft;
  if (!list) return;
  if (!draft.isHeld) {
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

function remove(draft: Draft, ids: readonly string[]): void {
  if (ids.length === 0) return;
  const { list } = draft;
  if (list && draft.isHeld) {
    // Only of loaded rows, so that memory stays bounded however long the reader holds them.
    const loaded = idsOf(list);
    const removed = ids.filter((id) => loaded.has(id)).map((id) => [id, null] as const);
    draft.deferredPatches = new Map([...draft.deferredPatches, ...removed]);
  } else if (list) draft.list = removeRows(list, ids);
  const pending = new Map(draft.pendingRows);
  for (const id of ids) pending.delete(id);
  draft.pendingRows = pending;
  markFresh(draft, ids);
}

function markFresh(draft: Draft, ids: readonly string[]): void {
  if (!ids.some((id) => draft.staleIds.has(id))) return;
  const fresh = new Set(ids);
  draft.staleIds = new Set([...draft.staleIds].filter((id) => !fresh.has(id)));
}

function noteArrivals(draft: Draft, amount: number): void {
  if (!draft.isFollowing || amount === 0) return;
  draft.arrivals = withArrivals(draft.arrivals, amount, draft.nowMs);
  if (!isTooFast(draft.arrivals)) return;
  draft.isFollowing = false;
  draft.isFlooded = true;
}

function countArrived(draft: Draft, rows: readonly ListRow[]): void {
  draft.arrivedCount += rows.length;
  draft.failedCount += rows.filter((row) => row.state === "failure").length;
}

/** Inserts the pending rows, now or when the last time is long enough ago. */
function slideIn(draft: Draft): void {
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
  // One page alone exceeds the limit: only a restart makes it smaller.
  if (rowsOf(draft.list).length > maximumRows) restartSoon(draft);
}

function showPending(draft: Draft): void {
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
  // Rows that were pending for long may have become stale there.
  renewStaleInView(draft);
}

function release(draft: Draft): void {
  if (!draft.isHeld) return;
  draft.isHeld = false;
  const changes = draft.deferredPatches;
  draft.deferredPatches = none;
  patch(draft, changedRows(changes));
  remove(draft, removedIds(changes));
  if (draft.isFollowing && draft.pendingRows.size > 0) slideIn(draft);
}

function follow(draft: Draft, isFollowing: boolean): void {
  draft.isFollowing = isFollowing;
  draft.arrivals = [];
  draft.isFlooded = false;
  // A reader who scrolled away keeps the list.
  if (!isFollowing) draft.isRestartWanted = false;
  else if (draft.pendingRows.size > 0) showPending(draft);
}

function invalidate(draft: Draft): void {
  const kept = new Set([...rowsOf(draft.list).map(({ id }) => id), ...draft.pendingRows.keys()]);
  draft.staleIds = new Set([...[...draft.staleIds].filter((id) => kept.has(id)), ...kept]);
  if (draft.readsInFlight > 0) draft.isInvalidatedInFlight = true;
  noteGap(draft);
  renewSoon(draft);
}

function noteGap(draft: Draft): void {
  if (draft.list && draft.missedAbove === undefined) draft.missedAbove = rowsOf(draft.list)[0] ?? null;
}

/** Changes that were missed since the renewal began are for the next one. */
function closeGap(draft: Draft): void {
  if (!draft.isRenewalWanted) draft.missedAbove = undefined;
}

/** For more rows than fit. */
function restartSoon(draft: Draft): void {
  noteGap(draft);
  draft.isRestartWanted = true;
  renewSoon(draft);
}

function staleInView({ staleIds, list, visible }: Draft): ListRow[] {
  if (staleIds.size === 0) return [];
  return rowsOf(list)
    .slice(visible.first, visible.last + 1)
    .filter((row) => staleIds.has(row.id));
}

function renewStaleInView(draft: Draft): void {
  if (staleInView(draft).length > 0) renewSoon(draft);
}

function renewSoon(draft: Draft): void {
  if (draft.isPaused || !draft.list) return;
  if (draft.renewal !== "idle") {
    draft.isRenewalWanted = true;
    return;
  }
  draft.renewal = "reading";
  draft.isRenewalWanted = false;
  draft.readsInFlight += 1;
  draft.pendingAtRead = draft.pendingRows;
  draft.effects.push({ type: "readPage", until: null });
}

function takeNewest(draft: Draft, newest: ListPage): void {
  const { list, isHeld, pendingAtRead } = draft;
  if (!list) {
    endRenewal(draft);
    return;
  }
  const top = draft.missedAbove === undefined ? rowsOf(list)[0] : draft.missedAbove;
  // Between the newest page and what the list had then there may be rows that neither holds.
  const hasGap = newest.next_cursor !== null && newest.items.length > 0 && !(top && reachesTo(newest, top));
  if (!isHeld && (draft.isRestartWanted || (hasGap && (draft.isFollowing || !top)))) restartWith(draft, newest);
  else {
    if (hasGap) draft.hasMorePending = true;
    else closeGap(draft);
    const answered = new Set(newest.items.map(({ id }) => id));
    // Pending, unchanged since, and no longer among the newest: it left the filters or was deleted.
    const hasLeft = ([id, row]: [string, ListRow]) =>
      pendingAtRead.get(id) === row && !answered.has(id) && reachesTo(newest, row);
    draft.pendingRows = new Map([...draft.pendingRows].filter((entry) => !hasLeft(entry)));
    takeAnswer(draft, newest.items);
  }
  const below = staleInView(draft).find((row) => !reachesTo(newest, row));
  if (below) draft.effects.push({ type: "readPage", until: below.received_at });
  else readSingles(draft);
}

function restartWith(draft: Draft, newest: ListPage): void {
  const loaded = idsOf(draft.list ?? { pages: [], pageParams: [] });
  const arrived = newest.items.filter((row) => !loaded.has(row.id));
  noteArrivals(draft, arrived.length);
  countArrived(
    draft,
    arrived.filter((row) => !draft.pendingRows.has(row.id)),
  );
  closeGap(draft);
  draft.isRestartWanted = false;
  draft.pendingRows = none;
  draft.hasMorePending = false;
  draft.staleIds = new Set();
  draft.list = { pages: [newest], pageParams: [null] };
}

function noteInFlight(draft: Draft, changes: readonly (readonly [string, ListRow | null])[]): void {
  const noted = new Map([...draft.inFlightChanges, ...changes]);
  draft.inFlightChanges = new Map([...noted].slice(0, maximumInFlightChanges));
  if (noted.size > maximumInFlightChanges) draft.isInvalidatedInFlight = true;
}

/** Takes those rows of an answer that are newer than what changed since it was asked for. */
function takeAnswer(draft: Draft, rows: readonly ListRow[]): void {
  const { inFlightChanges } = draft;
  const newer = rows.filter((row) => {
    const change = inFlightChanges.get(row.id);
    return change === undefined || (change !== null && !isNewer(change, row) && change !== row);
  });
  const noted = newer.filter((row) => inFlightChanges.has(row.id));
  noteInFlight(
    draft,
    noted.map((row) => [row.id, row]),
  );
  take(draft, newer);
}

function readSingles(draft: Draft): void {
  const waiting = new Map(staleInView(draft).map((row) => [row.id, row]));
  const rows = [...draft.staleIds].flatMap((id) => waiting.get(id) ?? []).slice(0, maximumSingles);
  if (rows.length > 0) draft.effects.push({ type: "readRows", rows });
  else endRenewal(draft);
}

function endRenewal(draft: Draft): void {
  endRead(draft);
  draft.failure = null;
  waitForRenewal(draft, spacingMs);
}

function failRenewal(draft: Draft, error: unknown): void {
  endRead(draft);
  draft.failure = error;
  draft.isRenewalWanted = true;
  draft.effects.push({ type: "reportFailure", error });
  waitForRenewal(draft, Math.max(retryMs, isProblem(error) ? (error.retryAfterSeconds ?? 0) * 1000 : 0));
}

function waitForRenewal(draft: Draft, ms: number): void {
  draft.renewal = "waiting";
  draft.pendingAtRead = none;
  draft.effects.push({ type: "startTimer", timer: "renewal", ms });
}

/** After the last answer, applies once more what changed while it was in flight. */
function endRead(draft: Draft): void {
  draft.readsInFlight -= 1;
  if (draft.readsInFlight > 0) return;
  const changes = draft.inFlightChanges;
  draft.inFlightChanges = none;
  take(draft, changedRows(changes));
  remove(draft, removedIds(changes));
  if (!draft.isInvalidatedInFlight) return;
  draft.isInvalidatedInFlight = false;
  invalidate(draft);
}

const changedRows = (changes: Changes): ListRow[] => [...changes.values()].flatMap((row) => row ?? []);
const removedIds = (changes: Changes): string[] => [...changes].flatMap(([id, row]) => (row === null ? [id] : []));
