import { describe, expect, test } from "vitest";
import type { StoredSchedule } from "./simulated/fake-service.ts";
import { createWorld, minutes } from "./simulated/world.ts";

const fireIds = (brain: ReturnType<typeof createWorld>["brain"]) => brain.fires.map(({ fireId }) => fireId);

describe("answers to a fire", () => {
  test("RETRY repeats the same fire after 1, 2 and 4 s, and then at the next tick", async () => {
    const { clock, brain, startScheduler } = createWorld();
    const schedule = brain.add({ expression: "0 6 * * *" });
    startScheduler();
    brain.faults.answers.push("RETRY", "RETRY", "RETRY", "RETRY");

    await clock.advance(30_000 + 7999);
    expect(brain.calls.get("fire")).toBe(4);
    expect(brain.fires).toEqual([]);
    await clock.advance(1);

    expect(brain.slotsOf(schedule)).toHaveLength(1);
    expect(brain.fires[0]!.at - brain.fires[0]!.scheduledFor).toBe(8000);
  });

  test("a lost answer is repeated and the slot fires once", async () => {
    const { clock, brain, startScheduler } = createWorld();
    const schedule = brain.add({ expression: "* * * * *" });
    startScheduler();
    brain.faults.lostAnswers = 2;

    await clock.advance(minutes(4));

    expect(brain.slotsOf(schedule)).toHaveLength(4);
    expect(new Set(fireIds(brain)).size).toBe(4);
  });

  test("QUARANTINED drops the schedule until its control changes", async () => {
    const { clock, brain, startScheduler } = createWorld();
    const schedule = brain.add({ expression: "* * * * *" });
    startScheduler();
    brain.faults.answers.push("QUARANTINED");
    await clock.advance(minutes(3));
    expect(brain.fires).toEqual([]);
    expect(brain.calls.get("fire")).toBe(1);

    brain.change(schedule, {});
    await clock.advance(minutes(1));
    expect(brain.slotsOf(schedule)).toHaveLength(1);
  });

  test("STALE_CONTROL replaces the row, and removes one that does not exist", async () => {
    const { clock, brain, startScheduler } = createWorld();
    const changed = brain.add({ expression: "* * * * *" });
    const deleted = brain.add({ expression: "* * * * *" });
    const scheduler = startScheduler();
    await clock.advance(29_000);
    // Behind the back of the watch.
    Object.assign(changed, { controlToken: "other", revision: changed.revision + 100, expression: "30 6 * * *" });
    changed.nextRunAt = Date.parse("2026-03-01T06:30:00Z");
    brain.schedules.delete(deleted.id);

    await clock.advance(minutes(1));
    expect(brain.fires).toEqual([]);
    expect(scheduler.info().schedules).toBe(1);
    await clock.advance(minutes(30));
    expect(brain.slotsOf(changed)).toHaveLength(1);
    expect(brain.calls.get("fire")).toBe(3);
  });

  test("SLOT_RESOLVED continues with the cursor of the service", async () => {
    const { clock, brain, startScheduler } = createWorld();
    const schedule = brain.add({ expression: "* * * * *" });
    startScheduler();
    await clock.advance(29_000);
    schedule.nextRunAt = Date.parse("2026-03-01T06:02:00Z");

    await clock.advance(minutes(2) + 2000);

    expect(brain.slotsOf(schedule)).toEqual([Date.parse("2026-03-01T06:02:00Z")]);
    expect(brain.calls.get("fire")).toBe(2);
  });

  test("a repeated SLOT_RESOLVED for the row that is stored already pauses instead of spinning", async () => {
    const { clock, brain, startScheduler } = createWorld();
    const schedule = brain.add({ expression: "* * * * *" });
    startScheduler();
    await clock.advance(29_000);
    const original = brain.schedules.get(schedule.id)!;
    // The service's comparison fails although its row is the same.
    brain.schedules.set(schedule.id, new Proxy(original, { get: unequalSlot() }));
    await clock.advance(20_000);
    expect(brain.calls.get("fire")).toBe(1);
  });

  test("SKIPPED_OVERLAP continues with the next slot", async () => {
    const { clock, brain, startScheduler } = createWorld();
    const schedule = brain.add({ expression: "* * * * *", overlapPolicy: "skip" });
    startScheduler();
    brain.faults.openFires.add(schedule.id);
    await clock.advance(minutes(2));
    expect(brain.skipped.get(schedule.id)).toBe(2);
    expect(brain.fires).toEqual([]);
    brain.faults.openFires.clear();
    await clock.advance(minutes(1));
    expect(brain.slotsOf(schedule)).toHaveLength(1);
  });

  test("a refusal pauses the schedule for half a minute and leaves the others alone", async () => {
    const { clock, brain, startScheduler } = createWorld();
    const other = brain.add({ expression: "* * * * *" });
    const broken = brain.add({ expression: "0 6 * * *" });
    startScheduler();
    await clock.advance(29_000);
    const answer = brain.schedules.get.bind(brain.schedules);
    Object.assign(brain.schedules, {
      get(id: string) {
        if (id === broken.id && brain.calls.get("fire")! < 4) throw new Error("the service has a fault");
        return answer(id);
      },
    });
    await clock.advance(minutes(2));
    expect(brain.slotsOf(other)).toHaveLength(2);
    expect(brain.slotsOf(broken)).toHaveLength(1);
    expect(brain.fires.find(({ scheduleId }) => scheduleId === broken.id)!.at).toBe(Date.parse("2026-03-01T06:01:00Z"));
  });
});

