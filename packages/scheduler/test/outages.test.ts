import { describe, expect, test } from "vitest";
import { createWorld, iso, minutes, type World } from "./simulated/world.ts";

const everyMinute = (count: number, from = "2026-03-01T06:00:00Z") =>
  Array.from({ length: count }, (_, index) => Date.parse(from) + minutes(index));

/** A schedule of each policy, fired once by a scheduler before the outage. */
async function worldWithPolicies() {
  const world = createWorld();
  const { clock, brain, startScheduler } = world;
  const all = brain.add({ expression: "* * * * *", catchUp: "fire_all_missed" });
  const one = brain.add({ expression: "* * * * *", catchUp: "fire_one_missed" });
  const none = brain.add({ expression: "* * * * *", catchUp: "skip" });
  const scheduler = startScheduler();
  await clock.advance(minutes(1)); // 06:00:30
  return { ...world, all, one, none, scheduler };
}

/** After an outage from 06:00:30 to 06:10:30: 06:01 to 06:09 were missed, 06:10 was not. */
function expectCatchUp({ brain, all, one, none }: Awaited<ReturnType<typeof worldWithPolicies>>): void {
  expect(iso(brain.slotsOf(all))).toEqual(iso(everyMinute(11)));
  expect(iso(brain.slotsOf(one))).toEqual([
    "2026-03-01T06:00:00.000Z",
    "2026-03-01T06:09:00.000Z",
    "2026-03-01T06:10:00.000Z",
  ]);
  expect(iso(brain.slotsOf(none))).toEqual(["2026-03-01T06:00:00.000Z", "2026-03-01T06:10:00.000Z"]);
  expect([all, one, none].map(({ id }) => brain.skipped.get(id) ?? 0)).toEqual([0, 8, 9]);
  const missed = brain.fires.filter(({ isMissed }) => isMissed).map(({ scheduleId }) => scheduleId);
  expect(missed.filter((id) => id === all.id)).toHaveLength(9);
  expect(missed.filter((id) => id === one.id)).toHaveLength(1);
}

describe("after ten minutes", () => {
  test("without the service, each policy is followed", async () => {
    const world = await worldWithPolicies();
    const { clock, brain, scheduler } = world;
    brain.goDown();
    await clock.advance(minutes(10) - 30_000);
    expect(scheduler.faults()).toEqual(["watch_unhealthy"]);
    brain.comeBack();
    await clock.advance(30_000);
    // The last pause before a new connection may still last.
    await clock.advance(20_000);
    expectCatchUp(world);
    expect(scheduler.faults()).toEqual([]);
  });

  test("without a scheduler, each policy is followed", async () => {
    const world = await worldWithPolicies();
    const { clock, scheduler, startScheduler } = world;
    scheduler.kill();
    await clock.advance(minutes(10));
    startScheduler();
    await clock.advance(20_000);
    expectCatchUp(world);
  });

  test("of a service that cannot reach its database, each policy is followed", async () => {
    const world = await worldWithPolicies();
    const { clock, brain } = world;
    // Ten minutes of RETRY for every fire, while the watch stays healthy.
    const retry = setRetries(world, true);
    await clock.advance(minutes(10));
    retry.end();
    await clock.advance(20_000);
    const { all, one, none } = world;
    // The slots were offered in time again and again; what was not accepted within a minute counts as missed.
    expect(iso(brain.slotsOf(all))).toEqual(iso(everyMinute(11)));
    expect(brain.slotsOf(one).at(-1)).toBe(Date.parse("2026-03-01T06:10:00Z"));
    expect(brain.slotsOf(none).at(-1)).toBe(Date.parse("2026-03-01T06:10:00Z"));
    for (const schedule of [all, one, none]) {
      expect(new Set(brain.slotsOf(schedule)).size).toBe(brain.slotsOf(schedule).length);
    }
  });
});

function setRetries({ brain }: Pick<World, "brain">, on: boolean) {
  const { answers } = brain.faults;
  answers.shift = () => (on ? "RETRY" : undefined);
  return {
    end() {
      on = false;
    },
  };
}

describe("a short outage", () => {
  test("of the service delays fires, but misses no slot", async () => {
    const { clock, brain, startScheduler } = createWorld();
    const schedule = brain.add({ expression: "* * * * *", catchUp: "skip" });
    startScheduler();
    await clock.advance(25_000);
    brain.goDown();
    await clock.advance(30_000);
    brain.comeBack();
    await clock.advance(30_000);
    expect(iso(brain.slotsOf(schedule))).toEqual(iso(everyMinute(1)));
    expect(brain.fires[0]!.isMissed).toBe(false);
  });

  test("of the watch alone stops fires after 30 s", async () => {
    const { clock, brain, startScheduler } = createWorld("2026-03-01T05:59:59Z");
    brain.add({ expression: "* * * * * *" });
    const scheduler = startScheduler();
    await clock.advance(5000);
    const connection = brain.calls.get("fire")!;
    expect(connection).toBeGreaterThan(3);
    brain.goDown();
    await clock.advance(31_000);
    expect(scheduler.info().watch_healthy).toBe(false);
    const offered = brain.calls.get("fire")!;
    await clock.advance(minutes(5));
    expect(brain.calls.get("fire")).toBe(offered);
  });
});

