import { type FireScheduleRequest, fireIdOf, readTimestamp } from "@svc/protocol";
import { waitFor } from "@svc/testkit";
import type { TestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import { Value } from "typebox/value";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Brain } from "../src/brain/brain.ts";
import { type SchedulerSettings, schedulerSettings, startScheduler } from "../src/index.ts";
import { createRealWorld, silent, startRealService } from "./simulated/real-service.ts";
import { minutes } from "./simulated/world.ts";

const everySecond = {
  ...{ engine: "bullmq", kind: "interval", expression: "1", task_name: "send", catch_up: "fire_all_missed" },
};

describe.runIf(testDialects.includes("postgres"))("a scheduler whose service loses its database", () => {
  test("repeats fires with the same id until they are stored, and each slot has exactly one", async () => {
    const { brain, network, connection } = await startRealService();
    const path = `/projects/${brain.project.slug}/schedules`;
    const created = await Promise.all(
      ["a", "b", "c"].map((name) => brain.as.admin.post(path, { name, ...everySecond })),
    );
    const ids = created.map(({ body }) => body.id as string);
    const offers: { readonly request: FireScheduleRequest; readonly answer: string }[] = [];
    const observed: Brain = {
      ...connection,
      async fire(request, timeoutMs) {
        const answered = connection.fire(request, timeoutMs);
        const answer = await answered.then(({ disposition }) => disposition).catch(() => "none");
        offers.push({ request, answer });
        return answered;
      },
    };
    const scheduler = await startScheduler({
      settings: {
        ...(Value.Create(schedulerSettings) as Omit<SchedulerSettings, "SVC_ENVIRONMENT">),
        SVC_ENVIRONMENT: "dev",
        SVC_SCHEDULER_INSTANCE_ID: "test",
        SVC_SCHEDULER_BIND_PORT: 0,
      },
      log: silent,
      brain: observed,
    });
    onTestFinished(() => scheduler.stop());
    const offered =
      (answer: string, from = 0) =>
      (id: string) =>
        offers.slice(from).some((offer) => offer.request.schedule_id === id && offer.answer === answer);
    await waitFor(() => ids.every(offered("ACCEPTED")), { that: "fires" });

    for (let outage = 0; outage < 2; outage += 1) {
      const before = offers.length;
      network.down();
      await waitFor(() => ids.every(offered("RETRY", before)), { that: "fires that the service could not store" });
      const refused = offers.length;
      network.heal();
      await waitFor(() => ids.every(offered("ACCEPTED", refused)), { that: "fires after the outage" });
    }
    // Slots that were due in the outages are fired one after the other.
    await waitFor(() => scheduler.info().oldest_due_seconds === 0 && scheduler.info().in_flight === 0);
    await scheduler.stop();

    const { read } = brain.running.brain.database;
    for (const id of ids) {
      const { control_token, total_runs, next_run_at } = await read
        .selectFrom("schedules")
        .selectAll()
        .where("id", "=", id)
        .executeTakeFirstOrThrow();
      const fires = await read
        .selectFrom("schedule_fires")
        .selectAll()
        .where("schedule_id", "=", id)
        .orderBy("scheduled_for")
        .execute();
      const first = fires[0]!.scheduled_for.getTime();
      const slots = fires.map((_, index) => new Date(first + index * 1000));
      expect(fires.map(({ scheduled_for }) => scheduled_for)).toEqual(slots);
      expect(fires.map(({ fire_id }) => fire_id)).toEqual(slots.map((slot) => fireIdOf(id, slot, control_token)));
      expect(fires.every(({ status }) => status === "buffered")).toBe(true);
      expect(Number(total_runs)).toBe(fires.length);
      expect(next_run_at?.getTime()).toBe(first + fires.length * 1000);

      const own = offers.filter(({ request }) => request.schedule_id === id);
      const bySlot = Map.groupBy(own, ({ request }) => readTimestamp(request.scheduled_for)?.getTime());
      for (const repeated of bySlot.values())
        expect(new Set(repeated.map(({ request }) => request.fire_id)).size).toBe(1);
      const retried = own.filter(({ answer }) => answer === "RETRY").map(({ request }) => request.fire_id);
      expect(fires.map(({ fire_id }) => fire_id)).toEqual(expect.arrayContaining(retried));
    }
  });

  test("for ten minutes of simulated time, follows each catch-up policy, and every missed slot is reported", async () => {
    const { brain, clock, scheduler, ...world } = await createRealWorld("2026-03-01T05:59:30Z");
    const path = `/projects/${brain.project.slug}/schedules`;
    const everyMinute = { engine: "bullmq", kind: "cron", expression: "* * * * *", task_name: "send" };
    const policies = ["fire_all_missed", "fire_one_missed", "skip"];
    const created = await Promise.all(
      policies.map((catch_up) => brain.as.admin.post(path, { name: catch_up, catch_up, ...everyMinute })),
    );
    const ids: string[] = created.map(({ body }) => body.id);
    await world.advance(minutes(1));
    world.cut();
    await world.advance(minutes(9.5));
    expect([clock.now().toISOString(), scheduler.faults()]).toEqual(["2026-03-01T06:10:00.000Z", ["watch_unhealthy"]]);
    world.heal();
    const { misfires } = brain.running.brain.features.fires;
    await waitFor(async () => (await misfires.sweepMissed(new AbortController().signal)) >= 0);
    // The last pause before a new connection may still last.
    await world.advance(50_000);
    expect(scheduler.faults()).toEqual([]);

    const upTo = (first: number, last: number) =>
      Array.from({ length: last - first + 1 }, (_, index) => new Date(Date.UTC(2026, 2, 1, 6, first + index)));
    const [all, one, none] = await Promise.all(ids.map((id) => storedOf(brain, id)));
    const missed = upTo(1, 8); // 06:09 was within the grace time of 60 s when the database came back.
    expect(all).toEqual({ slots: upTo(0, 10), skipped: 0, missed });
    expect(one).toEqual({ slots: [...upTo(0, 0), ...upTo(9, 10)], skipped: 8, missed });
    expect(none).toEqual({ slots: [...upTo(0, 0), ...upTo(10, 10)], skipped: 9, missed });
  });
});

/** The slots of a schedule that fired, how many were skipped, and those that were reported as missed. */
async function storedOf({ running }: TestBrain, id: string) {
  const { read } = running.brain.database;
  const fires = read.selectFrom("schedule_fires").select("scheduled_for").where("schedule_id", "=", id);
  const skips = read.selectFrom("schedule_skips").select("count").where("schedule_id", "=", id);
  const misfires = read.selectFrom("misfire_alerts").select("expected_fire_at").where("schedule_id", "=", id);
  return {
    slots: (await fires.orderBy("scheduled_for").execute()).map(({ scheduled_for }) => scheduled_for),
    skipped: (await skips.execute()).reduce((sum, { count }) => sum + Number(count), 0),
    missed: (await misfires.orderBy("expected_fire_at").execute()).map(({ expected_fire_at }) => expected_fire_at),
  };
}
