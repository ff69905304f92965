import { isDeepStrictEqual } from "node:util";
import type { TaskFilters } from "@svc/client";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { taskRow } from "../../../../test/traffic/task-rows.ts";
import { type ListPage, type ListRow, type LoadedList, mergeList, pageSize, rowsOf } from "../../task-data/index.ts";
import { matchesFilters } from "./filter-match.ts";
import { reduce } from "./list-reducer.ts";
import { type ListEvent, type ListState, type ListTimer, openedList } from "./list-state.ts";
import { byNewest } from "./row-changes.ts";

const instant = (second: number) => new Date(1_700_000_000_000 + second * 1000).toISOString();

/** A read in flight: the server answers it at one time, and the response arrives later. */
interface Read {
  answer: (() => void) | null;
  serve(): () => void;
  fail(): void;
}

/** A simulated server, its stream and a list, without a clock: each step happens on request. */
function openWorld(filters: TaskFilters, pageRows: number) {
  const tasks = new Map<string, ListRow>();
  const reads = new Set<Read>();
  const timers = new Set<ListTimer>();
  let undelivered: ListEvent[] = [];
  let isConnected = true;
  let isPaused = false;
  let isReadingOlder = false;
  let created = 0;
  let clock = 0;
  let list: LoadedList | undefined;
  let state: ListState = openedList(filters, undefined);

  function send(event: ListEvent): void {
    const before: ListState = { ...state, list, nowMs: clock * 100, isPaused };
    const [next, effects] = reduce(before, event);
    if (rowsOf(list).length < 20) expect(isDeepStrictEqual(reduce(before, event), [next, effects])).toBe(true);
    state = next;
    list = next.list;
    checkBounds(before, next);
    for (const effect of effects) {
      if (effect.type === "startTimer") timers.add(effect.timer);
      else if (effect.type === "clearTimer") timers.delete(effect.timer);
      else if (effect.type === "restart") restart();
      else if (effect.type === "readPage") readPage(effect.until);
      else if (effect.type === "readRows") readRows(effect.rows);
    }
  }

  function addRead(serve: () => () => void, fail: () => void): void {
    const read: Read = { answer: null, serve, fail };
    reads.add(read);
  }

  function page(isBelow: (row: ListRow) => boolean): ListPage {
    const matching = [...tasks.values()].filter((row) => matchesFilters(row, filters) && isBelow(row)).sort(byNewest);
    const items = matching.slice(0, pageRows);
    const last = items.at(-1);
    return { items, next_cursor: matching.length > pageRows && last ? last.received_at : null, reached: null };
  }

  const failed: ListEvent = { type: "readFailed", error: new Error("no answer") };

  function readPage(until: string | null): void {
    addRead(
      () => {
        const answer = page((row) => until === null || row.received_at <= until);
        return () => send({ type: "pageRead", until, page: answer });
      },
      () => send(failed),
    );
  }

  function readRows(rows: readonly ListRow[]): void {
    let open = rows.length;
    let isFailed = false;
    const end = () => {
      open -= 1;
      if (open === 0) send(isFailed ? failed : { type: "rowsRead" });
    };
    for (const { id } of rows) {
      addRead(
        () => {
          const row = tasks.get(id) ?? null;
          return () => {
            send({ type: "rowRead", id, row });
            end();
          };
        },
        () => {
          isFailed = true;
          end();
        },
      );
    }
  }

  function readFirst(): void {
    addRead(() => {
      const first = page(() => true);
      return () => {
        list = { pages: [first], pageParams: [null] };
        send({ type: "loaded", isJustRead: !isConnected });
      };
    }, readFirst);
  }

  function restart(): void {
    list = undefined;
    readFirst();
  }

  function readOlder(): void {
    const base = list;
    const cursor = base?.pages.at(-1)?.next_cursor ?? null;
    if (!base || cursor === null || isReadingOlder) return;
    isReadingOlder = true;
    send({ type: "readStarted" });
    const end = () => {
      isReadingOlder = false;
      send({ type: "readEnded" });
    };
    addRead(() => {
      const older = page((row) => row.received_at < cursor);
      return () => {
        // A restarted list has cancelled the read.
        if (list) list = mergeList(list, { pages: [...base.pages, older], pageParams: [...base.pageParams, cursor] });
        end();
      };
    }, end);
  }

  function emit(rows: ListRow[], removed: string[] = []): void {
    if (isConnected) undelivered.push({ type: "changed", rows, removed });
  }

  function put(row: ListRow): ListRow {
    clock += 1;
    const changed = { ...row, updated_at: instant(clock) };
    tasks.set(row.id, changed);
    return changed;
  }

  function create(): ListRow {
    created += 1;
    const id = `t-${created}`;
    return put(taskRow({ id, task_id: id, state: "started", received_at: instant(created) }));
  }

  const pick = <Item>(items: Iterable<Item>, place: number): Item | undefined => {
    const all = [...items];
    return all[place % Math.max(1, all.length)];
  };

  function arrive(read: Read | undefined): void {
    if (!read) return;
    const answer = read.answer ?? read.serve();
    reads.delete(read);
    answer();
  }

  function fire(timer: ListTimer | undefined): void {
    if (timer === undefined) return;
    timers.delete(timer);
    send({ type: "timerFired", timer });
  }

  function connect(isOn: boolean): void {
    if (isOn === isConnected) return;
    isConnected = isOn;
    undelivered = [];
    if (isOn) send({ type: "invalidated" });
  }

  const steps = {
    create: () => emit([create()]),
    burst: (amount: number) => emit(Array.from({ length: amount * 4 }, create)),
    change(place: number) {
      const row = pick(tasks.values(), place);
      if (row) emit([put({ ...row, state: place % 3 === 0 ? "failure" : "success" })]);
    },
    delete(place: number) {
      const row = pick(tasks.values(), place);
      if (!row) return;
      tasks.delete(row.id);
      emit([], [row.id]);
    },
    deliver() {
      const event = undelivered.shift();
      if (event) send(event);
    },
    serve(place: number) {
      const read = pick(reads, place);
      if (read) read.answer ??= read.serve();
    },
    arrive: (place: number) => arrive(pick(reads, place)),
    fail(place: number) {
      const read = pick(reads, place);
      if (!read) return;
      reads.delete(read);
      read.fail();
    },
    fire: (place: number) => fire(pick(timers, place)),
    connect: (place: number) => connect(!isPaused && place % 2 === 0),
    pause(place: number) {
      isPaused = place % 2 === 0;
      connect(!isPaused);
    },
    poll: () => send({ type: "invalidated" }),
    scroll: (place: number) => send({ type: "scrolled", first: place * 5, last: place * 5 + 20 }),
    freeze: (place: number) => send({ type: "frozen", isFrozen: place % 2 === 0 }),
    follow: (place: number) => send({ type: "followed", isFollowing: place % 2 === 0 }),
    show: () => send({ type: "pendingShown" }),
    retry: () => send({ type: "retried" }),
    older: readOlder,
  };

  /** Runs until nothing is in flight or waiting. */
  function settle(): void {
    for (let turn = 0; turn < 2_000; turn += 1) {
      if (undelivered.length > 0) steps.deliver();
      else if (reads.size > 0) arrive(pick(reads, 0));
      else if (timers.size > 0) fire(pick(timers, 0));
      else return;
    }
    throw new Error("it never settles");
  }

  readFirst();
  return {
    steps,
    settle,
    send,
    tasks,
    list: () => list,
    state: () => state,
    /** Unfreezes, reconnects, and views the whole list. */
    readAll(): void {
      steps.pause(1);
      steps.freeze(1);
      steps.follow(1);
      for (let turn = 0; turn < 2_000; turn += 1) {
        settle();
        if (state.pendingRows.size > 0 || state.hasMorePending) steps.show();
        else if (rowsOf(list).some(({ id }) => state.staleIds.has(id))) {
          send({ type: "scrolled", first: 0, last: rowsOf(list).length });
        } else if (list?.pages.at(-1)?.next_cursor) readOlder();
        else return;
      }
      throw new Error("it is never read to its end");
    },
  };
}

