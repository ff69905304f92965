import { type ActivityPage, type ActivityRow, ApiProblem } from "@svc/client";
import { hiddenPollMs, visiblePollMs } from "../../live/connection.ts";
import { createStore } from "../../ui/store.ts";

// Looks for rows that are newer than those of a list, without putting any into it. Of all tabs that look for the same, one
// reads and tells the others; which one is decided by `Tabs`. Everything it touches comes in, so that its life can be
// walked through in a test.

/** What the reading tab tells the others: rows newer than `since`. */
export interface ToldPage {
  since: string;
  page: ActivityPage;
}

export interface Tabs {
  /** Asks to be the one tab that reads. `onTurn` is called with each change; a tab that was just looked at goes first. */
  join(onTurn: (isMine: boolean) => void, onTold: (told: ToldPage) => void): void;
  tell(told: ToldPage): void;
  leave(): void;
}

export interface Surroundings {
  /** The newest rows after a cursor; from the top when it is empty. */
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
  /** There are more than that. */
  hasMore: boolean;
  /** Why the last look failed; null once one has not. */
  failure: unknown;
}

export const maximumArrived = 200;
const usualWaitMs = 60_000;

/** A row's place, as the API has it. Later places are greater as texts. */
export const placeOf = ({ occurred_at, id }: { occurred_at: string; id: string }): string => `${occurred_at}|${id}`;

export type ActivityFollower = ReturnType<typeof followActivity>;

/** Follows from a place; "" is before all rows. */
export function followActivity(from: string, around: Surroundings) {
  const state = createStore<Arrived>({ rows: [], hasMore: false, failure: null });
  const ended = new AbortController();
  let newest = from;
  let isMine = false;
  let isReading = false;
  let isPaused = false;
  /** When somebody read last, and until when nobody should. */
  let readAt = around.now();
  let notBefore = 0;
  let cancel = () => {};

  function take({ since, page }: ToldPage): void {
    readAt = around.now();
    // Told from a place that this tab has not reached: what lies between was never here.
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
      around.tabs.tell({ since, page });
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
    if (!isMine || isReading || isPaused || ended.signal.aborted) return;
    const everyMs = around.isHidden() ? hiddenPollMs : visiblePollMs;
    const waitMs = Math.max(readAt + everyMs, notBefore) - around.now();
    cancel = around.after(Math.max(0, waitMs), () => void read());
  }

  around.tabs.join(
    (mine) => {
      isMine = mine;
      schedule();
    },
    (told) => {
      if (!isPaused && !ended.signal.aborted) take(told);
    },
  );

  return {
    get: state.get,
    subscribe: state.subscribe,
    /** The tab was hidden or is looked at again. */
    looked: schedule,
    setPaused(paused: boolean): void {
      isPaused = paused;
      schedule();
    },
    /** Looks now, unless the server asked to wait. */
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
