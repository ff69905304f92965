import { carriedFields, type TaskKind, taskKinds } from "@svc/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { taskEventOf } from "./event-row.ts";
import { type FoldedTask, foldEvents, mergeRows, type TaskEvent } from "./fold.ts";
import { attemptOfKey, carriedNames, decodeFold, encodeFold, eventKey, timeOfKey, winnerIndex } from "./fold-keys.ts";

const startMs = Date.parse("2026-01-02T00:00:00.000Z");

function taskEvent(kind: TaskKind, data: Record<string, unknown> = {}, atMs = 0, id = 1): TaskEvent {
  const head = {
    id: `00000000-0000-7000-8000-${String(id).padStart(12, "0")}`,
    projectId: "11111111-2222-4333-8444-555555555555",
    agentId: `aaaaaaaa-bbbb-4ccc-8ddd-${String(id % 3).padStart(12, "0")}`,
    engine: "e",
    taskId: "t",
    kind,
    at: startMs + atMs,
  };
  return taskEventOf(head, carriedFields(kind, data, "t"), data, () => `print-${id}`);
}

const fold = (...events: TaskEvent[]) => foldEvents(null, events) as FoldedTask;

describe("the state of a task", () => {
  const moves = ["kept", "later", "moves"] as const;
  const kinds = {
    open: ["task.sent", "task.received", "task.started", "task.retried"],
    terminal: ["task.rejected", "task.revoked", "task.failed", "task.succeeded"],
  } as const;
  const table: [keyof typeof kinds, number, keyof typeof kinds, (typeof moves)[number]][] = [
    ["open", 0, "open", "kept"],
    ["open", 0, "terminal", "kept"],
    ["open", 1, "open", "later"],
    ["open", 1, "terminal", "moves"],
    ["open", 2, "open", "moves"],
    ["open", 2, "terminal", "moves"],
    ["terminal", 0, "open", "kept"],
    ["terminal", 0, "terminal", "kept"],
    ["terminal", 1, "open", "kept"],
    ["terminal", 1, "terminal", "later"],
    ["terminal", 2, "open", "moves"],
    ["terminal", 2, "terminal", "moves"],
  ];

  test.each(table)(
    "of a row that is %s at attempt 1, an event of attempt %i that is %s: %s",
    (now, attempt, next, move) => {
      for (const from of kinds[now]) {
        for (const to of kinds[next]) {
          const before = taskEvent(from, { attempt: 1 }, 1000, 1);
          const row = fold(before);
          const earlier = foldEvents(row, [taskEvent(to, { attempt }, 0, 2)]) as FoldedTask;
          const later = foldEvents(row, [taskEvent(to, { attempt }, 2000, 2)]) as FoldedTask;
          const moved = fold(taskEvent(to)).state;
          expect([from, to, earlier.state]).toEqual([from, to, move === "moves" ? moved : row.state]);
          expect([from, to, later.state]).toEqual([from, to, move === "kept" ? row.state : moved]);
        }
      }
    },
  );

  test("is that of the greater rank, then the greater id, when two events have the same time", () => {
    expect(fold(taskEvent("task.succeeded", {}, 0, 1), taskEvent("task.failed", {}, 0, 2)).state).toBe("success");
    const [one, two] = [
      taskEvent("task.succeeded", { result: 1 }, 0, 1),
      taskEvent("task.succeeded", { result: 2 }, 0, 2),
    ];
    expect([fold(one, two).result, fold(two, one).result]).toEqual(["2", "2"]);
  });
});

