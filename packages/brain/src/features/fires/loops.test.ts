import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeEach, describe, expect, test } from "vitest";
import { after, slot, useFires } from "../../../test/fixtures/schedules/fires.ts";
import type { ScheduleRow } from "../../schema/tables/index.ts";
import { pruneFires, pruneMisfires } from "./loops.ts";
import { forgetTrigger } from "./operations/forget-user-store.ts";

const day = 86_400;

for (const dialect of testDialects) {
  describe(`stored fires on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const { clock, newProject, newSchedule, newFire, firesOf } = useFires(opened);
    beforeEach(() => clock.setWall(slot));
    const context = () => ({
      ...{ database: opened.database, clock, signal: new AbortController().signal },
      settings: { SVC_SCHEDULE_FIRES_RETENTION_DAYS: 30 },
    });
    const idsOf = async ({ id }: ScheduleRow) => {
      const ids = opened.database.read.selectFrom("schedule_fire_ids").select("fire_id").where("schedule_id", "=", id);
      return (await ids.execute()).map(({ fire_id }) => fire_id).sort();
    };

    test("are deleted after the retention, with their ids; those of days with an open fire stay", async () => {
      const schedule = await newSchedule({ project_id: await newProject() });
      const old = await newFire(schedule, { fired_at: after(-35 * day), status: "acked_success" });
      const open = await newFire(schedule, { fired_at: after(-40 * day), status: "buffered" });
      const kept = await newFire(schedule, { fired_at: after(-29 * day), status: "acked_failed" });
      const newest = await newFire(schedule, { fired_at: after(0), status: "acked_success" });
      await pruneFires.tick(context());
      const left = [open, kept, newest].map(({ fire_id }) => fire_id);
      expect((await firesOf(schedule.id)).map(({ fire_id }) => fire_id)).toEqual(left);
      expect(await idsOf(schedule)).toEqual([...left].sort());
      expect(left).not.toContain(old.fire_id);
    });

    test("are kept while the newest one is old, whatever the clock says", async () => {
      const schedule = await newSchedule({ project_id: await newProject() });
      await opened.database.write((tx) => tx.deleteFrom("schedule_fires").execute());
      await newFire(schedule, { fired_at: after(-20 * day), status: "acked_success" });
      clock.setWall(after(200 * day));
      await pruneFires.tick(context());
      expect(await firesOf(schedule.id)).toHaveLength(1);
    });

    test("lose the user who ran them, and stay", async () => {
      const schedule = await newSchedule({ project_id: await newProject() });
      const [user, other] = [schedule.id, schedule.project_id];
      await newFire(schedule, { triggered_by_user_id: user, fired_at: after(1) });
      await newFire(schedule, { triggered_by_user_id: other, fired_at: after(2) });
      await opened.database.write((tx) => forgetTrigger(tx, user));
      const users = (await firesOf(schedule.id)).map(({ triggered_by_user_id }) => triggered_by_user_id);
      expect(users).toEqual([null, other]);
    });

    test("have misfires that are deleted after the same time", async () => {
      const schedule = await newSchedule({ project_id: await newProject() });
      const alert = (days: number) => ({
        ...{ schedule_id: schedule.id, project_id: schedule.project_id, misfire_kind: "missed_slot" },
        ...{ expected_fire_at: after(-days * day), detected_at: after(-days * day) },
        ...{ lateness_seconds: 90, grace_seconds: 60, name: "n", engine: "bullmq", kind: "cron" },
      });
      const alerts = [alert(32), alert(30), alert(0)];
      await opened.database.write((tx) => tx.insertInto("misfire_alerts").values(alerts).execute());
      expect(await pruneMisfires.tick(context())).toEqual({ deleted: 1 });
      const left = opened.database.read.selectFrom("misfire_alerts").select("detected_at");
      expect(await left.where("schedule_id", "=", schedule.id).execute()).toHaveLength(2);
    });
  });
}
