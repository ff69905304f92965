import { describe, expect, test } from "vitest";
import { taskEvent, taskRow } from "../../../../../test/traffic/task-rows.ts";
import { clearTicks, lifecycleOf, taskPollMs, ticksOf } from "../history/lifecycle.ts";
import { storyOf } from "../history/story.ts";
import { attemptChange } from "./attempt-change.ts";
import { attemptOfTask, attemptsOf } from "./attempts.ts";

const retried = [
  taskEvent("task.sent", 0, { queue: "emails" }),
  taskEvent("task.started", 2, { attempt: 0, worker: "w1", wait_ms: 2000 }),
  taskEvent("task.retried", 5, { attempt: 0, exception: "Error: no" }),
  taskEvent("task.started", 10, { attempt: 1, worker: "w2" }),
  taskEvent("task.succeeded", 14, { attempt: 1, runtime_ms: 3900 }),
];

describe("attemptsOf", () => {
  test("joins the start and the end of each attempt", () => {
    expect(attemptsOf(retried)).toMatchObject([
      { number: 0, state: "retry", worker: "w1", runMs: 3000, exception: "Error: no" },
      { number: 1, state: "success", worker: "w2", runMs: 3900 },
    ]);
  });

  test("does not depend on the order of the events", () => {
    expect(attemptsOf(retried.toReversed())).toEqual(attemptsOf(retried));
  });

  test("includes an attempt without a reported start", () => {
    expect(attemptsOf([taskEvent("task.failed", 5, { attempt: 2 })])).toMatchObject([
      { number: 2, state: "failure", startedAt: null, runMs: null },
    ]);
  });

  test("falls back to the task itself", () => {
    expect(attemptOfTask(taskRow())).toMatchObject([{ state: "success", runMs: 3000 }]);
    expect(attemptOfTask(taskRow({ started_at: null, finished_at: null }))).toEqual([]);
  });
});

describe("attemptChange", () => {
  const trace = "A: x\n    at f (/app/src/a.ts:7:1)";
  const failing = (number: number, worker: string, exception: string) => [
    taskEvent("task.started", 10 * number, { attempt: number, worker }),
    taskEvent("task.failed", 10 * number + 2, { attempt: number, exception, traceback: trace }),
  ];

  test("compares the successful attempt with the last failed one", () => {
    const change = attemptChange(attemptsOf(retried));
    expect([change?.from.number, change?.to.number]).toEqual([0, 1]);
    expect(change?.changed).toEqual([{ field: "worker", from: "w1", to: "w2" }]);
    expect(change?.same).toEqual(["run time"]);
  });

  test("compares the last failure with the first if none succeeded", () => {
    const attempts = attemptsOf([
      ...failing(0, "w1", "A: x"),
      ...failing(1, "w1", "B: y"),
      ...failing(2, "w1", "my.A: z"),
    ]);
    const change = attemptChange(attempts);
    expect(change?.changed).toEqual([{ field: "error", from: "A: x", to: "A: z" }]);
    expect(change?.same).toEqual(["worker", "run time", "location"]);
  });

  test("is null for a single attempt, or for an unfinished one", () => {
    expect(attemptChange(attemptsOf(failing(0, "w1", "A: x")))).toBeNull();
    expect(attemptChange(attemptsOf(retried.slice(0, 4)))).toBeNull();
  });
});

describe("lifecycleOf", () => {
  const received = Date.parse("2026-11-20T10:00:00.000Z");
  const spans = (life: ReturnType<typeof lifecycleOf>) =>
    life.segments.map((segment) => [
      segment.kind,
      (segment.fromMs - received) / 1000,
      (segment.toMs - received) / 1000,
    ]);

  test("shows wait, runs and the backoff between them", () => {
    const task = taskRow({ finished_at: "2026-11-20T10:00:14.000Z" });
    expect(spans(lifecycleOf(task, attemptsOf(retried), received + 60_000))).toEqual([
      ["wait", 0, 2],
      ["run", 2, 5],
      ["backoff", 5, 10],
      ["run", 10, 14],
    ]);
  });

  test("extends to now while the task is unfinished", () => {
    const task = taskRow({ state: "started", finished_at: null, runtime_ms: null });
    const life = lifecycleOf(task, attemptsOf(retried.slice(0, 2)), received + 9_000);
    expect(spans(life)).toEqual([
      ["wait", 0, 2],
      ["run", 2, 9],
    ]);
    expect(life.endMs).toBeNull();
  });

  test("extends to a future ETA", () => {
    const task = taskRow({ state: "pending", started_at: null, finished_at: null, eta: "2026-11-20T11:00:00.000Z" });
    const life = lifecycleOf(task, [], received + 1000);
    expect(life.etaMs).toBe(life.toMs);
    expect(life.nowMs).toBe(received + 1000);
    expect(spans(life)).toEqual([["wait", 0, 1]]);
  });

  test("has round ticks, never more than requested", () => {
    const ticks = ticksOf(received + 1, received + 61_000, 7);
    expect(ticks.length).toBeLessThanOrEqual(7);
    expect(ticks.every((tick) => tick % 1000 === 0)).toBe(true);
  });

  test("drops labels that would overlap or be cut off on a collapsed scale", () => {
    const places = new Map([0, 12, 13, 40, 49, 50, 95].map((place, tick) => [tick, place]));
    const kept = clearTicks([...places.keys()], (tick) => places.get(tick) ?? 0, 10);
    expect(kept.map((tick) => places.get(tick))).toEqual([0, 12, 40, 50]);
  });
});

test("a finished task is polled too, but not as often", () => {
  expect([taskPollMs("started", 5_000), taskPollMs("success", 5_000), taskPollMs("failure", 60_000)]).toEqual([
    5_000, 30_000, 60_000,
  ]);
});

describe("storyOf", () => {
  test("orders events with the same timestamp by their logical order", () => {
    const atOnce = (["task.succeeded", "task.started", "task.received", "task.sent"] as const).map((kind) =>
      taskEvent(kind, 0),
    );
    const firstWords = storyOf(taskRow(), atOnce, attemptsOf(atOnce)).map(({ text }) => text.split(" ")[0]);
    expect(firstWords).toEqual(["Added", "Received", "Started.", "Succeeded."]);
    const next = [taskEvent("task.started", 5, { attempt: 1 }), taskEvent("task.retried", 5, { attempt: 0 })];
    const steps = storyOf(taskRow(), next, attemptsOf(next));
    expect(steps.map(({ text }) => text)).toEqual([expect.stringMatching("^Attempt 1 failed"), "Attempt 2 started."]);
  });

  test("describes the events in order, as sentences", () => {
    const steps = storyOf(taskRow(), retried, attemptsOf(retried));
    expect(steps.map((step) => [step.atMs - Date.parse(taskRow().received_at), step.text])).toEqual([
      [0, "Added to queue emails."],
      [2000, "Attempt 1 started on w1, after waiting 2.0 s."],
      [5000, "Attempt 1 failed after 3.0 s and will be retried: Error: no"],
      [10_000, "Attempt 2 started on w2."],
      [14_000, "Attempt 2 succeeded after 3.9 s."],
    ]);
  });

  test("leaves out kinds without a sentence", () => {
    expect(storyOf(taskRow(), [taskEvent("unknown", 1)], [])).toEqual([]);
  });
});
