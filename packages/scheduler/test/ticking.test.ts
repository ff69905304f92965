import { describe, expect, test } from "vitest";
import { createWorld, iso, minutes } from "./simulated/world.ts";

describe("a scheduler that works", () => {
  test("fires each slot once and on time", async () => {
    const { clock, brain, startScheduler } = createWorld();
    const schedule = brain.add({ expression: "* * * * *" });
    startScheduler();

    await clock.advance(minutes(3));

    expect(iso(brain.slotsOf(schedule))).toEqual([
      "2026-03-01T06:00:00.000Z",
      "2026-03-01T06:01:00.000Z",
      "2026-03-01T06:02:00.000Z",
    ]);
    expect(brain.fires.map(({ at, scheduledFor, isMissed }) => ({ late: at - scheduledFor, isMissed }))).toEqual(
      Array.from({ length: 3 }, () => ({ late: 0, isMissed: false })),
    );
  });

  test("fires 5000 schedules of the same second within that second, at most 1000 at once", async () => {
    const { clock, brain, startScheduler } = createWorld();
    for (let index = 0; index < 5000; index += 1) brain.add({ expression: "0 * * * *" });
    brain.faults.latencyMs = 5;
    const scheduler = startScheduler();
    await clock.advance(29_000);

    await clock.advance(1001);
    expect(scheduler.info().in_flight).toBe(1000);
    await clock.advance(999);

    expect(brain.fires).toHaveLength(5000);
    expect(new Set(brain.fires.map(({ scheduleId }) => scheduleId)).size).toBe(5000);
  });

  test("takes new, changed, paused and deleted schedules from the watch", async () => {
    const { clock, brain, startScheduler } = createWorld();
    const changed = brain.add({ expression: "0 0 1 1 *" });
    const paused = brain.add({ expression: "* * * * *" });
    const deleted = brain.add({ expression: "* * * * *" });
    const scheduler = startScheduler();
    await clock.advance(1000);

    const added = brain.add({ expression: "* * * * *", projectId: "p2" });
    brain.change(changed, { expression: "* * * * *" });
    brain.change(paused, { isPaused: true });
    brain.remove(deleted);
    await clock.advance(minutes(1));

    expect([added, changed, paused, deleted].map((schedule) => brain.slotsOf(schedule).length)).toEqual([1, 1, 0, 0]);
    expect(scheduler.info()).toMatchObject({ schedules: 3, projects: 2 });
    expect(brain.calls.get("snapshot")).toBe(1);

    brain.change(paused, { isPaused: false });
    await clock.advance(minutes(1));
    expect(brain.slotsOf(paused)).toHaveLength(1);
  });

  test("fires a clocked schedule once", async () => {
    const { clock, brain, startScheduler } = createWorld();
    const once = brain.add({ kind: "clocked", expression: "2026-03-01T06:00:00Z" });
    startScheduler();
    await clock.advance(minutes(5));
    expect(brain.slotsOf(once)).toHaveLength(1);
    expect(brain.calls.get("fire")).toBe(1);
  });

  test("reports its state", async () => {
    const { clock, brain, startScheduler } = createWorld();
    brain.add({ expression: "* * * * *" });
    const scheduler = startScheduler();
    await clock.advance(minutes(1));
    expect(scheduler.faults()).toEqual([]);
    expect(scheduler.info()).toMatchObject({
      leader: true,
      projects: 1,
      schedules: 1,
      watch_healthy: true,
      oldest_due_seconds: 0,
      clock_skew_ms: 0,
      last_fired_at: "2026-03-01T06:00:00.000Z",
    });
    const metrics = await scheduler.metrics.text();
    expect(metrics).toContain('svc_scheduler_fires_total{disposition="accepted"} 1');
    expect(metrics).toContain("svc_scheduler_watch_healthy 1");
    expect(metrics).toContain("svc_scheduler_leader 1");
    expect(metrics).toContain("svc_scheduler_schedules 1");
    expect(metrics).toContain("svc_scheduler_tick_drift_seconds_count 1");
    expect(metrics).toContain("svc_scheduler_slots_discarded_total 0");
  });

  test("waits for open fires when it stops, and starts no more", async () => {
    const { clock, brain, startScheduler } = createWorld("2026-03-01T05:59:59Z");
    brain.add({ expression: "* * * * * *" });
    brain.faults.latencyMs = 300;
    const scheduler = startScheduler();
    await clock.advance(2100);
    expect(scheduler.info().in_flight).toBe(1);

    let isStopped = false;
    const stopping = scheduler.stop().then(() => {
      isStopped = true;
    });
    await clock.advance(100);
    expect(isStopped).toBe(false);
    await clock.advance(400);
    await stopping;
    const firesAtStop = brain.fires.length;
    await clock.advance(minutes(2));
    expect(brain.fires.length).toBe(firesAtStop);
  });

  test("stops after the grace period although the service does not answer", async () => {
    const { clock, brain, startScheduler } = createWorld("2026-03-01T05:59:59Z");
    brain.add({ expression: "* * * * *" });
    const scheduler = startScheduler({ SVC_SCHEDULER_FIRE_TIMEOUT_SECONDS: 100 });
    await clock.advance(500);
    brain.faults.latencyMs = minutes(1);
    await clock.advance(1000);
    const stopping = scheduler.stop();
    await clock.advance(8000);
    await stopping;
    expect(scheduler.info().in_flight).toBe(1);
  });
});

describe("days on which clocks change", () => {
  test.each([
    ["30 2 * * *", "2026-03-29T00:30:00Z", ["2026-03-29T01:00:00.000Z", "2026-03-30T00:30:00.000Z"]],
    [
      "30 2 * * *",
      "2026-10-25T00:15:00Z",
      ["2026-10-25T00:30:00.000Z", "2026-10-25T01:30:00.000Z", "2026-10-26T01:30:00.000Z"],
    ],
  ])("fire %s after %s at %j", async (expression, start, slots) => {
    const { clock, brain, startScheduler } = createWorld(start);
    const schedule = brain.add({ expression, timezone: "Europe/Berlin" });
    startScheduler();
    await clock.advance(minutes(26 * 60));
    expect(iso(brain.slotsOf(schedule))).toEqual(slots);
  });
});
