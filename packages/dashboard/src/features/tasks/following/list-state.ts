import type { TaskFilters } from "@svc/client";
import type { ListPage, ListRow, LoadedList } from "../../task-data/index.ts";
import type { ListCounts } from "../filters/list-summary.ts";
import type { Arrivals } from "./tail-pace.ts";

// What a followed list is made of: its state, the events that change it, and the effects that they have.

/** Rows as they are now by id; null when removed. */
export type Changes = ReadonlyMap<string, ListRow | null>;

export const changedRows = (changes: Changes): ListRow[] => [...changes.values()].flatMap((row) => row ?? []);
export const removedIds = (changes: Changes): string[] =>
  [...changes].flatMap(([id, row]) => (row === null ? [id] : []));

/** The counts are of new rows, and of rows that failed: loaded ones and those that arrived so. */
export interface ListState extends ListCounts {
  readonly filters: TaskFilters;

  // Set before each event.
  /** What the query cache holds; undefined while the first page is being read. */
  readonly list: LoadedList | undefined;
  readonly nowMs: number;
  readonly isPaused: boolean;

  /** Rows that arrived and are not in the list yet; at most a page. */
  readonly pendingRows: ReadonlyMap<string, ListRow>;
  /** There are more of them, so that showing them restarts the list from the top. */
  readonly hasMorePending: boolean;
  /** Loaded and pending rows to read again, longest stale first, so that each gets its turn. */
  readonly staleIds: ReadonlySet<string>;
  /** Changes while the reader holds the rows. */
  readonly deferredPatches: Changes;
  /** Changes while reads are in flight: an answer may be older. */
  readonly inFlightChanges: Changes;
  readonly readsInFlight: number;
  /** Their answers may be from before a gap, so that everything is stale once more when they have come. */
  readonly isInvalidatedInFlight: boolean;
  readonly renewal: "idle" | "reading" | "waiting";
  readonly isRenewalWanted: boolean;
  /** The pending rows when the renewal began. */
  readonly pendingAtRead: ReadonlyMap<string, ListRow>;
  /** The top of the list when changes were missed, null for an empty list: rows above it may be missing until a renewal. */
  readonly missedAbove: ListRow | null | undefined;
  /** The next renewal replaces the loaded rows by the newest page. */
  readonly isRestartWanted: boolean;
  /** The first page may be older than a change event; a list from an earlier visit is as old. */
  readonly isOutdated: boolean;
  readonly visible: { readonly first: number; readonly last: number };
  readonly isHeld: boolean;
  readonly isFollowing: boolean;
  /** Following paused by itself, as more tasks came than anybody can read. */
  readonly isFlooded: boolean;
  readonly arrivals: Arrivals;
  /** Rows slid in a moment ago; the next ones wait. */
  readonly isSliding: boolean;
  /** Ids inserted a moment ago. */
  readonly justInserted: ReadonlySet<string>;
  /** How often pending rows were shown on request. */
  readonly timesShown: number;
  /** Why the last renewal failed; null after one that worked. */
  readonly failure: unknown;
}

export type ListEvent =
  | { type: "changed"; rows: readonly ListRow[]; removed: readonly string[] }
  /** Anything may have changed. */
  | { type: "invalidated" }
  /** The first page is there, read for this visit or an earlier one. */
  | { type: "loaded"; isJustRead: boolean }
  | { type: "scrolled"; first: number; last: number }
  /** While the reader holds the rows, none of them changes. */
  | { type: "held"; isHeld: boolean }
  /** While the list is followed, new rows are inserted as they come. */
  | { type: "followed"; isFollowing: boolean }
  | { type: "pendingShown" }
  | { type: "retried" }
  /** A read of older pages, which goes into the query cache by itself. */
  | { type: "readStarted" }
  | { type: "readEnded" }
  | { type: "pageRead"; until: string | null; page: ListPage }
  | { type: "rowRead"; id: string; row: ListRow | null }
  | { type: "rowsRead" }
  | { type: "readFailed"; error: unknown }
  | { type: "timerFired"; timer: ListTimer };

export type ListTimer = "renewal" | "slide" | "tint";

export type ListEffect =
  | { type: "readPage"; until: string | null }
  /** Each row by itself, and then `rowsRead`. */
  | { type: "readRows"; rows: readonly ListRow[] }
  | { type: "startTimer"; timer: ListTimer; ms: number }
  | { type: "clearTimer"; timer: ListTimer }
  /** Forgets the list and reads its first page. */
  | { type: "restart" }
  | { type: "reportFailure"; error: unknown };

/** The next state in the making, with the effects in order. */
export type Draft = { -readonly [Key in keyof ListState]: ListState[Key] } & { effects: ListEffect[] };

export const none: ReadonlyMap<string, never> = new Map<string, never>();

export const openedList = (filters: TaskFilters, list: LoadedList | undefined): ListState => ({
  filters,
  list,
  nowMs: 0,
  isPaused: false,
  pendingRows: none,
  hasMorePending: false,
  staleIds: new Set(),
  deferredPatches: none,
  inFlightChanges: none,
  readsInFlight: 0,
  isInvalidatedInFlight: false,
  renewal: "idle",
  isRenewalWanted: false,
  pendingAtRead: none,
  missedAbove: undefined,
  isRestartWanted: false,
  isOutdated: list !== undefined,
  visible: { first: 0, last: 0 },
  isHeld: false,
  isFollowing: false,
  isFlooded: false,
  arrivals: [],
  isSliding: false,
  justInserted: new Set(),
  timesShown: 0,
  failure: null,
  arrivedCount: 0,
  failedCount: 0,
});