/** Reads the true slot for messages and another one for the comparison that comes first. */
function unequalSlot() {
  let reads = 0;
  return (target: StoredSchedule, name: string | symbol) => {
    const value = Reflect.get(target, name);
    if (name !== "nextRunAt") return value;
    reads += 1;
    return reads === 1 ? value + 1 : value;
  };
}

describe("slots that both sides compute differently", () => {
  test("another fingerprint stops all fires until the service has the same one again", async () => {
    const { clock, brain, startScheduler } = createWorld();
    const schedule = brain.add({ expression: "* * * * *" });
    const scheduler = startScheduler();
    await clock.advance(minutes(1));
    brain.faults.fingerprint = "svc-cadence/1;tzdb=2030a";
    await clock.advance(minutes(3));
    expect(scheduler.faults()).toEqual(["cadence_mismatch"]);
    expect(scheduler.info()).toMatchObject({ watch_healthy: false, cadence_mismatch: true });
    expect(brain.slotsOf(schedule)).toHaveLength(1);
    expect(brain.calls.get("fire")).toBe(2);

    brain.faults.fingerprint = scheduler.info().cadence_fingerprint;
    await clock.advance(minutes(1));
    expect(scheduler.faults()).toEqual([]);
    expect(brain.slotsOf(schedule).length).toBeGreaterThan(1);
  });

  test("a service with another fingerprint gets no fire at all", async () => {
    const { clock, brain, startScheduler } = createWorld();
    brain.add({ expression: "* * * * *" });
    brain.faults.fingerprint = "svc-cadence/1;tzdb=2030a";
    const scheduler = startScheduler();
    await clock.advance(minutes(5));
    expect(brain.calls.get("fire")).toBeUndefined();
    expect(scheduler.faults()).toContain("cadence_mismatch");
  });

  test("another successor of one schedule stops all fires until that schedule changes", async () => {
    const { clock, brain, startScheduler } = createWorld();
    const differing = brain.add({ expression: "* * * * *" });
    const other = brain.add({ expression: "* * * * *" });
    brain.faults.otherSlots.add(differing.id);
    const scheduler = startScheduler();
    await clock.advance(minutes(4));
    expect(scheduler.faults()).toEqual(["cadence_mismatch"]);
    expect(brain.slotsOf(other).length).toBeLessThanOrEqual(1);

    brain.change(differing, { isPaused: true });
    await clock.advance(minutes(1));
    expect(scheduler.faults()).toEqual([]);
    expect(brain.slotsOf(other).length).toBeGreaterThan(1);
  });
});

describe("a schedule that does not compile", () => {
  test("is quarantined with the reason, and fires after its repair", async () => {
    const { clock, brain, startScheduler } = createWorld();
    const broken = brain.add({ expression: "every monday", nextRunAt: Date.parse("2026-03-01T06:00:00Z") });
    const other = brain.add({ expression: "* * * * *" });
    startScheduler();
    await clock.advance(minutes(2));
    expect(broken.quarantineCode).toBe("invalid_cron");
    expect(brain.calls.get("quarantine")).toBe(1);
    expect(brain.slotsOf(other)).toHaveLength(2);

    brain.change(broken, { expression: "* * * * *", quarantineCode: null });
    await clock.advance(minutes(1));
    expect(brain.slotsOf(broken)).toHaveLength(1);
  });
});
