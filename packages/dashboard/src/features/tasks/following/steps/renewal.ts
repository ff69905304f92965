import { isProblem } from "@svc/client";
import { idsOf, type ListPage, type ListRow, rowsOf } from "../../../task-data/index.ts";
import { changedRows, type Draft, none, removedIds } from "../list-state.ts";
import { isNewer, reachesTo } from "../row-changes.ts";
import { countArrived, noteArrivals, remove, take } from "./arrivals.ts";
import { closeGap, invalidate, staleInView } from "./stale-rows.ts";

// What the answers of a renewal change. It reads the newest page, then a page around stale rows in view below it, then
// stale rows in view that neither page held, one by one: they no longer match the filters or were deleted.

/** At least this long between two renewals that are not asked for by a timer. */
const spacingMs = 2_000;
const retryMs = 5_000;
/** Rows that one renewal reads by themselves; the others in view follow with the next. */
const maximumSingles = 20;
/** Changes kept while reads are in flight; more of them are a gap. */
const maximumInFlightChanges = 2_000;

/** Takes the newest page, and decides what the renewal reads next. */
export function takeNewest(draft: Draft, newest: ListPage): void {
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

/** Keeps changes while reads are in flight. */
export function noteInFlight(draft: Draft, changes: readonly (readonly [string, ListRow | null])[]): void {
  const noted = new Map([...draft.inFlightChanges, ...changes]);
  draft.inFlightChanges = new Map([...noted].slice(0, maximumInFlightChanges));
  if (noted.size > maximumInFlightChanges) draft.isInvalidatedInFlight = true;
}

/** Takes those rows of an answer that are newer than what changed since it was asked for. */
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

/** Reads the stale rows in view that no page held; without any, the renewal ends. */
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

/** After the last answer, applies once more what changed while it was in flight. */
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
