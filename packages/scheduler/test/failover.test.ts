import { describe, expect, test } from "vitest";
import { createWorld, iso, minutes } from "./simulated/world.ts";

const postgres = { SVC_SCHEDULER_LEADER_BACKEND: "postgres" } as const;
const perProject = { SVC_SCHEDULER_LEADER_BACKEND: "postgres_per_project" } as const;

describe("two schedulers that both believe to lead", () => {
  test("fire each slot once, under every policy, also when one of them lags behind", async () => {
    const { clock, brain, startScheduler, slotsUntilNow } = createWorld("2026-03-01T05:59:58Z");
    const policies = ["skip", "fire_one_missed", "fire_all_missed"];
    const schedules = policies.map((catchUp) => brain.add({ expression: "* * * * * *", catchUp }));
    const first = startScheduler();
    startScheduler();
    const from = schedules[0]!.nextRunAt!;
    for (let round = 0; round < 20; round += 1) {
      brain.faults.latencyMs = round % 4 === 0 ? 0 : 37 * round;
      await clock.advance(1777);
    }
    brain.faults.latencyMs = 0;
    await clock.advance(3000);
    expect(first.faults()).toEqual([]);
    for (const schedule of schedules) {
      expect(iso(brain.slotsOf(schedule))).toEqual(iso(slotsUntilNow(schedule, from)));
    }
  });
});

describe("a leader that is killed", () => {
  test("is followed by a standby that fires within 5 s", async () => {
    const { clock, brain, startScheduler } = createWorld("2026-03-01T05:59:59Z");
    brain.add({ expression: "* * * * * *" });
    const [first, second] = [startScheduler(postgres), startScheduler(postgres)];
    await clock.advance(5000);
    expect([first.info().leader, second.info().leader]).toEqual([true, false]);
    expect(brain.fires.every(({ by }) => by === first.name)).toBe(true);
    expect(second.faults()).toEqual([]);

    first.kill();
    const killedAt = clock.now().getTime();
    await clock.advance(5000);
    const next = brain.fires.find(({ by }) => by === second.name);
    expect(next!.at - killedAt).toBeLessThanOrEqual(5000);
    expect(second.info().leader).toBe(true);
  });

  test("loses no slot and fires none twice under fire_all_missed, in 100 repetitions", async () => {
    const { clock, brain, startScheduler, slotsUntilNow } = createWorld("2026-03-01T05:59:59Z");
    const schedules = [
      brain.add({ expression: "* * * * * *", catchUp: "fire_all_missed" }),
      brain.add({ kind: "interval", expression: "3", catchUp: "fire_all_missed", projectId: "p2" }),
      brain.add({ expression: "* * * * *", catchUp: "fire_all_missed" }),
    ];
    const starts = schedules.map(({ nextRunAt }) => nextRunAt!);
    let leader = startScheduler(postgres);
    let standby = startScheduler(postgres);
    await clock.advance(3000);
    const longest: number[] = [];

    for (let round = 0; round < 100; round += 1) {
      // Kills at all moments: between slots, while fires are at the service, and while their answers are on the way.
      brain.faults.latencyMs = (round * 53) % 900;
      await clock.advance(1000 + ((round * 389) % 1999));
      expect(leader.info().leader).toBe(true);
      leader.kill();
      const killedAt = clock.now().getTime();
      brain.faults.latencyMs = 0;
      await clock.advance(5000);
      const next = brain.fires.find(({ by }) => by === standby.name);
      longest.push((next?.at ?? Number.POSITIVE_INFINITY) - killedAt);
      leader = standby;
      standby = startScheduler(postgres);
    }
    await clock.advance(3000);

    expect(Math.max(...longest)).toBeLessThanOrEqual(5000);
    for (const [index, schedule] of schedules.entries()) {
      const fired = brain.slotsOf(schedule);
      const expected =
        schedule.kind === "interval"
          ? Array.from({ length: fired.length }, (_, step) => starts[index]! + step * 3000)
          : slotsUntilNow(schedule, starts[index]!);
      expect(iso(fired)).toEqual(iso(expected));
      expect(clock.now().getTime() - fired.at(-1)!).toBeLessThan(schedule.kind === "interval" ? 3000 : minutes(1));
    }
  });
});

