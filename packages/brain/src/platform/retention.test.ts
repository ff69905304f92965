import { createFakeClock } from "@svc/testkit";
import { describe, expect, test } from "vitest";
import { createMetrics } from "./metrics.ts";
import { createRetentionGuard, retentionBase } from "./retention.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const start = new Date("2026-03-01T12:00:00.000Z");
const at = (days: number) => new Date(start.getTime() + days * dayMs);

test("retention counts from a day before the newest row, never from later than now, and removes nothing from an empty table", () => {
  expect(retentionBase(start, null)).toBeNull();
  expect(retentionBase(start, start)).toEqual(at(-1));
  expect(retentionBase(start, at(-100))).toEqual(at(-101));
  expect(retentionBase(start, at(1))).toEqual(start);
  expect(retentionBase(start, at(4000))).toEqual(start);
});

describe("retention", () => {
  function guarded(lastSeen: Date | null = null) {
    const clock = createFakeClock(start);
    const logged: string[] = [];
    const metrics = createMetrics();
    const log = (event: string) => void logged.push(event);
    const guard = createRetentionGuard({ clock, metrics, log: { warn: log, info: log } });
    guard.begin(lastSeen);
    let passes = 0;
    const loop = guard.guard({
      name: "things.retention",
      everyMs: hourMs,
      leaderOnly: true,
      removesByAge: true,
      tick: async () => {
        passes += 1;
      },
    });
    /** Whether a pass ran. */
    async function pass(): Promise<boolean> {
      const before = passes;
      await loop.tick({ signal: new AbortController().signal });
      return passes > before;
    }
    const jump = (ms: number) => clock.setWall(new Date(clock.now().getTime() + ms));
    return { clock, guard, loop, pass, jump, logged, metrics };
  }

  test("runs while both clocks advance together, for months", async () => {
    const { clock, pass, logged } = guarded();
    for (let hour = 0; hour < 24 * 60; hour += 1) {
      clock.advance(hourMs);
      expect(await pass()).toBe(true);
    }
    expect(logged).toEqual([]);
  });

  test.each([61_000, 7 * dayMs, -61_000, -7 * dayMs])(
    "skips one pass of each loop after the clock jumped by %i ms, and shows it until a pass ran",
    async (ms) => {
      const { clock, guard, pass, jump, logged, metrics } = guarded();
      let others = 0;
      const other = guard.guard({
        ...{ name: "others.retention", everyMs: hourMs, leaderOnly: true, removesByAge: true },
        tick: async () => {
          others += 1;
        },
      });
      expect(await pass()).toBe(true);
      jump(ms);
      expect(guard.check()).toEqual({ reason: "clock_changed", byMs: ms, until: null });
      expect(await pass()).toBe(false);
      expect(guard.check()).toMatchObject({ byMs: ms });
      expect(await metrics.text()).toMatch(/^svc_retention_held(\{[^}]*\})? 0$/m);
      clock.advance(hourMs / 2);
      expect(await pass()).toBe(true);
      expect(guard.check()).toBeNull();
      const { signal } = new AbortController();
      expect(await other.tick({ signal })).toEqual({ held: "clock_changed" });
      await other.tick({ signal });
      expect(others).toBe(1);
      expect(logged).toEqual(["retention.clock_moved"]);
    },
  );

  test("shows a jump for an hour at most where no loop passes", () => {
    const { clock, guard, jump } = guarded();
    jump(2 * hourMs);
    expect(guard.check()).not.toBeNull();
    clock.advance(hourMs);
    expect(guard.check()).toBeNull();
  });

  test("continues on a machine that is awake for 14 hours and asleep for 10, for 30 days", async () => {
    const { clock, guard, pass, jump } = guarded();
    let ran = 0;
    for (let day = 0; day < 30; day += 1) {
      for (let hour = 0; hour < 14; hour += 1) {
        clock.advance(hourMs);
        if (await pass()) ran += 1;
      }
      jump(10 * hourMs);
      expect(guard.check()).toMatchObject({ until: null });
    }
    expect(ran).toBe(14 + 29 * 13);
  });

  test("makes up for a skipped pass within minutes, so that short wakes are enough", async () => {
    const { clock, loop, pass, jump } = guarded();
    let ran = 0;
    for (let wake = 0; wake < 48; wake += 1) {
      for (let leftMs = hourMs; leftMs >= loop.everyMs; ) {
        leftMs -= loop.everyMs;
        clock.advance(loop.everyMs);
        if (await pass()) ran += 1;
      }
      jump(2 * hourMs);
    }
    expect(ran).toBeGreaterThanOrEqual(24);
    clock.advance(hourMs);
    await pass();
    expect(await pass()).toBe(true);
    expect(loop.everyMs).toBe(hourMs);
  });

  test("continues in part on a machine that is awake for one hour a day", async () => {
    const { clock, pass, jump } = guarded();
    let ran = 0;
    for (let day = 0; day < 120; day += 1) {
      for (let minutes = 0; minutes < 60; minutes += 10) {
        clock.advance(600_000);
        if (await pass()) ran += 1;
      }
      jump(23 * hourMs);
    }
    expect(ran).toBeGreaterThanOrEqual(60);
  });

  test.each([1, -1])("is held when 8 jumps of %i day within an hour add up", async (days) => {
    const { clock, guard, pass, jump } = guarded();
    for (let count = 0; count < 8; count += 1) {
      clock.advance(hourMs / 8);
      jump(days * dayMs);
      await pass();
    }
    expect(guard.check()).toMatchObject({ reason: "clock_changed", byMs: days * 8 * dayMs, until: expect.any(Date) });
    clock.advance(dayMs - 1);
    expect(await pass()).toBe(false);
    clock.advance(1);
    expect(await pass()).toBe(true);
  });

  test("is held when jumps add up across any instant of a day", async () => {
    const { clock, guard, pass, jump } = guarded();
    for (let hour = 0; hour < 48; hour += 1) {
      clock.advance(hourMs);
      await pass();
      if (hour === 22 || hour === 40) jump(4 * dayMs);
    }
    expect(guard.check()).toMatchObject({ byMs: 8 * dayMs });
  });

  test.each([7 * dayMs + 1000, 120 * dayMs, -7 * dayMs - 1000, -400 * dayMs])(
    "is held for a day after the clock jumped by %i ms, and logged once",
    async (ms) => {
      const { clock, guard, pass, jump, logged, metrics } = guarded();
      expect(await pass()).toBe(true);
      clock.advance(hourMs);
      jump(ms);
      expect(await pass()).toBe(false);
      expect(guard.check()).toEqual({
        reason: "clock_changed",
        byMs: ms,
        until: new Date(clock.now().getTime() + dayMs),
      });
      expect(await metrics.text()).toMatch(/^svc_retention_held(\{[^}]*\})? 1$/m);
      clock.advance(dayMs - 1);
      expect(await pass()).toBe(false);
      clock.advance(1);
      expect(await pass()).toBe(true);
      expect(logged).toEqual(["retention.held", "retention.resumed"]);
      expect(await metrics.text()).toMatch(/^svc_retention_held(\{[^}]*\})? 0$/m);
      clock.advance(hourMs);
      expect(await pass()).toBe(true);
    },
  );

  test("resumes at once when the clock is right again", async () => {
    const { clock, pass, jump } = guarded();
    jump(120 * dayMs);
    expect(await pass()).toBe(false);
    clock.advance(hourMs);
    jump(-120 * dayMs + 1000);
    expect(await pass()).toBe(true);
    clock.advance(hourMs);
    expect(await pass()).toBe(true);
  });

  test("stays held for a day after the last of several jumps", async () => {
    const { clock, pass, jump } = guarded();
    jump(10 * dayMs);
    expect(await pass()).toBe(false);
    clock.advance(23 * hourMs);
    jump(10 * dayMs);
    expect(await pass()).toBe(false);
    clock.advance(23 * hourMs);
    expect(await pass()).toBe(false);
    clock.advance(hourMs);
    expect(await pass()).toBe(true);
  });

  test("tolerates a clock that is disciplined slowly", async () => {
    const slewed = guarded();
    for (let hour = 0; hour < 24 * 20; hour += 1) {
      slewed.clock.advance(hourMs);
      slewed.jump(1500);
      expect(await slewed.pass()).toBe(true);
    }
  });

  test("is held for a day after the service was off for longer than a week", async () => {
    const { clock, guard, pass } = guarded(at(-8));
    expect(guard.check()).toMatchObject({ reason: "service_was_off", byMs: 8 * dayMs });
    clock.advance(dayMs - 1);
    expect(await pass()).toBe(false);
    clock.advance(1);
    expect(await pass()).toBe(true);
  });

  test("resumes after such a start when the clock turns out to be wrong and is corrected", async () => {
    const { clock, pass, jump } = guarded(at(-120));
    expect(await pass()).toBe(false);
    clock.advance(hourMs);
    jump(-119 * dayMs);
    expect(await pass()).toBe(true);
  });

  test.each([null, at(-7), at(0), at(300)])(
    "is not held at a start when the time was last noted at %s",
    async (lastSeen) => {
      expect(await guarded(lastSeen).pass()).toBe(true);
    },
  );

  test("leaves other loops alone", () => {
    const { guard } = guarded();
    const loop = { name: "things.count", everyMs: hourMs, leaderOnly: false, tick: async () => {} };
    expect(guard.guard(loop)).toBe(loop);
  });
});
