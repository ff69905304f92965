import { taskKinds } from "@svc/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DeltaRow } from "../../stats/thread.ts";
import { type FoldedTask, rowOfEvents, storedTask } from "../../tasks/thread.ts";
import { createPreparer, type PreparedEvent } from "../prepare-batch.ts";
import { redactorOf } from "../settings.ts";
import { type EventGroup, groupEvents, type PlannedEvent } from "./event-group.ts";
import { groupOf, messageOf } from "./message.ts";
import { type BatchPlan, newRows, planBatch } from "./plan-batch.ts";

const startMs = Date.parse("2026-01-02T03:04:05.000Z");
const projectId = "11111111-2222-4333-8444-555555555555";
const idOf = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, "0")}`;
const prepare = createPreparer({
  clock: { now: () => new Date(startMs) },
  redactor: redactorOf({
    SVC_MAX_PAYLOAD_SIZE_BYTES: 8192,
    SVC_REDACTION_EXTRA_KEY_PATTERNS: [],
    SVC_REDACTION_EXTRA_VALUE_PATTERNS: [],
  }),
  eventRetentionDays: 30,
});

interface GivenEvent {
  readonly number: number;
  readonly kind: string;
  readonly taskId?: string;
  readonly atMs?: number;
  readonly data?: Record<string, unknown>;
}

const eventsOf = (given: readonly GivenEvent[]): PreparedEvent[] =>
  prepare({
    projectId,
    agentId: "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee",
    frameTs: new Date(startMs).toISOString(),
    events: given.map(({ number, kind, taskId = "t", atMs = number, data = {} }) => ({
      id: idOf(number),
      kind,
      engine: "e",
      task_id: taskId,
      occurred_at: new Date(startMs - 1000 + atMs).toISOString(),
      data,
    })),
  }).events;

/** A database in memory: the events and rows that the plans have stored. */
function createMemory() {
  const ids = new Set<string>();
  const rows = new Map<string, FoldedTask>();
  return {
    rows,
    plan(group: EventGroup): BatchPlan {
      const isNew = group.events.map(({ id }) => !ids.has(id));
      const present = group.tasks.map(({ row }) => rows.get(row.id) ?? null);
      return planBatch(group, { isNew, freshRows: newRows(group, isNew), present });
    },
    apply(group: EventGroup, plan: BatchPlan): void {
      for (const { id } of group.events) ids.add(id);
      for (const { after } of plan.rows) rows.set(after.id, after);
    },
  };
}

/** Plans and applies each batch after those before it. */
function plansOf(...batches: GivenEvent[][]): BatchPlan[] {
  const memory = createMemory();
  return batches.map((batch) => {
    const group = groupEvents(eventsOf(batch));
    const plan = memory.plan(group);
    memory.apply(group, plan);
    return plan;
  });
}

const statesOf = (plan: BatchPlan | undefined) =>
  Object.fromEntries(
    (plan?.deltas ?? []).flatMap(({ counter, kind, count }) => (counter === "state" ? [[kind, count]] : [])),
  );
const rollupsOf = (plan: BatchPlan | undefined) => (plan?.deltas ?? []).filter(({ counter }) => counter === "rollup");

describe("the plan of a batch", () => {
  test("inserts the row of a new task and counts its state", () => {
    const [plan] = plansOf([{ number: 1, kind: "task.started", data: { task_name: "a", queue: "q" } }]);
    expect(plan?.rows).toMatchObject([{ task: 0, before: null, after: { task_id: "t", name: "a", state: "started" } }]);
    expect(statesOf(plan)).toEqual({ started: 1 });
  });

  test("merges into an existing row, and moves its state", () => {
    const [, plan] = plansOf(
      [{ number: 1, kind: "task.started", data: { task_name: "a" } }],
      [{ number: 2, kind: "task.succeeded", data: { result: 7 } }],
    );
    expect(plan?.rows).toMatchObject([
      { before: { state: "started" }, after: { name: "a", state: "success", result: "7" } },
    ]);
    expect(statesOf(plan)).toEqual({ started: -1, success: 1 });
  });

  test("does not count an unchanged state", () => {
    const [, plan] = plansOf([{ number: 2, kind: "task.succeeded" }], [{ number: 1, kind: "task.started" }]);
    expect(plan?.rows).toMatchObject([{ before: { state: "success" }, after: { state: "success" } }]);
    expect(statesOf(plan)).toEqual({});
  });

  test("changes nothing for known events, whatever their content now", () => {
    const [, plan] = plansOf(
      [{ number: 1, kind: "task.started", data: { queue: "q", retried_from: "o" } }],
      [{ number: 1, kind: "task.started", data: { queue: "r", retried_from: "p" } }],
    );
    expect(plan).toEqual({ rows: [], links: [], deltas: [], workerStates: [], touches: { queues: [], workers: [] } });
  });

  test("applies only the new events of a task whose events are partly known", () => {
    const [, plan] = plansOf(
      [{ number: 1, kind: "task.started" }],
      [
        { number: 1, kind: "task.started", data: { queue: "q" } },
        { number: 2, kind: "task.succeeded" },
      ],
    );
    expect(plan?.rows).toMatchObject([{ after: { queue: null, state: "success" } }]);
    expect(rollupsOf(plan)).toMatchObject([{ kind: "task.succeeded", queue: "", count: 1 }]);
  });

  test("counts an event under name and queue of its task when it carries none, and under none without a task", () => {
    const [, plan] = plansOf(
      [{ number: 1, kind: "task.started", data: { task_name: "a", queue: "q" } }],
      [
        { number: 2, kind: "task.succeeded", data: { worker: "w", runtime_ms: 12 } },
        { number: 3, kind: "worker.heartbeat", taskId: "", data: { worker: "w" } },
      ],
    );
    expect(rollupsOf(plan)).toMatchObject([
      { kind: "task.succeeded", name: "a", queue: "q", run_ms_sum: 12 },
      { kind: "worker.heartbeat", name: "", queue: "" },
    ]);
    expect(plan?.deltas).toContainEqual(expect.objectContaining({ counter: "worker", worker: "w", count: 1 }));
  });

  test("links a task to the one it retries", () => {
    const [plan] = plansOf([{ number: 1, kind: "task.sent", data: { retried_from: "old" } }]);
    expect(plan?.links).toEqual([{ projectId, engine: "e", newId: "t", oldId: "old", at: startMs - 999 }]);
  });

  test("gives each worker the state of its last event, and records no contact of those that went offline", () => {
    const [plan] = plansOf([
      { number: 1, kind: "worker.online", taskId: "", data: { worker: "a" } },
      { number: 2, kind: "worker.offline", taskId: "", data: { worker: "b" } },
      { number: 3, kind: "worker.offline", taskId: "", data: { worker: "a" } },
      { number: 4, kind: "worker.heartbeat", taskId: "", data: { worker: "c" } },
    ]);
    expect(plan?.workerStates.map(({ name, state }) => [name, state])).toEqual([
      ["a", "offline"],
      ["b", "offline"],
    ]);
    expect(plan?.touches.workers.map(({ name, at }) => [name, at])).toEqual([
      ["a", startMs - 999],
      ["c", startMs - 996],
    ]);
  });
});

const dataArbitrary = fc.record(
  {
    task_name: fc.constantFrom("a", "b"),
    queue: fc.constantFrom("q1", "q2", "é\u0000"),
    worker: fc.constantFrom("w1", "w2"),
    attempt: fc.constantFrom(0, 1, 2),
    args: fc.constantFrom([1], ["é", 0.5]),
    parent_task_id: fc.constantFrom("p1", "p\u0000"),
    retried_from: fc.constantFrom("t0", "other", "x\u0000"),
    eta: fc.constant("2026-01-03T00:00:00.123Z"),
    runtime_ms: fc.constantFrom(0, 900, 3_000_000_000),
    wait_ms: fc.constantFrom(1, 2),
  },
  { requiredKeys: [] },
);
const workerKinds = ["worker.online", "worker.offline", "worker.heartbeat"];

/** One content per number; task events and events without a task. */
const historyArbitrary = fc
  .uniqueArray(
    fc.record({
      number: fc.integer({ min: 1, max: 60 }),
      kind: fc.constantFrom<string>(...taskKinds, ...workerKinds),
      atMs: fc.integer({ min: 0, max: 5 }),
      data: dataArbitrary,
    }),
    { selector: ({ number }) => number, minLength: 1, maxLength: 30 },
  )
  .map((drawn) =>
    drawn.map(
      (event): GivenEvent => ({ ...event, taskId: workerKinds.includes(event.kind) ? "" : `t${event.number % 4}` }),
    ),
  );

const deliveryArbitrary = historyArbitrary.chain((history) =>
  fc.record({
    history: fc.constant(history),
    order: fc.shuffledSubarray([...history, ...history], { minLength: history.length }),
    sizes: fc.array(fc.integer({ min: 1, max: 10 }), { maxLength: 20 }),
  }),
);

function batchesOf(given: readonly GivenEvent[], sizes: readonly number[]): GivenEvent[][] {
  const rest = [...given];
  const batches = sizes.map((size) => rest.splice(0, size));
  return [...batches, rest].filter((batch) => batch.length > 0);
}

const sumBy = (deltas: readonly DeltaRow[], counter: DeltaRow["counter"]) => {
  const sums = new Map<string, number>();
  for (const delta of deltas) {
    if (delta.counter === counter) sums.set(delta.kind, (sums.get(delta.kind) ?? 0) + delta.count);
  }
  return new Map([...sums].filter(([, sum]) => sum !== 0).sort());
};
const countBy = (values: readonly string[]) =>
  new Map([...Map.groupBy(values, (value) => value)].map(([value, all]) => [value, all.length] as const).sort());

describe("plans of any order, repetition and grouping of a history", () => {
  test("produce the rows of the fold and counters that agree with them", () => {
    fc.assert(
      fc.property(deliveryArbitrary, ({ history, order, sizes }) => {
        const memory = createMemory();
        const deltas: DeltaRow[] = [];
        for (const batch of batchesOf([...order, ...history], sizes)) {
          const group = groupEvents(eventsOf(batch));
          const plan = memory.plan(group);
          memory.apply(group, plan);
          deltas.push(...plan.deltas);
        }
        const events = eventsOf(history);
        const byTask = Map.groupBy(
          events.filter(({ task }) => task.key !== ""),
          ({ task }) => task.taskId,
        );
        const expected = [...byTask.values()].map((own) => rowOfEvents(own.map(({ task }) => task)));
        const byId = (a: FoldedTask, b: FoldedTask) => (a.id < b.id ? -1 : 1);
        expect([...memory.rows.values()].sort(byId)).toEqual(expected.sort(byId));
        expect(sumBy(deltas, "state")).toEqual(countBy(expected.map(({ state }) => state)));
        expect(sumBy(deltas, "rollup")).toEqual(countBy(events.map(({ task }) => task.kind)));
      }),
      { numRuns: 300 },
    );
  });

  test("are the same for a group that was sent to the writer thread", () => {
    const copied = (group: EventGroup<PreparedEvent>): EventGroup<PlannedEvent> =>
      groupOf(structuredClone(messageOf(group, startMs)));
    /** Rows by their values: those of the thread are views. */
    const byValues = (plan: BatchPlan) => ({
      ...plan,
      rows: plan.rows.map(({ after, ...row }) => ({ ...row, after: storedTask(after) })),
    });
    fc.assert(
      fc.property(deliveryArbitrary, ({ order, sizes }) => {
        const memory = createMemory();
        for (const batch of batchesOf(order, sizes)) {
          const group = groupEvents(eventsOf(batch));
          const plan = memory.plan(group);
          expect(byValues(memory.plan(copied(group)))).toEqual(byValues(plan));
          memory.apply(group, plan);
        }
      }),
      { numRuns: 300 },
    );
  });
});
