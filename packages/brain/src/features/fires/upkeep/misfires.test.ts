import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeEach, describe, expect, test } from "vitest";
import { after, slot, useFires } from "../../../../test/fixtures/schedules/fires.ts";
import { plansOf } from "../../../../test/query-plans.ts";
import { fireRow } from "../../../../test/rows/fire-rows.ts";
import { insertTasks } from "../../../../test/rows/task-rows.ts";
import { chunks } from "../../../platform/chunks.ts";
import { createMetrics } from "../../../platform/metrics.ts";
import type { ScheduleRow } from "../../../schema/tables/index.ts";
import { insertFires, maxFires } from "../firing/fire-store.ts";
import { firePartitions } from "../firing/partitions.ts";
import { lateStarts, longRuns } from "./misfire-store.ts";
import { createMisfires } from "./misfires.ts";

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

    /** Fires of a schedule, one a second, that were sent a minute later. */
    async function manyLate(schedule: ScheduleRow, count: number): Promise<void> {
      const { project_id, id: schedule_id } = schedule;
      const rows = Array.from({ length: count }, (_, index) =>
        fireRow({
          ...{ project_id, schedule_id, fired_at: after(index), status: "delivered" },
          dispatched_at: after(index + 60),
        }),
      );
      await firePartitions(opened.database)?.ensureFor([slot.getTime()]);
      for (const some of chunks(rows, maxFires)) await opened.database.write((tx) => insertFires(tx, some));
    }

    test("are all late starts, however many fires a schedule has", async () => {
      const schedule = await newSchedule({ project_id: await newProject(), late_start_seconds: 30 });
      await manyLate(schedule, 620);
      clock.setWall(after(700));
      expect(await open().fires.misfires.sweepLimits(never)).toBe(620);
      expect(await alertsOf(schedule)).toHaveLength(620);
    });

    test("are late starts since the last sweep, also when it was hours ago", async () => {
      const schedule = await newSchedule({ project_id: await newProject(), late_start_seconds: 30 });
      const { misfires } = open().fires;
      const fire = await newFire(schedule);
      clock.setWall(after(10));
      expect(await misfires.sweepLimits(never)).toBe(0);
      await opened.database.write((tx) =>
        tx
          .updateTable("schedule_fires")
          .set({ dispatched_at: after(600), status: "acked_success" })
          .where("id", "=", fire.id)
          .execute(),
      );
      clock.setWall(after(3 * 3600));
      expect(await misfires.sweepLimits(never)).toBe(1);
      expect(await alertsOf(schedule)).toMatchObject([{ misfire_kind: "late_start", lateness_seconds: 600 }]);
      // Fires before that sweep are not read again.
      const at = after(3 * 3600 - 30 - 61);
      await newFire(schedule, { scheduled_for: at, fired_at: at, dispatched_at: after(100, at), status: "delivered" });
      expect(await misfires.sweepLimits(never)).toBe(0);
      expect(await open().fires.misfires.sweepLimits(never)).toBe(1);
    });

    test("are found in parts when a sweep reaches its limit", async () => {
      const project_id = await newProject();
      const schedules = await Promise.all([1, 2, 3].map(() => newSchedule({ project_id, late_start_seconds: 30 })));
      for (const schedule of schedules) await manyLate(schedule, 5);
      clock.setWall(after(100));
      const limits = { rows: 4, slotsPerSchedule: 1, firesPerRead: 2, schedulesPerRead: 2 };
      const misfires = createMisfires({ ...fires, database: opened.database, metrics: createMetrics() }, limits);
      const counts: number[] = [];
      for (let left = 15; left > 0; left -= counts.at(-1)!) counts.push(await misfires.sweepLimits(never));
      expect(Math.max(...counts)).toBeLessThanOrEqual(7);
      expect(await misfires.sweepLimits(never)).toBe(0);
      for (const schedule of schedules) expect(await alertsOf(schedule)).toHaveLength(5);
    });

    test("are all tasks that run too long, although their fires are older than a day", async () => {
      const project_id = await newProject();
      const schedule = await newSchedule({ project_id, long_run_seconds: 60 });
      const other = await newSchedule({ project_id, long_run_seconds: 3600 });
      const ids = ["a", "b", "c", "d", "e"];
      const started = { project_id, state: "started", started_at: after(3 * 86_400) };
      await insertTasks(
        opened.database,
        [...ids, "other", "by hand"].map((task_id) => ({ task_id, ...started })),
      );
      const acked = (index: number) => ({
        scheduled_for: after(index),
        fired_at: after(index),
        status: "acked_success",
      });
      for (const [index, task_id] of ids.entries()) await newFire(schedule, { ...acked(index), task_id });
      await newFire(other, { ...acked(9), task_id: "other" });
      clock.setWall(after(3 * 86_400 + 61));
      const limits = { rows: 100, slotsPerSchedule: 1, firesPerRead: 2, schedulesPerRead: 2 };
      const misfires = createMisfires({ ...fires, database: opened.database, metrics: createMetrics() }, limits);
      expect(await misfires.sweepLimits(never)).toBe(5);
      expect(await misfires.sweepLimits(never)).toBe(0);
      expect(await alertsOf(schedule)).toHaveLength(5);
    });

    test("are searched through indexes", async () => {
      const { database } = opened;
      const schedule = { ...(await newSchedule({ project_id: await newProject(), long_run_seconds: 60 })) };
      const range = { now: slot, limit: 10 };
      const late = await plansOf(database, (db) => lateStarts(db, [[schedule.id, slot]], range));
      const long = await plansOf(database, (db) => longRuns(db, [schedule], range));
      if (dialect === "postgres") return;
      expect(late).toContain("SEARCH f USING INDEX schedule_fires_by_schedule (schedule_id=? AND fired_at>?)");
      expect(long).toContain("SEARCH t USING INDEX tasks_by_state (project_id=? AND state=?)");
      expect(long).toMatch(/SEARCH schedule_fires USING INDEX schedule_fires_by_task/);
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
