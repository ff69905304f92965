import type { TaskFilters } from "@svc/client";
import type { ListPage, ListRow, LoadedList } from "../../task-data/index.ts";
import type { ListCounts } from "../filters/list-summary.ts";
import type { Arrivals } from "./tail-pace.ts";

// The types of a followed list: its state, events and effects.

/** Current rows by id; null if removed. */
export type Changes = ReadonlyMap<string, ListRow | null>;

export const changedRows = (changes: Changes): ListRow[] => [...changes.values()].flatMap((row) => row ?? []);
export const removedIds = (changes: Changes): string[] =>
  [...changes].flatMap(([id, row]) => (row === null ? [id] : []));

/** The inherited counts cover new rows and failed rows, whether they were loaded before or arrived as failed. */
export interface ListState extends ListCounts {
  readonly filters: TaskFilters;

  // Set before each event.
  /** The cached list; undefined while the first page is loading. */
  readonly list: LoadedList | undefined;
  readonly nowMs: number;
  readonly isPaused: boolean;

  /** Rows that arrived but are not in the list yet; at most one page. */
  readonly pendingRows: ReadonlyMap<string, ListRow>;
  /** There are more pending rows than fit, so showing them reloads the list from the top. */
  readonly hasMorePending: boolean;
  /** Loaded and pending rows to read again, longest stale first, so that none starves. */
  readonly staleIds: ReadonlySet<string>;
  /** Changes that arrived while the list is frozen. */
  readonly deferredPatches: Changes;
  /** Changes that arrived while reads are in flight, whose responses may be older. */
  readonly inFlightChanges: Changes;
  readonly readsInFlight: number;
  /** The responses may predate a gap, so everything becomes stale again after them. */
  readonly isInvalidatedInFlight: boolean;
  readonly renewal: "idle" | "reading" | "waiting";
  readonly isRenewalWanted: boolean;
  /** The pending rows when the renewal began. */
  readonly pendingAtRead: ReadonlyMap<string, ListRow>;
  /** The top row when changes were missed, null for an empty list. Rows above it may be missing until a renewal. */
  readonly missedAbove: ListRow | null | undefined;
  /** The next renewal replaces the loaded rows with the newest page. */
  readonly isRestartWanted: boolean;
  /** The list may be older than a change event, as is a list from an earlier visit. */
  readonly isOutdated: boolean;
  readonly visible: { readonly first: number; readonly last: number };
  readonly isFrozen: boolean;
  readonly isFollowing: boolean;
  /** The live tail paused because more tasks arrived than anyone can read. */
  readonly isFlooded: boolean;
  readonly arrivals: Arrivals;
  /** Rows were inserted a moment ago; the next ones wait. */
  readonly isSliding: boolean;
  /** Ids inserted a moment ago. */
  readonly justInserted: ReadonlySet<string>;
  /** How many times the user showed the pending rows. */
  readonly timesShown: number;
  /** The error of the last renewal; null if it succeeded. */
  readonly failure: unknown;
}

export type ListEvent =
  | { type: "changed"; rows: readonly ListRow[]; removed: readonly string[] }
  /** Anything may have changed. */
  | { type: "invalidated" }
  /** The first page is available, read for this visit or an earlier one. */
  | { type: "loaded"; isJustRead: boolean }
  | { type: "scrolled"; first: number; last: number }
  /** While the list is frozen, none of its rows changes. */
  | { type: "frozen"; isFrozen: boolean }
  /** While the list is followed, new rows are inserted as they arrive. */
  | { type: "followed"; isFollowing: boolean }
  | { type: "pendingShown" }
  | { type: "retried" }
  /** A read of older pages, which writes to the query cache itself. */
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
  /** Reads each row individually, then sends `rowsRead`. */
  | { type: "readRows"; rows: readonly ListRow[] }
  | { type: "startTimer"; timer: ListTimer; ms: number }
  | { type: "clearTimer"; timer: ListTimer }
  /** Drops the list and reads its first page. */
  | { type: "restart" }
  | { type: "reportFailure"; error: unknown };

/** The next state under construction, with its effects in order. */
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
  isFrozen: false,
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
