import { ApiProblem, type TaskFilters } from "@svc/client";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { taskRow } from "../../../../test/traffic/task-rows.ts";
import { type ListPage, type ListRow, type LoadedList, maximumRows, rowsOf } from "../../task-data/index.ts";
import { matchesFilters } from "./filter-match.ts";
import { createListFollower, type ListFollower } from "./list-follower.ts";
import { byNewest } from "./row-changes.ts";
import { slideMs } from "./tail-pace.ts";

const instant = (second: number) => new Date(1_700_000_000_000 + second * 1000).toISOString();
const task = (second: number, given: Partial<ListRow> = {}) =>
  taskRow({
    id: `t-${second}`,
    task_id: `t-${second}`,
    state: "started",
    received_at: instant(second),
    updated_at: instant(second),
    ...given,
  });
const seconds = (from: number, amount: number) => Array.from({ length: amount }, (_, index) => from + index);

let tasks: Map<string, ListRow>;
let list: LoadedList | undefined;
let asked: string[];
let failure: unknown;
let pageRows: number;
let isJustRead: boolean;
let changes: number;
let follower: ListFollower;
let restarts: number;
let nowMs: number;
/** Runs on the server and the hub while a response is in flight. */
let duringRead: () => void;

const put = (...rows: ListRow[]) => {
  for (const row of rows) tasks.set(row.id, row);
};
/** Changes the task on the server; returns the row that its push would carry. */
function change(second: number, given: Partial<ListRow>): ListRow {
  changes += 1;
  const row = { ...task(second), ...tasks.get(`t-${second}`), ...given, updated_at: instant(1_000_000 + changes) };
  put(row);
  return row;
}
function page(filters: TaskFilters, until: string | null): ListPage {
  const matching = [...tasks.values()]
    .filter((row) => matchesFilters(row, filters) && (until === null || row.received_at <= until))
    .sort(byNewest);
  const items = matching.slice(0, pageRows);
  const last = items.at(-1);
  return { items, next_cursor: matching.length > pageRows && last ? `after ${last.id}` : null, reached: null };
}
function open(filters: TaskFilters = {}): void {
  follower = createListFollower(
    filters,
    {
      async page(until) {
        asked.push(until === null ? "newest" : `until ${until}`);
        if (failure) throw failure;
        const answer = page(filters, until);
        await Promise.resolve();
        duringRead();
        return answer;
      },
      async row({ id }) {
        asked.push(id);
        return tasks.get(id) ?? null;
      },
      isPaused: () => false,
      now: () => nowMs,
      onFailure: () => {},
    },
    {
      get: () => list,
      set(next) {
        list = next;
      },
      restart() {
        restarts += 1;
        list = { pages: [page(filters, null)], pageParams: [null] };
      },
    },
  );
  list ??= { pages: [page(filters, null)], pageParams: [null] };
  follower.send({ type: "scrolled", first: 0, last: 20 });
}
const push = (rows: readonly ListRow[], removed: readonly string[]) =>
  follower.send({ type: "changed", rows, removed });
const settle = () => vi.advanceTimersByTimeAsync(0);
const states = () => rowsOf(list).map((row) => `${row.id} ${row.state}`);
const rowIds = () => rowsOf(list).map((row) => row.id);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  tasks = new Map();
  list = undefined;
  asked = [];
  failure = null;
  pageRows = 200;
  isJustRead = false;
  changes = 0;
  restarts = 0;
  nowMs = 0;
  duringRead = () => {};
});
afterEach(() => {
  follower.stop();
  vi.useRealTimers();
});

