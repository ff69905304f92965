import { waitFor } from "@svc/testkit";
import { routeDialects } from "@svc/testkit/databases";
import { expect, test } from "vitest";
import { createSchedule, type Fire, fireMore, type Site, settle, startSite } from "./scheduled-site.ts";

const policies = ["skip", "fire_one_missed", "fire_all_missed"] as const;
const missedAfterSeconds = 5;

interface Misfire {
  readonly schedule_id: string;
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
    for (const catch_up of policies) schedules.push(await createSchedule(site, catch_up, { catch_up }));
    await fireMore(site, schedules, 1);

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
      const own = misfires.filter(({ schedule_id }: Misfire) => schedule_id === id);
      expect(own).toEqual([{ ...expected, detected_at: expect.any(String) }]);
      expect((await site.api.get(`${site.base}/${id}/misfires`)).body).toEqual(own);
      await waitFor(() => Date.now() > Date.parse(schedule.next_run_at) + (missedAfterSeconds + 3) * 1000);
    }
    await scheduler.start();
    await fireMore(site, schedules, 2);

    await expectCaughtUp(site, schedules);
  },
);

/** skip leaves out all missed slots, fire_one_missed all but the newest, fire_all_missed none. Every other slot has a fire. */
async function expectCaughtUp(site: Site, schedules: Parameters<typeof settle>[1]): Promise<void> {
  const [skip, one, all] = await settle(site, schedules, () => false);
  for (const found of [skip, one, all]) {
    const { schedule, fires } = found ?? { schedule: null, fires: [] };
    const slots = fires.map(({ scheduled_for }) => Date.parse(scheduled_for));
    const left = slots.slice(1).map((slot, index) => (slot - (slots[index] as number)) / 1000 - 1);
    const gaps = left.filter((count) => count > 0);
    expect(gaps).toHaveLength(schedule.catch_up === "fire_all_missed" ? 0 : 1);
    expect(schedule).toMatchObject({ total_runs: fires.length, skipped_slots_24h: gaps[0] ?? 0 });
    for (const { status } of fires) expect(status).toBe("acked_success");
  }
  // The first fire after the gap is the newest missed slot: it was late, and all slots after it have fires.
  const fires = one?.fires ?? [];
  const afterGap = fires.find((fire, index) => index > 0 && slotOf(fire) - slotOf(fires[index - 1] as Fire) > 1000);
  expect(lateness(afterGap as Fire)).toBeGreaterThan(missedAfterSeconds * 1000);
  expect((all?.fires ?? []).filter((fire) => lateness(fire) > missedAfterSeconds * 1000).length).toBeGreaterThan(2);
}

const slotOf = ({ scheduled_for }: Fire) => Date.parse(scheduled_for);
const lateness = (fire: Fire) => Date.parse(fire.fired_at) - slotOf(fire);