function checkBounds(before: ListState, after: ListState): void {
  const [old, rows] = [rowsOf(before.list), rowsOf(after.list)];
  const ids = new Set(rows.map(({ id }) => id));
  expect(ids.size).toBe(rows.length);
  expect(after.pendingRows.size).toBeLessThanOrEqual(pageSize);
  expect(after.deferredPatches.size).toBeLessThanOrEqual(old.length);
  if (after.readsInFlight === 0) expect(after.inFlightChanges.size).toBe(0);
  // A frozen list never changes.
  if (before.isFrozen && after.isFrozen) expect(old.every((row) => rows.includes(row))).toBe(true);
}

type World = ReturnType<typeof openWorld>;
type StepName = keyof World["steps"];

const stepNames: [StepName, number][] = [
  ["create", 6],
  ["burst", 1],
  ["change", 6],
  ["delete", 2],
  ["deliver", 8],
  ["serve", 4],
  ["arrive", 8],
  ["fail", 1],
  ["fire", 5],
  ["connect", 2],
  ["pause", 1],
  ["poll", 1],
  ["scroll", 2],
  ["freeze", 2],
  ["follow", 2],
  ["show", 2],
  ["retry", 1],
  ["older", 2],
];
const step = fc.oneof(
  ...stepNames.map(([name, weight]) => ({ weight, arbitrary: fc.tuple(fc.constant(name), fc.nat({ max: 60 })) })),
);