describe("after a gap", () => {
  test("a row that no longer matches is updated, and a deleted one is removed", async () => {
    put(task(1), task(2), task(3));
    open({ state: "started" });
    change(2, { state: "success" });
    tasks.delete("t-1");

    follower.send({ type: "invalidated" });
    await settle();

    expect(states()).toEqual(["t-3 started", "t-2 success"]);
    expect(asked).toEqual(["newest", "t-2", "t-1"]);
  });

  test("visible rows below many new ones are read by their own bounds", async () => {
    put(...seconds(1, 50).map((second) => task(second)));
    open();
    put(...seconds(100, 260).map((second) => task(second)));
    change(45, { state: "success" });
    tasks.delete("t-44");

    follower.send({ type: "invalidated" });
    await settle();

    expect(states()).toContain("t-45 success");
    expect(rowIds()).not.toContain("t-44");
    expect(asked).toEqual(["newest", `until ${instant(50)}`, "t-44"]);
    expect(follower.view.get()).toMatchObject({ pendingCount: 200, hasMorePending: true });
  });

  test("a row is read once when it comes into view", async () => {
    put(...seconds(1, 300).map((second) => task(second)));
    open();
    list = {
      pages: [{ items: [...tasks.values()].sort(byNewest), next_cursor: null, reached: null }],
      pageParams: [null],
    };
    change(20, { state: "success" });

    follower.send({ type: "invalidated" });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(states()).toContain("t-20 started");

    follower.send({ type: "scrolled", first: 275, last: 295 });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(states()).toContain("t-20 success");

    const before = asked.length;
    follower.send({ type: "scrolled", first: 0, last: 20 });
    follower.send({ type: "scrolled", first: 275, last: 295 });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(asked.length).toBe(before);
  });

  test("many non-matching rows are read a few at a time until all are read", async () => {
    put(...seconds(1, 50).map((second) => task(second)));
    open({ state: "started" });
    follower.send({ type: "scrolled", first: 0, last: 49 });
    for (const second of seconds(1, 50)) change(second, { state: "success" });

    follower.send({ type: "invalidated" });
    await settle();
    expect(asked).toHaveLength(21);
    await vi.advanceTimersByTimeAsync(10_000);

    expect(states().filter((text) => text.endsWith("started"))).toEqual([]);
  });

  test("a revisited list is stale like one that missed pushes", async () => {
    list = { pages: [{ items: [task(1)], next_cursor: null, reached: null }], pageParams: [null] };
    put(task(1, { state: "success", updated_at: instant(2_000_000) }));
    open({ state: "started" });
    follower.send({ type: "loaded", isJustRead });
    await settle();
    expect(states()).toEqual(["t-1 success"]);
  });

  test("a list just read by the page is not read again before the stream starts", async () => {
    isJustRead = true;
    put(task(1));
    open();
    follower.send({ type: "loaded", isJustRead });
    await settle();
    expect(asked).toEqual([]);

    follower.send({ type: "invalidated" });
    await settle();
    expect(asked).toEqual(["newest"]);
  });

  test("a failed renewal is reported and retried, and cleared once it succeeds", async () => {
    put(task(1));
    open();
    failure = new ApiProblem({ code: "internal_error", status: 500, message: "boom" });
    change(1, { state: "success" });

    follower.send({ type: "invalidated" });
    await settle();
    expect(follower.view.get().failure).toBe(failure);
    expect(states()).toEqual(["t-1 started"]);

    failure = null;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(follower.view.get().failure).toBeNull();
    expect(states()).toEqual(["t-1 success"]);
  });

  test("a retry-after of the server is respected", async () => {
    put(task(1));
    open();
    failure = new ApiProblem({ code: "rate_limited", status: 429, message: "wait", retryAfterSeconds: 30 });
    follower.send({ type: "invalidated" });
    await vi.advanceTimersByTimeAsync(29_000);
    expect(asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(asked).toHaveLength(2);
  });
});

describe("pending rows", () => {
  test("are shown in their latest state, or not at all if they no longer match", () => {
    put(task(1));
    open({ state: "started" });
    push([change(2, {}), change(3, {})], []);
    expect(follower.view.get().pendingCount).toBe(2);

    push([change(2, { state: "success" }), change(3, { worker_name: "w-2" })], []);
    expect(follower.view.get().pendingCount).toBe(1);
    follower.send({ type: "pendingShown" });

    expect(rowIds()).toEqual(["t-3", "t-1"]);
    expect(rowsOf(list)[0]?.worker_name).toBe("w-2");
  });

  test("are dropped when a poll no longer finds them", async () => {
    put(task(1));
    open({ state: "started" });
    put(task(2));
    follower.send({ type: "invalidated" });
    await settle();
    expect(follower.view.get().pendingCount).toBe(1);

    change(2, { state: "success" });
    follower.send({ type: "invalidated" });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(follower.view.get().pendingCount).toBe(0);
  });

  test("are not restored by a response older than a push", async () => {
    put(task(1), task(2), task(3));
    open({ state: "started" });
    list = { pages: [{ items: [task(1)], next_cursor: null, reached: null }], pageParams: [null] };
    duringRead = () => {
      push([change(2, { state: "success" })], ["t-3"]);
      tasks.delete("t-3");
    };
    follower.send({ type: "invalidated" });
    await settle();
    expect(follower.view.get().pendingCount).toBe(0);
    expect(rowIds()).toEqual(["t-1"]);
  });

  test("restart the list if there are more than fit", () => {
    put(task(1));
    open();
    const flood = seconds(2, 210).map((second) => change(second, {}));
    push(flood.slice(0, 150), []);
    push(flood.slice(150), []);
    expect(follower.view.get()).toMatchObject({ pendingCount: 200, hasMorePending: true });
    follower.send({ type: "pendingShown" });
    expect([restarts, follower.view.get().pendingCount]).toEqual([1, 0]);
  });

  test("are a lower bound if a short newest page does not reach the list", async () => {
    put(task(1));
    open();
    put(...seconds(2, 40).map((second) => task(second)));
    pageRows = 5;
    follower.send({ type: "invalidated" });
    await settle();
    expect(follower.view.get()).toMatchObject({ pendingCount: 5, hasMorePending: true });
  });
});

describe("following", () => {
  test("inserts new rows immediately", () => {
    put(task(1));
    open();
    follower.send({ type: "followed", isFollowing: true });
    push([change(2, {})], []);
    expect(rowIds()).toEqual(["t-2", "t-1"]);
  });

  test("restarts from the top after a burst, and never continues above a gap", async () => {
    put(task(1));
    open();
    follower.send({ type: "followed", isFollowing: true });
    put(...seconds(2, 900).map((second) => task(second)));
    follower.send({ type: "invalidated" });
    await settle();
    expect(rowIds()).toEqual(
      seconds(702, 200)
        .map((second) => `t-${second}`)
        .reverse(),
    );
    expect(list?.pages).toHaveLength(1);
    expect(follower.view.get()).toMatchObject({ pendingCount: 0, hasMorePending: false });
  });

  test("does not restart the list after the user scrolled down", async () => {
    put(task(1));
    open();
    follower.send({ type: "followed", isFollowing: true });
    duringRead = () => follower.send({ type: "followed", isFollowing: false });
    push(
      seconds(2, 200).map((second) => change(second, {})),
      [],
    );
    await settle();
    expect(rowIds()).toEqual(["t-1"]);
    expect(follower.view.get()).toMatchObject({ pendingCount: 200, hasMorePending: true });
  });

  test("keeps at most the maximum number of rows", async () => {
    open();
    follower.send({ type: "followed", isFollowing: true });
    for (const start of seconds(0, 63)) {
      push(
        seconds(start * 190, 190).map((second) => change(second, {})),
        [],
      );
      nowMs += 5_000;
      await vi.advanceTimersByTimeAsync(slideMs);
      expect(rowsOf(list).length).toBeLessThanOrEqual(maximumRows + 190);
    }
    expect(rowIds()[0]).toBe("t-11969");
  });
});

test("pending reads of one list do not affect the next list", async () => {
  put(task(1));
  open();
  const first = follower;
  duringRead = () => first.stop();
  put(task(2));
  first.send({ type: "invalidated" });
  await settle();
  expect([rowIds(), first.view.get().pendingCount]).toEqual([["t-1"], 0]);
});

test("an older page that was read before a push includes the push", async () => {
  put(task(9), task(5));
  pageRows = 1;
  open();
  await follower.during(async () => {
    const late = { ...(tasks.get("t-5") as ListRow) };
    push([change(5, { state: "success" })], []);
    list = {
      pages: [...(list?.pages ?? []), { items: [late], next_cursor: null, reached: null }],
      pageParams: [null, "c"],
    };
  });
  expect(states()).toEqual(["t-9 started", "t-5 success"]);
});