describe("the worked example", () => {
  const events = [
    taskEvent("task.sent", { queue: "q" }, 0, 1),
    taskEvent("task.started", { worker: "w1" }, 1000, 2),
    taskEvent("task.failed", { exception: "X" }, 2000, 3),
    taskEvent("task.started", { attempt: 1, worker: "w2" }, 3000, 4),
    taskEvent("task.succeeded", { attempt: 1, runtime_ms: 900 }, 4000, 5),
  ];

  test("is failure after three events", () => {
    expect(fold(...events.slice(0, 3))).toMatchObject({
      state: "failure",
      finished_at: startMs + 2000,
      retry_count: 0,
    });
  });

  test("is a started second attempt after four", () => {
    expect(fold(...events.slice(0, 4))).toMatchObject({
      state: "started",
      attempt: 1,
      started_at: startMs + 3000,
      worker_name: "w2",
      exception: null,
      finished_at: null,
      retry_count: 1,
      last_failed_at: startMs + 2000,
      fingerprint: "print-3",
    });
  });

  test("is success after all five", () => {
    expect(fold(...events)).toMatchObject({
      state: "success",
      finished_at: startMs + 4000,
      runtime_ms: 900,
      received_at: startMs,
      queue: "q",
      name: "unknown",
      priority: "normal",
      args: "[]",
      kwargs: "{}",
      tags: "[]",
    });
  });
});

describe("a field", () => {
  test("is read from the greatest event that carries it, even when that is not the winner", () => {
    const row = fold(
      taskEvent("task.sent", { task_name: "first", queue: "a", args: [1] }, 0, 1),
      taskEvent("task.started", { task_name: "second" }, 1000, 2),
      taskEvent("task.succeeded", { queue: null }, 2000, 3),
    );
    expect(row).toMatchObject({ name: "second", queue: "a", args: "[1]", state: "success" });
  });

  test("counts retries by the greatest of attempts, carried counts and retried attempts", () => {
    expect(fold(taskEvent("task.started", { attempt: 2 })).retry_count).toBe(2);
    expect(fold(taskEvent("task.retried", { attempt: 2 })).retry_count).toBe(3);
    expect(
      fold(taskEvent("task.sent", { retry_count: 7 }), taskEvent("task.retried", { attempt: 2 })).retry_count,
    ).toBe(7);
  });

  test("keeps the newest failure of the greatest attempt, whatever its time", () => {
    const row = fold(
      taskEvent("task.failed", { attempt: 0 }, 5000, 1),
      taskEvent("task.failed", { attempt: 1 }, 1000, 2),
    );
    expect(row).toMatchObject({ last_failed_at: startMs + 1000, fingerprint: "print-2", finished_at: startMs + 1000 });
    expect(row.last_event_at).toBe(startMs + 5000);
  });

  test("shows a start only while it belongs to the winner's attempt, in any order", () => {
    const started = taskEvent("task.started", { wait_ms: 12 }, 1000, 1);
    const retried = taskEvent("task.sent", { attempt: 1 }, 500, 2);
    for (const row of [fold(started, retried), fold(retried, started)]) {
      expect(row).toMatchObject({ started_at: null, wait_ms: null, attempt: 1 });
    }
    expect(fold(started)).toMatchObject({ started_at: startMs + 1000, wait_ms: 12 });
  });
});

