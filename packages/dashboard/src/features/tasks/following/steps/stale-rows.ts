import { type ListRow, rowsOf } from "../../../task-data/index.ts";
import type { Draft } from "../list-state.ts";

// Tracks which rows must be read again, what may be missing above them, and when the next renewal starts.

/** Marks rows as fresh that were just read or changed. */
export function markFresh(draft: Draft, ids: readonly string[]): void {
  if (!ids.some((id) => draft.staleIds.has(id))) return;
  const fresh = new Set(ids);
  draft.staleIds = new Set([...draft.staleIds].filter((id) => !fresh.has(id)));
}

/** Marks every row as stale after unknown changes. */
export function invalidate(draft: Draft): void {
  const kept = new Set([...rowsOf(draft.list).map(({ id }) => id), ...draft.pendingRows.keys()]);
  draft.staleIds = new Set([...[...draft.staleIds].filter((id) => kept.has(id)), ...kept]);
  if (draft.readsInFlight > 0) draft.isInvalidatedInFlight = true;
  noteGap(draft);
  renewSoon(draft);
}

function noteGap(draft: Draft): void {
  if (draft.list && draft.missedAbove === undefined) draft.missedAbove = rowsOf(draft.list)[0] ?? null;
}

/** Ends the gap, unless changes were missed since the renewal started: those are left to the next one. */
export function closeGap(draft: Draft): void {
  if (!draft.isRenewalWanted) draft.missedAbove = undefined;
}

/** Reloads the list when more rows arrive than fit. */
export function restartSoon(draft: Draft): void {
  noteGap(draft);
  draft.isRestartWanted = true;
  renewSoon(draft);
}

export function staleInView({ staleIds, list, visible }: Draft): ListRow[] {
  if (staleIds.size === 0) return [];
  return rowsOf(list)
    .slice(visible.first, visible.last + 1)
    .filter((row) => staleIds.has(row.id));
}

export function renewStaleInView(draft: Draft): void {
  if (staleInView(draft).length > 0) renewSoon(draft);
}

/** Starts a renewal now, or after the current one. */
export function renewSoon(draft: Draft): void {
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
