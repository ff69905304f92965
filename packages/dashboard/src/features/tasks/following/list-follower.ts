import type { TaskFilters } from "@svc/client";
import { createStore } from "../../../ui/store.ts";
import type { ListPage, ListRow, LoadedList } from "../../task-data/index.ts";
import { reduce } from "./list-reducer.ts";
import { type ListEffect, type ListEvent, type ListState, type ListTimer, openedList } from "./list-state.ts";

// Runs the effects of list-reducer.ts: reads, timers, and writes into the query cache.

export interface ListReads {
  /** A page of the list's filters, newest first, at or below `until`. */
  page(until: string | null): Promise<ListPage>;
  /** The current row; null if the task no longer exists. */
  row(row: ListRow): Promise<ListRow | null>;
  isPaused(): boolean;
  /** Milliseconds of a monotonic clock. */
  now(): number;
  onFailure(error: unknown): void;
}

/** Access to the cached list; undefined while its first page is loading. */
export interface ListCache {
  get(): LoadedList | undefined;
  set(list: LoadedList): void;
  /** Drops the list and reads its first page. */
  restart(): void;
}

/** The visible state of a list besides its rows. */
export type ListView = ReturnType<typeof viewOf>;

const viewOf = (state: ListState) => ({
  /** Rows about to be inserted are not announced as pending. */
  pendingCount: state.isSliding ? 0 : state.pendingRows.size,
  hasMorePending: state.hasMorePending,
  justInserted: state.justInserted,
  timesShown: state.timesShown,
  isFlooded: state.isFlooded,
  failure: state.failure,
  arrivedCount: state.arrivedCount,
  failedCount: state.failedCount,
});

export type ListFollower = ReturnType<typeof createListFollower>;

export function createListFollower(filters: TaskFilters, reads: ListReads, cache: ListCache) {
  let state = openedList(filters, cache.get());
  let isStopped = false;
  const view = createStore(viewOf(state));
  const timers = new Map<ListTimer, ReturnType<typeof setTimeout>>();

  function send(event: ListEvent): void {
    if (isStopped) return;
    const list = cache.get();
    const [next, effects] = reduce({ ...state, list, nowMs: reads.now(), isPaused: reads.isPaused() }, event);
    state = next;
    if (next.list && next.list !== list) cache.set(next.list);
    const [before, after] = [view.get(), viewOf(next)];
    if ((Object.keys(after) as (keyof ListView)[]).some((key) => after[key] !== before[key])) view.set(after);
    for (const effect of effects) run(effect);
  }

  function run(effect: ListEffect): void {
    if (effect.type === "readPage") void sendResult(readPage(effect.until));
    else if (effect.type === "readRows") void sendResult(readRows(effect.rows));
    else if (effect.type === "startTimer") startTimer(effect.timer, effect.ms);
    else if (effect.type === "clearTimer") clearTimeout(timers.get(effect.timer));
    else if (effect.type === "restart") cache.restart();
    else reads.onFailure(effect.error);
  }

  function startTimer(timer: ListTimer, ms: number): void {
    clearTimeout(timers.get(timer));
    timers.set(
      timer,
      setTimeout(() => send({ type: "timerFired", timer }), ms),
    );
  }

  const sendResult = (read: Promise<ListEvent>): Promise<void> =>
    read.then(send, (error: unknown) => send({ type: "readFailed", error }));

  const readPage = async (until: string | null): Promise<ListEvent> => ({
    type: "pageRead",
    until,
    page: await reads.page(until),
  });

  async function readRows(rows: readonly ListRow[]): Promise<ListEvent> {
    const read = async (row: ListRow) => send({ type: "rowRead", id: row.id, row: await reads.row(row) });
    const results = await Promise.allSettled(rows.map(read));
    const failed = results.find((result) => result.status === "rejected");
    return failed ? { type: "readFailed", error: failed.reason } : { type: "rowsRead" };
  }

  return {
    view,
    send,
    /** Runs a read that writes its response into the cache itself. */
    async during(read: () => Promise<unknown>): Promise<void> {
      send({ type: "readStarted" });
      try {
        await read();
      } finally {
        send({ type: "readEnded" });
      }
    },
    stop(): void {
      isStopped = true;
      for (const timer of timers.values()) clearTimeout(timer);
    },
  };
}
