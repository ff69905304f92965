import { type ListRow, rowsOf } from "../../task-data/index.ts";
import type { Draft, ListEffect, ListEvent, ListState, ListTimer } from "./list-state.ts";
import { missingRows } from "./row-changes.ts";
import { follow, release, remove, showPending, slideIn, take } from "./steps/arrivals.ts";
import {
  endRead,
  endRenewal,
  failRenewal,
  noteInFlight,
  readSingles,
  takeAnswer,
  takeNewest,
} from "./steps/renewal.ts";
import { invalidate, renewSoon, renewStaleInView } from "./steps/stale-rows.ts";

// The reducer that keeps a loaded list up to date; list-follower.ts runs its effects. Change events patch the rows they
// name. After a gap (a poll, a change event without rows, a revisited list) every loaded row is stale until a renewal has
// read it again. Shared code of the handlers is in steps/.

export function reduce(state: ListState, event: ListEvent): [ListState, ListEffect[]] {
  const draft: Draft = { ...state, effects: [] };
  const handle = handlers[event.type] as (draft: Draft, event: ListEvent) => void;
  handle(draft, event);
  const { effects, ...next } = draft;
  return [next, effects];
}

type Handlers = { [Type in ListEvent["type"]]: (draft: Draft, event: Extract<ListEvent, { type: Type }>) => void };

// Only assign fields of the draft: the maps, sets and pages in them belong to earlier states and must not be mutated.
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
  frozen(draft, { isFrozen }) {
    if (!isFrozen) release(draft);
    else draft.isFrozen = true;
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
  // Only the server can decide whether a new row matches a search, which may use fields that change events lack.
  const known = list && filters.q !== undefined ? rows.filter((row) => missingRows(list, [row]).length === 0) : rows;
  take(draft, known);
  if (known.length < rows.length) renewSoon(draft);
}