const eventArbitrary = fc
  .record({
    kind: fc.constantFrom(...taskKinds),
    at: fc.integer({ min: 0, max: 4 }),
    id: fc.integer({ min: 1, max: 12 }),
    attempt: fc.option(fc.constantFrom(0, 1, 2, 9, 10, 1_000_000), { nil: undefined }),
    data: fc.record(
      {
        task_name: fc.constantFrom("a", "b"),
        queue: fc.constantFrom("q1", "q2"),
        worker: fc.constantFrom("w1", "w2"),
        args: fc.constantFrom([1], [2]),
        result: fc.constantFrom(1, { a: 1 }),
        exception: fc.constantFrom("X", "Y"),
        runtime_ms: fc.constantFrom(1, 2),
        wait_ms: fc.constantFrom(1, 2),
        retry_count: fc.constantFrom(1, 5),
        tags: fc.constantFrom(["a"], ["b"]),
        eta: fc.constantFrom("2026-01-03T00:00:00Z"),
        traceparent: fc.constantFrom(...["1", "2"].map((digit) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`)),
      },
      { requiredKeys: [] },
    ),
  })
  .map(({ kind, at, id, attempt, data }) =>
    taskEvent(kind, { ...data, ...(attempt !== undefined && { attempt }) }, at, id),
  );

/** A set of events: one content per (occurred_at, id). */
const historyArbitrary = fc.uniqueArray(eventArbitrary, {
  selector: ({ key, at }) => `${at}/${key.slice(-36)}`,
  minLength: 1,
  maxLength: 12,
});

describe("the fold", () => {
  test("returns the same row for every order, repetition and grouping of the events", () => {
    fc.assert(
      fc.property(
        historyArbitrary.chain((events) =>
          fc.tuple(
            fc.constant(events),
            fc.shuffledSubarray([...events, ...events], { minLength: 2 * events.length }),
            fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 30, maxLength: 30 }),
          ),
        ),
        ([events, shuffled, sizes]) => {
          const expected = fold(...events);
          let row: FoldedTask | null = null;
          let merged: FoldedTask | null = null;
          for (const size of sizes) {
            const group = shuffled.splice(0, size);
            if (group.length === 0) break;
            row = foldEvents(row, group);
            const part = fold(...group);
            merged = merged === null ? part : mergeRows(part, merged);
          }
          const rest = shuffled.length === 0 ? [] : shuffled;
          expect(foldEvents(row, rest)).toEqual(expected);
          expect(foldEvents(merged, rest)).toEqual(expected);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test("joins rows in any order and grouping, and a row with itself changes nothing", () => {
    const row = historyArbitrary.map((events) => fold(...events));
    // Only rows over one set of events are rows of one task: a shared event has the same content in each.
    const rows = historyArbitrary.chain((events) =>
      fc.tuple(...[0, 1, 2].map(() => fc.subarray(events, { minLength: 1 }).map((part) => fold(...part)))),
    );
    fc.assert(
      fc.property(row, (a) => {
        expect(mergeRows(a, a)).toEqual(a);
      }),
    );
    fc.assert(
      fc.property(rows, ([a, b, c]) => {
        expect(mergeRows(a!, b!)).toEqual(mergeRows(b!, a!));
        expect(mergeRows(mergeRows(a!, b!), c!)).toEqual(mergeRows(a!, mergeRows(b!, c!)));
      }),
      { numRuns: 2000 },
    );
  });

  test("changes none of its inputs", () => {
    const one = fold(taskEvent("task.sent"));
    const two = fold(taskEvent("task.succeeded", { task_name: "n" }, 1000, 2));
    const copies = structuredClone([one, two]);
    mergeRows(one, two);
    foldEvents(one, [taskEvent("task.failed", {}, 2000, 3)]);
    expect([one, two]).toEqual(copies);
  });
});

describe("stored keys", () => {
  test("order as the events do: attempt, phase, time, rank, id", () => {
    const key = (attempt: number, kind: TaskKind, at: number, id: string) => eventKey({ attempt, kind, at, id });
    const ordered = [
      key(0, "task.retried", 9000, "f"),
      key(0, "task.rejected", -62_135_596_800_000, "a"),
      key(0, "task.rejected", 999, "a"),
      key(0, "task.rejected", 1000, "a"),
      key(0, "task.revoked", 1000, "a"),
      key(0, "task.revoked", 1000, "b"),
      key(9, "task.sent", 253_402_300_799_999, "b"),
      key(10, "task.sent", 0, "a"),
      key(1_000_000, "task.sent", 0, "a"),
    ];
    expect([...ordered].sort()).toEqual(ordered);
    expect(ordered.map(attemptOfKey)).toEqual([0, 0, 0, 0, 0, 0, 9, 10, 1_000_000]);
    expect(ordered.slice(1, 4).map(timeOfKey)).toEqual([-62_135_596_800_000, 999, 1000]);
  });

  test("are unchanged after storing, and equal rows store equal text", () => {
    fc.assert(
      fc.property(historyArbitrary, (events) => {
        const stored = fold(...events).fold;
        const keys = decodeFold(stored);
        expect(keys).toHaveLength(carriedNames.length + 3);
        expect(keys[winnerIndex]).toBe(
          [...events]
            .map(({ key }) => key)
            .sort()
            .at(-1),
        );
        expect(encodeFold(keys)).toBe(stored);
        expect(fold(...[...events].reverse()).fold).toBe(stored);
      }),
      { numRuns: 1000 },
    );
    const none = decodeFold("");
    expect(decodeFold(encodeFold(none))).toEqual(none);
  });
});
