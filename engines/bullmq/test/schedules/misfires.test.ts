import { waitFor } from "@svc/testkit";
import { routeDialects } from "@svc/testkit/databases";
import { expect, test } from "vitest";
import { createSchedule, type Fire, fireMore, type Site, settle, startSite } from "./scheduled-site.ts";

const policies = ["fire_all_missed", "fire_one_missed", "skip"] as const;
const missedAfterSeconds = 5;

interface Misfire {
  readonly schedule_id: string;
  readonly expected_fire_at: string;
}

test.concurrent.each(routeDialects)(
  "slots are reported as missed while the scheduler is stopped, and caught up as each policy says, on %s",
  async (dialect) => {
    const seconds = String(missedAfterSeconds);
    const brainEnv = { SVC_SCHEDULER_MISFIRE_GRACE_SECONDS: seconds, SVC_SCHEDULER_MISFIRE_SWEEP_SECONDS: "1" };
    await using site = await startSite({ dialect, schedulers: "separate", brainEnv });
    const scheduler = await site.scheduler({ SVC_SCHEDULER_MISSED_AFTER_SECONDS: seconds });
    await scheduler.start();
    await site.agent.start();
    const schedules = [];
    for (const catch_up of policies) {
      const created = await createSchedule(site, catch_up, { catch_up });
      schedules.push(created);
      // From the first fire on, the agent is there: no fire waits for it, which the other policies would drop.
      await fireMore(site, [created], 1);
    }

    await scheduler.kill();
    const misfires = await waitFor(
      async () => {
        const { body } = await site.api.get(`${site.base}/misfires`);
        return new Set(body.map(({ schedule_id }: Misfire) => schedule_id)).size === schedules.length && body;
      },
      { everyMs: 100, that: "a misfire of each schedule" },
    );
    for (const [index, { id }] of schedules.entries()) {
      const { body: schedule } = await site.api.get(`${site.base}/${id}`);
      const expected = {
        schedule_id: id,
        misfire_kind: "missed_slot",
        expected_fire_at: schedule.next_run_at,
        lateness_seconds: expect.any(Number),
        grace_seconds: missedAfterSeconds,
        name: policies[index],
        engine: "bullmq",
        kind: "interval",
      };
      const own = (all: readonly Misfire[]) =>
        all.filter((one) => one.schedule_id === id && one.expected_fire_at === schedule.next_run_at);
      expect(own(misfires)).toEqual([{ ...expected, detected_at: expect.any(String) }]);
      expect(own((await site.api.get(`${site.base}/${id}/misfires`)).body)).toEqual(own(misfires));
      // Several slots are missed.
      await waitFor(() => Date.now() > Date.parse(schedule.next_run_at) + (missedAfterSeconds + 3) * 1000);
    }
    await scheduler.start();
    await fireMore(site, schedules, 2);

    await expectCaughtUp(site, schedules);
  },
);

/** skip leaves out all missed slots, fire_one_missed all but the newest, fire_all_missed none. Every other slot has a fire. */
async function expectCaughtUp(site: Site, schedules: Parameters<typeof settle>[1]): Promise<void> {
  for (const { schedule, fires } of await settle(site, schedules)) {
    const left = fires.map((fire, index) =>
      index === 0 ? 0 : (slotOf(fire) - slotOf(fires[index - 1] as Fire)) / 1000 - 1,
    );
    const skipped = left.reduce((sum, count) => sum + count, 0);
    expect(schedule).toMatchObject({ total_runs: fires.length, skipped_slots_24h: skipped });
    for (const { status } of fires) expect(status).toBe("acked_success");
    if (schedule.catch_up === "fire_all_missed") {
      expect(skipped).toBe(0);
      expect(fires.filter(isLate).length).toBeGreaterThan(2);
      continue;
    }
    const afterGaps = fires.filter((_, index) => (left[index] as number) > 0);
    expect(afterGaps.length).toBeGreaterThan(0);
    // The newest missed slot. All slots after it have fires.
    if (schedule.catch_up === "fire_one_missed") expect(afterGaps.every(isLate)).toBe(true);
  }
}

const slotOf = ({ scheduled_for }: Fire) => Date.parse(scheduled_for);
const isLate = (fire: Fire) => Date.parse(fire.fired_at) - slotOf(fire) > missedAfterSeconds * 1000;