describe("a long outage", () => {
  test("fires 10,000 missed slots under fire_all_missed, oldest first, and skips the rest", async () => {
    const { clock, brain, startScheduler } = createWorld("2026-03-01T06:00:00Z");
    const schedule = brain.add({ kind: "interval", expression: "1", catchUp: "fire_all_missed" });
    await clock.advance(12_000_000); // 12,000 s
    startScheduler();
    await clock.advance(100);
    const slots = brain.slotsOf(schedule);
    const missed = brain.fires.filter(({ isMissed }) => isMissed);
    expect(missed).toHaveLength(10_000);
    expect(slots.slice(0, 10_000)).toEqual(
      Array.from({ length: 10_000 }, (_, index) => Date.parse("2026-03-01T06:00:01Z") + index * 1000),
    );
    expect(brain.skipped.get(schedule.id)).toBe(12_000 - 10_000 - 61);
    expect(slots).toHaveLength(10_000 + 61);
  });
});

describe("a schedule that was disabled, paused or edited", () => {
  test("has missed nothing in that time", async () => {
    const { clock, brain, startScheduler } = createWorld();
    const schedule = brain.add({ expression: "* * * * *", catchUp: "fire_all_missed", isEnabled: false });
    startScheduler();
    await clock.advance(minutes(10));
    brain.change(schedule, { isEnabled: true });
    await clock.advance(minutes(1));
    expect(brain.fires.map(({ isMissed }) => isMissed)).toEqual([false]);
  });
});

describe("a jump of the wall clock", () => {
  test.each(["skip", "fire_one_missed", "fire_all_missed"])(
    "back by an hour fires nothing twice under %s",
    async (catchUp) => {
      const { clock, brain, startScheduler } = createWorld();
      const schedule = brain.add({ expression: "* * * * *", catchUp });
      const scheduler = startScheduler();
      await clock.advance(minutes(5));
      clock.jump(-minutes(60));
      await clock.advance(minutes(30));
      expect(brain.slotsOf(schedule)).toHaveLength(5);
      expect(scheduler.faults()).toEqual([]);
      await clock.advance(minutes(40));
      expect(iso(brain.slotsOf(schedule))).toEqual(iso(everyMinute(15)));
    },
  );

  test("forward by an hour loses nothing under fire_all_missed and fires nothing twice", async () => {
    const { clock, brain, startScheduler } = createWorld();
    const schedule = brain.add({ expression: "* * * * *", catchUp: "fire_all_missed" });
    startScheduler();
    await clock.advance(minutes(5));
    clock.jump(minutes(60));
    await clock.advance(minutes(5));
    expect(iso(brain.slotsOf(schedule))).toEqual(iso(everyMinute(70)));
  });

  test("forward by an hour fires the newest missed slot under fire_one_missed, within a second", async () => {
    const { clock, brain, startScheduler } = createWorld();
    const schedule = brain.add({ expression: "*/10 * * * *" });
    startScheduler();
    await clock.advance(minutes(5));
    clock.jump(minutes(60));
    await clock.advance(1000);
    expect(iso(brain.slotsOf(schedule))).toEqual(["2026-03-01T06:00:00.000Z", "2026-03-01T07:00:00.000Z"]);
    expect(brain.skipped.get(schedule.id)).toBe(5);
  });

  test("forward by an hour skips and counts what was missed under skip", async () => {
    const { clock, brain, startScheduler } = createWorld();
    const schedule = brain.add({ expression: "*/10 * * * *", catchUp: "skip" });
    startScheduler();
    await clock.advance(minutes(5)); // 06:04:30
    clock.jump(minutes(60));
    await clock.advance(minutes(10));
    expect(iso(brain.slotsOf(schedule))).toEqual(["2026-03-01T06:00:00.000Z", "2026-03-01T07:10:00.000Z"]);
    expect(brain.skipped.get(schedule.id)).toBe(6);
  });

  test("forward and back again fires each slot once", async () => {
    const { clock, brain, startScheduler } = createWorld();
    const schedule = brain.add({ expression: "* * * * *", catchUp: "fire_all_missed" });
    startScheduler();
    await clock.advance(minutes(5));
    clock.jump(minutes(60));
    await clock.advance(minutes(1));
    clock.jump(-minutes(60));
    await clock.advance(minutes(90));
    expect(iso(brain.slotsOf(schedule))).toEqual(iso(everyMinute(96)));
  });
});
