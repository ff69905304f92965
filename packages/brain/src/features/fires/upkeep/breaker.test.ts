import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeEach, describe, expect, test } from "vitest";
import { after, slot, useFires } from "../../../../test/fixtures/schedules/fires.ts";
import type { ScheduleRow } from "../../../schema/tables/index.ts";
import { createBreaker } from "./breaker.ts";

const never = new AbortController().signal;

for (const dialect of testDialects) {
  describe(`the circuit breaker on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const fires = useFires(opened);
    const { open, clock, newProject, newSchedule, newFire, scheduleOf } = fires;
    beforeEach(() => {
      clock.setWall(slot);
      fires.entries.length = 0;
    });

    /** A schedule with fires of these statuses, the oldest first, one a minute. */
    async function fired(statuses: string[], given: Partial<ScheduleRow> = {}) {
      const schedule = await newSchedule({ project_id: await newProject(), ...given });
      for (const [index, status] of statuses.entries()) {
        await newFire(schedule, { status, fired_at: after(-60 * (statuses.length - index)) });
      }
      return schedule;
    }

    test("disables a schedule when its newest fires failed as often as the threshold says", async () => {
      const schedule = await fired(["acked_success", "failed", "acked_failed", "failed"]);
      const fine = await fired(["acked_success", "failed", "failed"]);
      expect(await open().fires.breaker.sweep(never)).toBe(1);
      const row = await scheduleOf(schedule.id);
      expect(row).toMatchObject({ is_enabled: false, next_run_at: null });
      expect(row.control_token).not.toBe(schedule.control_token);
      expect((await scheduleOf(fine.id)).is_enabled).toBe(true);
      expect(fires.entries).toMatchObject([
        {
          action: "schedule.circuit_breaker.tripped",
          target_type: "schedule",
          target_id: schedule.id,
          metadata: { name: schedule.name, threshold: 3 },
        },
      ]);
      expect(await open().fires.breaker.sweep(never)).toBe(0);
    });

    test.each([["acked_success"], ["accepted"], ["buffered"], ["terminal_timeout"], ["buffer_expired"]])(
      "leaves a schedule whose newest fire is %s",
      async (newest) => {
        const schedule = await fired(["failed", "failed", "failed", newest]);
        expect(await open().fires.breaker.sweep(never)).toBe(0);
        expect((await scheduleOf(schedule.id)).is_enabled).toBe(true);
      },
    );

    test("gives a schedule that was enabled again another attempt", async () => {
      const schedule = await fired(["failed", "failed", "failed"], { updated_at: slot });
      expect(await open().fires.breaker.sweep(never)).toBe(0);
      await newFire(schedule, { status: "failed", fired_at: after(60) });
      clock.setWall(after(60));
      expect(await open().fires.breaker.sweep(never)).toBe(1);
    });

    test("is off with a threshold of 0", async () => {
      await fired(["failed", "failed", "failed"]);
      const { database } = opened;
      const settings = { SVC_SCHEDULE_CIRCUIT_BREAKER_THRESHOLD: 0 };
      const breaker = createBreaker({ database, clock, audit: fires.audit, settings, publish() {} });
      expect(await breaker.sweep(never)).toBe(0);
      expect(await open().fires.breaker.sweep(never)).toBe(1);
    });
  });
}
