import { type ActivityPage, type ActivityRow, ApiProblem } from "@svc/client";
import { hiddenPollMs, visiblePollMs } from "../../live/connection.ts";
import { createStore } from "../../ui/store.ts";

// Polls for rows newer than those of a list, without changing the list. Of all tabs with the same filters, the leader that
// `Tabs` elects polls and shares the result. All dependencies are injected for tests.

/** What the leader shares with the other tabs: rows newer than `since`. */
export interface SharedPage {
  since: string;
  page: ActivityPage;
}

export interface Tabs {
  /** Takes part in the election of the leader. `onLeader` is called on each change; a tab that becomes visible takes over. */
  join(onLeader: (isLeader: boolean) => void, onShared: (shared: SharedPage) => void): void;
  share(page: SharedPage): void;
  leave(): void;
}

export interface Surroundings {
  /** The newest rows after a cursor; an empty one means all. */
  read(since: string, signal: AbortSignal): Promise<ActivityPage>;
  tabs: Tabs;
  now(): number;
  /** Returns a function that cancels. */
  after(ms: number, run: () => void): () => void;
  isHidden(): boolean;
}

export interface Arrived {
  /** Newest first. */
  rows: readonly ActivityRow[];
  /** Whether there are more. */
  hasMore: boolean;
  /** The error of the last poll, or null. */
  failure: unknown;
}

export const maximumArrived = 200;
const usualWaitMs = 60_000;

/** The cursor of a row in the API. Later rows have greater cursors as strings. */
export const placeOf = ({ occurred_at, id }: { occurred_at: string; id: string }): string => `${occurred_at}|${id}`;

export type ActivityFollower = ReturnType<typeof followActivity>;

/** Follows from a cursor; "" is before all rows. */
export function followActivity(from: string, around: Surroundings) {
  const state = createStore<Arrived>({ rows: [], hasMore: false, failure: null });
  const ended = new AbortController();
  let newest = from;
  let isLeader = false;
  let isReading = false;
  let isPaused = false;
  /** Time of the last poll by any tab, and the earliest time of the next. */
  let readAt = around.now();
  let notBefore = 0;
  let cancel = () => {};

  function take({ since, page }: SharedPage): void {
    readAt = around.now();
    // Shared from a cursor beyond this tab's: the rows in between are missing here.
    if (since > newest) {
      void read();
      return;
    }
    const rows = page.items.filter((row) => placeOf(row) > newest);
    const all = [...rows, ...state.get().rows];
    newest = page.newest_cursor !== null && page.newest_cursor > newest ? page.newest_cursor : newest;
    const isCut = all.length > maximumArrived || page.next_before_cursor !== null;
    state.set({ rows: all.slice(0, maximumArrived), hasMore: state.get().hasMore || isCut, failure: null });
  }

  async function read(): Promise<void> {
    if (isReading || isPaused || ended.signal.aborted) return;
    isReading = true;
    const since = newest;
    try {
      const page = await around.read(since, ended.signal);
      if (ended.signal.aborted) return;
      take({ since, page });
      around.tabs.share({ since, page });
    } catch (failure) {
      if (ended.signal.aborted) return;
      readAt = around.now();
      if (failure instanceof ApiProblem && failure.code === "rate_limited") {
        notBefore =
          around.now() + (failure.retryAfterSeconds === null ? usualWaitMs : failure.retryAfterSeconds * 1000);
      }
      state.set({ ...state.get(), failure });
    } finally {
      isReading = false;
      schedule();
    }
  }

  function schedule(): void {
    cancel();
    cancel = () => {};
    if (!isLeader || isReading || isPaused || ended.signal.aborted) return;
    const everyMs = around.isHidden() ? hiddenPollMs : visiblePollMs;
    const waitMs = Math.max(readAt + everyMs, notBefore) - around.now();
    cancel = around.after(Math.max(0, waitMs), () => void read());
  }

  around.tabs.join(
    (leads) => {
      isLeader = leads;
      schedule();
    },
    (shared) => {
      if (!isPaused && !ended.signal.aborted) take(shared);
    },
  );

  return {
    get: state.get,
    subscribe: state.subscribe,
    /** Call when the tab was hidden or shown. */
    visibilityChanged: schedule,
    setPaused(paused: boolean): void {
      isPaused = paused;
      schedule();
    },
    /** Polls now, unless the server asked to wait. */
    retry(): void {
      if (around.now() >= notBefore) void read();
    },
    end(): void {
      cancel();
      ended.abort();
      around.tabs.leave();
    },
  };
}
