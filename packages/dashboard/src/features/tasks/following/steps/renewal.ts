import { isProblem } from "@svc/client";
import { idsOf, type ListPage, type ListRow, rowsOf } from "../../../task-data/index.ts";
import { changedRows, type Draft, none, removedIds } from "../list-state.ts";
import { isNewer, reachesTo } from "../row-changes.ts";
import { countArrived, noteArrivals, remove, take } from "./arrivals.ts";
import { closeGap, invalidate, staleInView } from "./stale-rows.ts";

// Handles the responses of a renewal. It reads the newest page, then a page around visible stale rows below it, then the
// remaining visible stale rows one by one: they no longer match the filters or were deleted.

/** Minimum time between two renewals. */
const spacingMs = 2_000;
const retryMs = 5_000;
/** Maximum number of rows that one renewal reads individually; the rest follow with the next one. */
const maximumSingles = 20;
/** Maximum number of changes recorded while reads are in flight; more count as a gap. */
const maximumInFlightChanges = 2_000;

/** Applies the newest page, and decides what the renewal reads next. */
export function takeNewest(draft: Draft, newest: ListPage): void {
  const { list, isFrozen, pendingAtRead } = draft;
  if (!list) {
    endRenewal(draft);
    return;
  }
  const top = draft.missedAbove === undefined ? rowsOf(list)[0] : draft.missedAbove;
  // There may be rows between the newest page and the list that neither contains.
  const hasGap = newest.next_cursor !== null && newest.items.length > 0 && !(top && reachesTo(newest, top));
  if (!isFrozen && (draft.isRestartWanted || (hasGap && (draft.isFollowing || !top)))) restartWith(draft, newest);
  else {
    if (hasGap) draft.hasMorePending = true;
    else closeGap(draft);
    const answered = new Set(newest.items.map(({ id }) => id));
    // Pending, unchanged, and not on the newest page: it no longer matches or was deleted.
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

/** Records changes while reads are in flight. */
export function noteInFlight(draft: Draft, changes: readonly (readonly [string, ListRow | null])[]): void {
  const noted = new Map([...draft.inFlightChanges, ...changes]);
  draft.inFlightChanges = new Map([...noted].slice(0, maximumInFlightChanges));
  if (noted.size > maximumInFlightChanges) draft.isInvalidatedInFlight = true;
}

/** Applies the rows of a response that are newer than the changes since its request. */
export function takeAnswer(draft: Draft, rows: readonly ListRow[]): void {
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

/** Reads the visible stale rows that no page contained; without any, the renewal ends. */
export function readSingles(draft: Draft): void {
  const waiting = new Map(staleInView(draft).map((row) => [row.id, row]));
  const rows = [...draft.staleIds].flatMap((id) => waiting.get(id) ?? []).slice(0, maximumSingles);
  if (rows.length > 0) draft.effects.push({ type: "readRows", rows });
  else endRenewal(draft);
}

export function endRenewal(draft: Draft): void {
  endRead(draft);
  draft.failure = null;
  waitForRenewal(draft, spacingMs);
}

export function failRenewal(draft: Draft, error: unknown): void {
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

/** After the last response, applies the changes recorded while it was in flight again. */
export function endRead(draft: Draft): void {
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