type Steps = [StepName, number][];

const stepsOf = (text: string): Steps =>
  text.split(", ").map((step) => {
    const [name, place] = step.split(" ");
    return [name as StepName, Number(place)];
  });

/** Past regressions that lost a row: [steps, rows per page]. */
const lostOnce: [Steps, number][] = [
  // All loaded rows were deleted, and with them the information how far back the list reaches.
  [stepsOf("create 0, create 0, create 0, arrive 0, delete 1, delete 21, create 0"), 2],
  // A change event was processed before the refresh that would have shown the gap below it.
  [stepsOf("serve 0, create 0, deliver 0, arrive 0, burst 1"), 2],
  // The row was read after its change event, but the response was treated as older.
  [stepsOf("create 0, arrive 0, retry 0, deliver 0, connect 21, change 0"), 2],
  // More rows arrived than fit into an empty list, and following ended before the restart.
  [stepsOf("arrive 0, burst 50, create 0, deliver 0"), 2],
  [stepsOf("arrive 0, pause 0, burst 1, follow 0, pause 3, freeze 0, arrive 0, create 0"), 2],
];

describe("after any interleaving of changes, reads, failures and user actions", () => {
  test.each<TaskFilters>([{}, { state: "started" }])("the list equals the server's under %o", (filters) => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 80, size: "max" }),
        fc.integer({ min: 2, max: 30 }),
        (steps, pageRows) => {
          const world = openWorld(filters, pageRows);
          for (const [name, place] of steps) world.steps[name](place);
          world.readAll();

          const shown = rowsOf(world.list());
          const isListed = new Set(shown.map(({ id }) => id));
          const expected = [...world.tasks.values()].filter(
            (row) => matchesFilters(row, filters) || isListed.has(row.id),
          );
          expect(shown).toEqual(expected.sort(byNewest));
        },
      ),
      { numRuns: 300, examples: lostOnce },
    );
  });
});

test("more changes than are recorded during a read make everything stale", () => {
  const row = taskRow({ id: "t-0" });
  let state: ListState = openedList(
    {},
    { pages: [{ items: [row], next_cursor: null, reached: null }], pageParams: [] },
  );
  const send = (event: ListEvent) => {
    const [next, effects] = reduce(state, event);
    state = next;
    return effects;
  };
  send({ type: "readStarted" });
  send({
    type: "changed",
    rows: Array.from({ length: 2_500 }, (_, at) => taskRow({ id: `t-${at + 1}` })),
    removed: [],
  });
  expect(state.inFlightChanges.size).toBe(2_000);
  expect(state.staleIds).toEqual(new Set());

  expect(send({ type: "readEnded" })).toEqual([{ type: "readPage", until: null }]);
  expect(state.inFlightChanges.size).toBe(0);
  expect(state.staleIds).toContain("t-0");
});
