import type { TaskFilters } from "@svc/client";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { taskRow } from "../../../../test/traffic/task-rows.ts";
import { type ListRow, type LoadedList, rowsOf } from "../../task-data/index.ts";
import { createListFollower, type ListFollower } from "./list-follower.ts";
import { byNewest } from "./row-changes.ts";
import { slideMs } from "./tail-pace.ts";

const instant = (second: number) => new Date(1_700_000_000_000 + second * 1000).toISOString();
const task = (second: number) =>
  taskRow({ id: `t-${second}`, state: "started", received_at: instant(second), updated_at: instant(second) });
const seconds = (from: number, amount: number) => Array.from({ length: amount }, (_, index) => from + index);

let tasks: Map<string, ListRow>;
let list: LoadedList;
let reads: number;
let changes: number;
let follower: ListFollower;

/** The row pushed when the task is created or changes. */
function change(second: number, given: Partial<ListRow> = {}): ListRow {
  changes += 1;
  const row = { ...task(second), ...tasks.get(`t-${second}`), ...given, updated_at: instant(1_000_000 + changes) };
  tasks.set(row.id, row);
  return row;
}
const newest = () => ({ items: [...tasks.values()].sort(byNewest), next_cursor: null, reached: null });
function open(first: readonly ListRow[], filters: TaskFilters = {}): void {
  for (const row of first) tasks.set(row.id, row);
  list = { pages: [newest()], pageParams: [null] };
  follower = createListFollower(
    filters,
    {
      async page() {
        reads += 1;
        return newest();
      },
      row: async ({ id }) => tasks.get(id) ?? null,
      isPaused: () => false,
      now: () => 0,
      onFailure: () => {},
    },
    {
      get: () => list,
      set(next) {
        list = next;
      },
      restart: () => {},
    },
  );
}
const push = (rows: readonly ListRow[], removed: readonly string[]) =>
  follower.send({ type: "changed", rows, removed });
const states = () => rowsOf(list).map((row) => `${row.id} ${row.state}`);
const rowIds = () => rowsOf(list).map((row) => row.id);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  tasks = new Map();
  reads = 0;
  changes = 0;
});
afterEach(() => {
  follower.stop();
  vi.useRealTimers();
});

describe("following", () => {
  test("inserts new rows together, at most four times a second", async () => {
    open([task(1)]);
    follower.send({ type: "followed", isFollowing: true });
    push([change(2)], []);
    expect(rowIds()).toEqual(["t-2", "t-1"]);
    push([change(3)], []);
    push([change(4)], []);
    expect(rowIds()).toEqual(["t-2", "t-1"]);
    expect(follower.view.get().pendingCount).toBe(0);

    await vi.advanceTimersByTimeAsync(slideMs);

    expect(rowIds()).toEqual(["t-4", "t-3", "t-2", "t-1"]);
  });

  test("pauses automatically above fifty new tasks a second, and resumes on request", async () => {
    open([task(1)]);
    follower.send({ type: "followed", isFollowing: true });
    for (const start of [100, 200, 300]) {
      push(
        seconds(start, 70).map((second) => change(second)),
        [],
      );
      await vi.advanceTimersByTimeAsync(slideMs);
    }
    expect(follower.view.get()).toMatchObject({ isFlooded: true, pendingCount: 70 });
    expect(rowIds()).toHaveLength(141);

    follower.send({ type: "followed", isFollowing: true });

    expect(follower.view.get()).toMatchObject({ isFlooded: false, pendingCount: 0 });
    expect(rowIds()).toHaveLength(211);
  });
});

describe("while the list is frozen", () => {
  test("no row changes or disappears, new ones are counted, and all changes are applied afterwards", () => {
    open([task(1), task(2)]);
    follower.send({ type: "frozen", isFrozen: true });
    push([change(1, { state: "retry" })], []);
    push([change(1, { state: "success" }), change(3)], ["t-2"]);
    expect(states()).toEqual(["t-2 started", "t-1 started"]);
    expect(follower.view.get().pendingCount).toBe(1);

    follower.send({ type: "frozen", isFrozen: false });

    expect(states()).toEqual(["t-1 success"]);
    expect(follower.view.get().pendingCount).toBe(1);
  });

  test("an older response does not replace pushed rows", () => {
    open([task(1)]);
    follower.send({ type: "frozen", isFrozen: true });
    const late = { ...(tasks.get("t-1") as ListRow) };
    push([change(1, { state: "success" })], []);
    push([late], []);
    follower.send({ type: "frozen", isFrozen: false });
    expect(states()).toEqual(["t-1 success"]);
  });
});

test("a search that only the server can evaluate is read again for new tasks", async () => {
  open([task(1)], { q: 'error:"boom"' });
  push([change(1, { state: "failure" }), change(2)], []);
  expect(states()).toEqual(["t-1 failure"]);
  expect(follower.view.get().pendingCount).toBe(0);

  await vi.advanceTimersByTimeAsync(0);

  expect(reads).toBe(1);
  expect(follower.view.get().pendingCount).toBe(1);
});

describe("the announced counts", () => {
  const counts = () => {
    const { arrivedCount, failedCount } = follower.view.get();
    return [arrivedCount, failedCount];
  };

  test("include each new row once, and failed rows, whether listed, pending or new", () => {
    open([task(1), task(2)]);
    expect(counts()).toEqual([0, 0]);
    push([change(3), change(1, { state: "failure" })], []);
    expect(counts()).toEqual([1, 1]);
    push([change(3, { state: "failure" }), change(1, { attempt: 1 })], []);
    expect(counts()).toEqual([1, 2]);
    push([change(4, { state: "failure" })], []);
    expect(counts()).toEqual([2, 3]);
    follower.send({ type: "pendingShown" });
    push([change(4, { attempt: 1 })], []);
    expect(counts()).toEqual([2, 3]);
  });

  test("include a failure of a frozen row once, however often it is reported", () => {
    open([task(1)]);
    follower.send({ type: "frozen", isFrozen: true });
    push([change(1, { state: "failure" })], []);
    push([change(1, { attempt: 1 })], []);
    follower.send({ type: "frozen", isFrozen: false });
    expect(counts()).toEqual([0, 1]);
  });

  test("include rows that arrived during a restart of the list", async () => {
    open([task(1)]);
    follower.send({ type: "followed", isFollowing: true });
    push(
      seconds(100, 200).map((second) => change(second)),
      [],
    );
    await vi.advanceTimersByTimeAsync(0);
    expect(rowIds()).toHaveLength(201);
    expect(counts()).toEqual([200, 0]);
  });
});
