import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeEach, describe, expect, test } from "vitest";
import { after, slot, useFires } from "../../../../test/fixtures/schedules/fires.ts";
import { insertTasks } from "../../../../test/rows/task-rows.ts";
import type { ScheduleRow } from "../../../schema/tables/index.ts";

const never = new AbortController().signal;

for (const dialect of testDialects) {
  describe(`misfires on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const fires = useFires(opened);
    const { open, clock, newProject, newSchedule, newFire } = fires;
    beforeEach(async () => {
      clock.setWall(slot);
      fires.entries.length = 0;
      await opened.database.write((tx) => tx.deleteFrom("schedules").execute());
    });
    const alertsOf = ({ id }: ScheduleRow) =>
      opened.database.read.selectFrom("misfire_alerts").selectAll().where("schedule_id", "=", id).execute();

    test("are slots that nothing fired within the grace time, each reported once", async () => {
      const schedule = await newSchedule({ project_id: await newProject() });
      const { misfires } = open().fires;
      clock.setWall(after(60));
      expect(await misfires.sweepMissed(never)).toBe(0);
      clock.setWall(after(61.5));
      expect(await misfires.sweepMissed(never)).toBe(1);
      expect(await misfires.sweepMissed(never)).toBe(0);
      const facts = {
        name: schedule.name,
        engine: "bullmq",
        kind: "interval",
        grace_seconds: 60,
        lateness_seconds: 61,
      };
      expect(await alertsOf(schedule)).toEqual([
        {
          ...{ schedule_id: schedule.id, project_id: schedule.project_id, misfire_kind: "missed_slot" },
          ...{ expected_fire_at: slot, detected_at: after(61.5), ...facts },
        },
      ]);
      expect(fires.entries).toMatchObject([
        {
          action: "scheduler.misfire_detected",
          target_id: schedule.id,
          metadata: { expected_fire_at: slot.toISOString(), ...facts },
        },
      ]);
    });

    test("are counted", async () => {
      await newSchedule({ project_id: await newProject() });
      clock.setWall(after(61));
      const {
        fires: { misfires },
        metrics,
      } = open();
      await misfires.sweepMissed(never);
      expect(await metrics.text()).toMatch(/^svc_scheduler_misfires_detected_total 1$/m);
    });

    test.each<[string, Partial<ScheduleRow>]>([
      ["is disabled", { is_enabled: false }],
      ["is paused", { paused_at: slot }],
      ["has no slot", { next_run_at: null }],
      ["is clocked", { kind: "clocked" }],
      ["is solar", { kind: "solar" }],
      ["belongs to an engine", { scheduler: "bullmq" }],
    ])("are not reported for a schedule that %s", async (_what, given) => {
      await newSchedule({ project_id: await newProject(), ...given });
      clock.setWall(after(3600));
      expect(await open().fires.misfires.sweepMissed(never)).toBe(0);
    });

    test("are not reported for an archived project", async () => {
      const { project_id } = await newSchedule({ project_id: await newProject() });
      await opened.database.write((tx) =>
        tx.updateTable("projects").set({ is_active: false }).where("id", "=", project_id).execute(),
      );
      clock.setWall(after(3600));
      expect(await open().fires.misfires.sweepMissed(never)).toBe(0);
    });

    test("are fires that were sent to an agent too late, or still wait for one", async () => {
      const schedule = await newSchedule({ project_id: await newProject(), late_start_seconds: 30 });
      const sent = (seconds: number, lateness: number) => ({
        ...{ scheduled_for: after(seconds), fired_at: after(seconds), status: "delivered" },
        dispatched_at: after(seconds + lateness),
      });
      await newFire(schedule, sent(0, 30));
      await newFire(schedule, sent(1, 31));
      await newFire(schedule, { scheduled_for: after(2), fired_at: after(2), status: "buffered" });
      await newFire(schedule, { scheduled_for: after(3), fired_at: after(3), status: "buffer_expired" });
      clock.setWall(after(42));
      const { misfires } = open().fires;
      expect(await misfires.sweepLimits(never)).toBe(2);
      expect(await misfires.sweepLimits(never)).toBe(0);
      const found = (await alertsOf(schedule)).map((row) => [
        row.expected_fire_at,
        row.misfire_kind,
        row.lateness_seconds,
      ]);
      expect(found.sort()).toEqual([
        [after(1), "late_start", 31],
        [after(2), "late_start", 40],
      ]);
    });

    test("are tasks that run too long", async () => {
      const project_id = await newProject();
      const schedule = await newSchedule({ project_id, long_run_seconds: 60 });
      const started = { state: "started", started_at: after(10) };
      const tasks = [
        { task_id: "long", ...started },
        { task_id: "short", ...started, started_at: after(11) },
        { task_id: "ended", ...started, state: "success" },
        { task_id: "waits", state: "pending" },
      ];
      await insertTasks(
        opened.database,
        tasks.map((task) => ({ project_id, ...task })),
      );
      for (const [index, { task_id }] of tasks.entries()) {
        await newFire(schedule, {
          scheduled_for: after(index),
          fired_at: after(index),
          status: "acked_success",
          task_id,
        });
      }
      clock.setWall(after(71));
      const { misfires } = open().fires;
      expect(await misfires.sweepLimits(never)).toBe(1);
      expect(await misfires.sweepLimits(never)).toBe(0);
      expect(await alertsOf(schedule)).toMatchObject([
        { misfire_kind: "long_run", expected_fire_at: slot, lateness_seconds: 61, grace_seconds: 60 },
      ]);
    });

    test("are found in schedules beyond one batch", async () => {
      const project_id = await newProject();
      const schedules = await Promise.all(
        Array.from({ length: 130 }, () => newSchedule({ project_id, late_start_seconds: 1 })),
      );
      for (const schedule of schedules) await newFire(schedule, { status: "accepted" });
      clock.setWall(after(10));
      expect(await open().fires.misfires.sweepLimits(never)).toBe(130);
    });
  });
}
