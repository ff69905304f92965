import { describe, expect, test } from "vitest";
import { createWorld, minutes } from "./simulated/world.ts";

describe("following the service", () => {
  test.each([
    ["a wrong digest", { wrongDigests: 3 }],
    ["a missing row", { missingRows: 3 }],
  ])("fires nothing from a snapshot with %s, and takes another one", async (_what, fault) => {
    const { clock, brain, startScheduler } = createWorld();
    const schedule = brain.add({ expression: "* * * * *" });
    Object.assign(brain.faults, fault);
    const scheduler = startScheduler();
    await clock.advance(1400);
    expect(brain.calls.get("snapshot")).toBe(2);
    expect(scheduler.info().schedules).toBe(0);
    expect(scheduler.faults()).toEqual(["watch_unhealthy"]);
    await clock.advance(minutes(1));
    expect(scheduler.faults()).toEqual([]);
    expect(brain.slotsOf(schedule)).toHaveLength(1);
  });

  test("survives duplicate and reordered messages", async () => {
    const { clock, brain, startScheduler } = createWorld();
    Object.assign(brain.faults, { duplicates: true, reordered: true });
    const [a, b, c] = ["a", "b", "c"].map(() => brain.add({ expression: "* * * * *" })) as [never, never, never];
    const scheduler = startScheduler();
    await clock.advance(1000);
    for (let round = 0; round < 20; round += 1) {
      brain.change(a, { isPaused: round % 2 === 0 });
      brain.change(b, { expression: round % 2 === 0 ? "0 0 1 1 *" : "* * * * *" });
    }
    brain.change(c, { isPaused: true });
    brain.remove(c);
    await clock.advance(minutes(2));
    expect([a, b, c].map((schedule) => brain.slotsOf(schedule).length)).toEqual([2, 2, 0]);
    expect(scheduler.info().schedules).toBe(2);
    expect(brain.calls.get("fire")).toBe(4);
  });

  test("takes a new snapshot at a gap", async () => {
    const { clock, brain, startScheduler } = createWorld();
    const schedule = brain.add({ expression: "0 0 1 1 *" });
    const scheduler = startScheduler();
    await clock.advance(1000);
    const snapshots = brain.calls.get("snapshot")!;
    brain.goDown();
    brain.change(schedule, { expression: "* * * * *" });
    brain.prune();
    brain.comeBack();
    await clock.advance(minutes(1));
    expect(brain.calls.get("snapshot")).toBe(snapshots + 1);
    expect(brain.slotsOf(schedule)).toHaveLength(1);
    expect(scheduler.faults()).toEqual([]);
  });

  test("takes a snapshot at each interval, which covers what the watch has lost", async () => {
    const { clock, brain, startScheduler } = createWorld();
    const lost = brain.add({ expression: "* * * * *" });
    startScheduler();
    await clock.advance(1000);
    // Deleted without a change.
    brain.schedules.delete(lost.id);
    lost.nextRunAt = null;
    const snapshots = brain.calls.get("snapshot")!;
    await clock.advance(900_000);
    expect(brain.calls.get("snapshot")).toBe(snapshots + 1);
  });

  test("ends a watch that is silent and opens another one", async () => {
    const { clock, brain, startScheduler } = createWorld();
    brain.add({ expression: "0 0 1 1 *" });
    startScheduler();
    await clock.advance(6000);
    const watches = brain.calls.get("watch")!;
    brain.faults.isSilent = true;
    await clock.advance(21_000);
    brain.faults.isSilent = false;
    expect(brain.calls.get("watch")).toBe(watches + 1);
  });

  test("reconnects with pauses that grow up to the limit", async () => {
    const { clock, brain, startScheduler } = createWorld();
    startScheduler({ SVC_SCHEDULER_GRPC_RECONNECT_BACKOFF_MAX_SECONDS: 8 });
    await clock.advance(1000);
    brain.goDown();
    const pings = brain.calls.get("ping")!;
    await clock.advance(7500); // 0, 0.5, 1.5, 3.5 and 7.5 s
    expect(brain.calls.get("ping")).toBe(pings + 4);
    await clock.advance(80_000);
    expect(brain.calls.get("ping")).toBe(pings + 4 + 10);
  });

  test("ends with the scheduler, whether the service answers or not", async () => {
    const { clock, brain, startScheduler } = createWorld();
    const [first, second] = [startScheduler(), startScheduler()];
    await clock.advance(1000);
    await first.stop();
    brain.goDown();
    await clock.advance(1000);
    await second.stop();
    expect(brain.wakes.size).toBe(0);
  });
});