describe("leadership", () => {
  test("ends before the next fire when the connection is lost, and begins with a snapshot", async () => {
    const { clock, brain, locks, startScheduler } = createWorld("2026-03-01T05:59:59Z");
    brain.add({ expression: "* * * * * *" });
    const scheduler = startScheduler(postgres);
    await clock.advance(5000);
    const snapshots = brain.calls.get("snapshot")!;

    locks.goDown();
    const fires = brain.fires.length;
    await clock.advance(10_000);
    expect(brain.fires).toHaveLength(fires);
    expect(scheduler.info()).toMatchObject({ leader: false, oldest_due_seconds: 0 });

    locks.comeBack();
    await clock.advance(3000);
    expect(scheduler.info().leader).toBe(true);
    expect(brain.calls.get("snapshot")).toBe(snapshots + 1);
    expect(brain.fires.length).toBeGreaterThan(fires);
  });

  test("that begins without any schedule fires those that are created later", async () => {
    const { clock, brain, locks, startScheduler } = createWorld("2026-03-01T05:59:59Z");
    locks.goDown();
    const scheduler = startScheduler(postgres);
    await clock.advance(1000);
    locks.comeBack();
    await clock.advance(5000);
    expect(scheduler.info()).toMatchObject({ leader: true, schedules: 0 });
    brain.add({ expression: "* * * * * *" });
    await clock.advance(5000);
    expect(brain.fires.length).toBeGreaterThanOrEqual(4);
  });

  test("ends when heartbeats are overdue, although no error was reported", async () => {
    const { clock, brain, locks, startScheduler } = createWorld("2026-03-01T05:59:59Z");
    brain.add({ expression: "* * * * * *" });
    const scheduler = startScheduler(postgres);
    await clock.advance(5000);
    locks.hang();
    await clock.advance(9000);
    const fires = brain.fires.length;
    await clock.advance(10_000);
    expect(scheduler.info().leader).toBe(false);
    expect(brain.fires).toHaveLength(fires);
  });

  test("is free at once when its holder stops", async () => {
    const { clock, brain, locks, startScheduler } = createWorld("2026-03-01T05:59:59Z");
    brain.add({ expression: "* * * * *" });
    const [first, second] = [startScheduler(postgres), startScheduler(postgres)];
    await clock.advance(3000);
    await first.stop();
    expect(locks.owners.size).toBe(0);
    await clock.advance(2000);
    expect(second.info().leader).toBe(true);
  });

  test("a standby fires nothing, and reports no overdue slots", async () => {
    const { clock, brain, startScheduler } = createWorld("2026-03-01T05:59:59Z");
    brain.add({ expression: "* * * * *" });
    startScheduler(postgres);
    const standby = startScheduler(postgres);
    await clock.advance(minutes(5));
    expect(standby.info()).toMatchObject({ leader: false, oldest_due_seconds: 0, watch_healthy: true, schedules: 1 });
    expect(brain.fires.every(({ by }) => by === "scheduler 1")).toBe(true);
  });

  test("per project: each fires only projects whose lock it holds, and takes over those of the other", async () => {
    const { clock, brain, locks, startScheduler } = createWorld("2026-03-01T05:59:59Z");
    const first = brain.add({ expression: "* * * * * *", projectId: "p1" });
    const one = startScheduler(perProject);
    await clock.advance(3000);
    // The second scheduler gets a project whose lock the first does not hold yet.
    const two = startScheduler(perProject);
    await clock.advance(1);
    one.info();
    const second = brain.add({ expression: "* * * * * *", projectId: "p2" });
    await clock.advance(5000);
    const owners = new Map(brain.fires.map(({ scheduleId, by }) => [scheduleId, by]));
    expect(owners.get(first.id)).toBe(one.name);
    expect(owners.has(second.id)).toBe(true);
    expect(locks.owners.size).toBe(2);
    expect(one.info().leader || two.info().leader).toBe(true);

    one.kill();
    await clock.advance(5000);
    for (const schedule of [first, second]) {
      const last = brain.fires.findLast(({ scheduleId }) => scheduleId === schedule.id)!;
      expect(last.by).toBe(two.name);
      expect(clock.now().getTime() - last.at).toBeLessThan(1000);
    }
  });

  test("per project: the lock of a project without schedules is freed", async () => {
    const { clock, brain, locks, startScheduler } = createWorld("2026-03-01T05:59:59Z");
    const only = brain.add({ expression: "* * * * *", projectId: "p1" });
    const scheduler = startScheduler(perProject);
    await clock.advance(3000);
    expect(locks.owners.size).toBe(1);
    brain.remove(only);
    await clock.advance(5000);
    expect(locks.owners.size).toBe(0);
    expect(scheduler.info()).toMatchObject({ leader: false, projects: 0, watch_healthy: true });
  });
});
