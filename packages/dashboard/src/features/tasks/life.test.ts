import { describe, expect, test } from "vitest";
import { taskRow } from "../../../test/traffic/task-rows.ts";
import { barOf, lifeOf, scaleOf, steadyScale, tryText } from "./life.ts";

const now = Date.parse("2026-11-20T10:01:00.000Z");

describe("lifeOf", () => {
  test("uses the engine's own times if available", () => {
    expect(lifeOf(taskRow({ wait_ms: 120, runtime_ms: 340 }), now)).toMatchObject({ waitMs: 120, runMs: 340 });
  });

  test("falls back to the timestamps", () => {
    expect(lifeOf(taskRow({ wait_ms: null, runtime_ms: null }), now)).toMatchObject({ waitMs: 2000, runMs: 3000 });
  });

  test("extends waits and runs of unfinished tasks to now", () => {
    const waiting = taskRow({ state: "pending", started_at: null, finished_at: null, wait_ms: null, runtime_ms: null });
    expect(lifeOf(waiting, now)).toMatchObject({ waitMs: 60_000, runMs: 0, isWaiting: true });
    const running = taskRow({ state: "started", finished_at: null, runtime_ms: null });
    expect(lifeOf(running, now)).toMatchObject({ waitMs: 2000, runMs: 58_000, isRunning: true });
  });

  test("counts the wait from the due time, and for a later attempt from when it was queued again", () => {
    const waiting = {
      state: "received",
      started_at: null,
      finished_at: null,
      wait_ms: null,
      runtime_ms: null,
    } as const;
    const delayed = taskRow({ ...waiting, eta: "2026-11-20T10:00:50.000Z" });
    expect(lifeOf(delayed, now).waitMs).toBe(10_000);
    const ahead = taskRow({ ...waiting, eta: "2026-11-20T11:00:00.000Z" });
    expect(lifeOf(ahead, now).waitMs).toBe(0);
    const again = taskRow({ ...waiting, attempt: 1, last_event_at: "2026-11-20T10:00:57.000Z" });
    expect(lifeOf(again, now).waitMs).toBe(3000);
    const started = taskRow({ eta: "2026-11-20T10:00:01.500Z", wait_ms: null });
    expect(lifeOf(started, now).waitMs).toBe(500);
  });

  test("has no wait for a later attempt unless the engine reports it", () => {
    expect(lifeOf(taskRow({ attempt: 1, wait_ms: null }), now).waitMs).toBeNull();
  });

  test("is never negative when two clocks disagree", () => {
    const row = taskRow({
      started_at: "2026-11-20T09:59:59.000Z",
      wait_ms: null,
      runtime_ms: null,
      finished_at: "2026-11-20T09:59:58.000Z",
    });
    expect(lifeOf(row, now)).toMatchObject({ waitMs: 0, runMs: 0 });
  });
});

describe("the scale of the bars", () => {
  test("is not stretched by a single slow task", () => {
    const quick = Array.from({ length: 99 }, () => lifeOf(taskRow({ wait_ms: 0, runtime_ms: 1000 }), now));
    const slow = lifeOf(taskRow({ wait_ms: 0, runtime_ms: 3_600_000 }), now);
    expect(scaleOf([...quick, slow])).toBe(1000);
    expect(barOf(slow, 1000)).toEqual({ wait: 0, run: 100, isCut: true });
  });

  test("moves in steps of 1, 2 and 5", () => {
    expect([101, 200, 450, 999].map(steadyScale)).toEqual([200, 200, 500, 1000]);
  });

  test("exists without rows", () => {
    expect(scaleOf([])).toBe(100);
  });
});

test("tryText counts from one and shows the limit if the engine reports it", () => {
  expect(tryText(taskRow({ attempt: 1, max_attempts: 3 }))).toBe("2/3");
  expect(tryText(taskRow({ attempt: 1 }))).toBe("2");
  expect(tryText(taskRow({ attempt: 1, max_attempts: 1 }))).toBe("2");
  expect(tryText(taskRow({ state: "pending" }))).toBe("–");
});
