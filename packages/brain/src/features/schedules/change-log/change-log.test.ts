import { randomUUID } from "node:crypto";
import { createFakeClock } from "@svc/testkit";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeEach, describe, expect, test } from "vitest";
import { scheduleRow } from "../../../../test/rows/schedule-rows.ts";
import type { ScheduleRow } from "../../../schema/tables/index.ts";
import { changeControl, lockSchedule, recordChanges } from "../control/control-store.ts";
import { followProject } from "../control/project-store.ts";
import { deleteChangesBefore, deleteSkipsBefore } from "./prune-store.ts";

const clock = createFakeClock();
const alone = { alone: true } as const;

for (const dialect of testDialects) {
  describe(`the change log on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    let shop: string;
    let other: string;
    let base: number;

    async function add(given: Partial<ScheduleRow> = {}): Promise<ScheduleRow> {
      const row = scheduleRow({ project_id: shop, ...given });
      await opened.database.write(async (tx) => {
        const change = { projectId: row.project_id, scheduleId: row.id, kind: "upsert" } as const;
        await recordChanges(tx, [change], clock.now());
        await tx.insertInto("schedules").values(row).execute();
      }, alone);
      return row;
    }
    const change = ({ project_id, id }: ScheduleRow, changes: Partial<ScheduleRow>) =>
      opened.database.write(async (tx) => {
        const row = (await lockSchedule(tx, project_id, id)) as ScheduleRow;
        return changeControl(tx, row, { ...changes, now: clock.now() });
      }, alone);
    const setActive = (projectId: string, isActive: boolean) =>
      opened.database.write(async (tx) => {
        await tx.updateTable("projects").set({ is_active: isActive }).where("id", "=", projectId).execute();
        return followProject(tx, { projectId, isActive, now: clock.now() });
      }, alone);
    const newest = async (): Promise<number> =>
      (await opened.database.read.selectFrom("schedule_control").select("revision").executeTakeFirstOrThrow()).revision;
    const read = (after = base) =>
      opened.database.read
        .selectFrom("schedule_changes")
        .selectAll()
        .where("revision", ">", after)
        .orderBy("revision")
        .execute();
    const rowOf = (id: string) =>
      opened.database.read.selectFrom("schedules").selectAll().where("id", "=", id).executeTakeFirstOrThrow();

    beforeEach(async () => {
      await opened.database.write((tx) => tx.deleteFrom("projects").execute());
      shop = await addProject(opened.database, randomUUID());
      other = await addProject(opened.database, randomUUID());
      base = await newest();
    });

    test("prunes the oldest changes first, so that no hole appears", async () => {
      await add();
      await add();
      await add();
      clock.advance(1000);
      const count = async () =>
        (await opened.database.read.selectFrom("schedule_changes").select("revision").execute()).length;
      const before = await count();
      expect(await deleteChangesBefore(opened.database, clock.now(), before - 1)).toBe(before - 1);
      const [left] = await opened.database.read.selectFrom("schedule_changes").select("revision").execute();
      expect(left?.revision).toBe(base + 3);
    });

    test("archiving a project leaves tombstones; restoring it continues its schedules from now on", async () => {
      const slot = new Date(clock.now().getTime() - 1000);
      const own = await add({ next_run_at: slot });
      const paused = await add({ paused_at: slot });
      const native = await add({ scheduler: "bullmq", next_run_at: slot });
      await add({ project_id: other });
      const ids = [own.id, paused.id].sort();
      const kindsAfter = async (revision: number) =>
        (await read(revision)).map(({ schedule_id, change_kind }) => [schedule_id, change_kind]);

      const before = await newest();
      expect(await setActive(shop, false)).toBe(2);
      expect(await kindsAfter(before)).toEqual(ids.map((id) => [id, "delete"]));
      expect(await rowOf(own.id)).toEqual(own);

      const archived = await newest();
      expect(await setActive(shop, true)).toBe(2);
      expect(await kindsAfter(archived)).toEqual(ids.map((id) => [id, "upsert"]));
      const restored = await rowOf(own.id);
      expect(restored).toMatchObject({
        next_run_at: new Date(clock.now().getTime() + 3_600_000),
        schedule_revision: archived + 1 + ids.indexOf(own.id),
      });
      expect(restored.control_token).not.toBe(own.control_token);
      expect(await rowOf(paused.id)).toMatchObject({ next_run_at: null, paused_at: slot });
      expect(await rowOf(native.id)).toEqual(native);
    });

    test("concurrent changes get consecutive revisions, without holes", async () => {
      const rows = await Promise.all(Array.from({ length: 8 }, () => add()));
      await Promise.all(rows.flatMap((row) => [change(row, { queue: "a" }), change(row, { queue: "b" })]));
      expect((await read()).map(({ revision }) => revision - base)).toEqual(
        Array.from({ length: 24 }, (_, index) => index + 1),
      );
    });

    test("a change that fails spends no revision", async () => {
      const own = await add();
      const failing = opened.database.write(async (tx) => {
        const row = (await lockSchedule(tx, shop, own.id)) as ScheduleRow;
        await changeControl(tx, row, { queue: "x", now: clock.now() });
        throw new Error("undone");
      }, alone);
      await expect(failing).rejects.toThrow("undone");
      expect(await newest()).toBe(base + 1);
    });

    test("skips are deleted by age", async () => {
      const own = await add();
      const at = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000);
      const skip = { project_id: shop, schedule_id: own.id, count: 1 };
      const ids = ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"];
      const skips = ids.map((id, index) => ({ ...skip, id, skipped_at: at(index) }));
      await opened.database.write((tx) => tx.insertInto("schedule_skips").values(skips).execute());
      expect(await deleteSkipsBefore(opened.database, at(1), 100)).toBe(1);
      const left = await opened.database.read.selectFrom("schedule_skips").select("id").execute();
      expect(left).toEqual([{ id: ids[1] }]);
    });
  });
}
