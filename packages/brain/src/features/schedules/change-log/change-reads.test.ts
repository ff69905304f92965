import { randomUUID } from "node:crypto";
import { createFakeClock } from "@svc/testkit";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeEach, describe, expect, test } from "vitest";
import { scheduleRow } from "../../../../test/rows/schedule-rows.ts";
import type { ScheduleRow } from "../../../schema/tables/index.ts";
import { changeControl, lockSchedule, recordChanges } from "../control/control-store.ts";
import { followProject } from "../control/project-store.ts";
import { type ChangeQuery, readChanges, readSnapshot } from "./change-reads.ts";
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
    const remove = ({ project_id, id }: ScheduleRow) =>
      opened.database.write(async (tx) => {
        await recordChanges(tx, [{ projectId: project_id, scheduleId: id, kind: "delete" }], clock.now());
        await tx.deleteFrom("schedules").where("id", "=", id).execute();
      }, alone);
    const setActive = (projectId: string, isActive: boolean) =>
      opened.database.write(async (tx) => {
        await tx.updateTable("projects").set({ is_active: isActive }).where("id", "=", projectId).execute();
        return followProject(tx, { projectId, isActive, now: clock.now() });
      }, alone);
    const read = (query: Partial<ChangeQuery> = {}) =>
      readChanges(opened.database, { afterRevision: base, projectIds: null, limit: 100, ...query });
    async function snapshot(projectIds: readonly string[] | null = null, pageSize = 2) {
      const pages: ScheduleRow[][] = [];
      const ended = await readSnapshot(opened.database, { projectIds, pageSize }, async (rows) => {
        pages.push([...rows]);
      });
      return { ...ended, pages, ids: pages.flat().map(({ id }) => id) };
    }

    beforeEach(async () => {
      await opened.database.write((tx) => tx.deleteFrom("projects").execute());
      shop = await addProject(opened.database, randomUUID());
      other = await addProject(opened.database, randomUUID());
      base = (await snapshot()).watermark;
    });

    test("gives changes in their order, each with the current row or as a tombstone", async () => {
      const [first, second] = [await add(), await add()];
      const changed = await change(first, { queue: "mails" });
      await remove(second);
      const { changes, ...progress } = await read();
      expect(progress).toEqual({ scannedThrough: base + 4, serverRevision: base + 4, isGap: false });
      expect(changes).toEqual([
        { revision: base + 1, projectId: shop, scheduleId: first.id, row: changed },
        { revision: base + 2, projectId: shop, scheduleId: second.id, row: null },
        { revision: base + 3, projectId: shop, scheduleId: first.id, row: changed },
        { revision: base + 4, projectId: shop, scheduleId: second.id, row: null },
      ]);
    });

    test("continues after the last scanned revision, past those of other projects", async () => {
      await add({ project_id: other });
      const own = await add();
      await add({ project_id: other });
      const first = await read({ projectIds: [shop], limit: 1 });
      expect(first).toMatchObject({ changes: [], scannedThrough: base + 1, serverRevision: base + 3 });
      const rest = await read({ projectIds: [shop], afterRevision: first.scannedThrough });
      expect(rest.changes.map(({ scheduleId }) => scheduleId)).toEqual([own.id]);
      expect(rest.scannedThrough).toBe(base + 3);
      expect(await read({ afterRevision: base + 3 })).toEqual({
        ...{ changes: [], scannedThrough: base + 3, serverRevision: base + 3, isGap: false },
      });
    });

    test("shows schedules of engines to no scheduler", async () => {
      const native = await add({ scheduler: "bullmq" });
      expect((await read()).changes).toMatchObject([{ scheduleId: native.id, row: null }]);
      expect((await snapshot()).ids).toEqual([]);
    });

    test("has a gap once older changes were pruned, and for revisions that do not exist", async () => {
      await add();
      clock.advance(1000);
      const kept = await add();
      expect(await deleteChangesBefore(opened.database, clock.now(), 100)).toBeGreaterThan(0);
      expect(await read()).toMatchObject({ isGap: true, changes: [], scannedThrough: base, serverRevision: base + 2 });
      expect((await read({ afterRevision: base + 1 })).changes).toMatchObject([{ scheduleId: kept.id }]);
      clock.advance(1000);
      await deleteChangesBefore(opened.database, clock.now(), 100);
      expect((await read({ afterRevision: base + 1 })).isGap).toBe(true);
      expect((await read({ afterRevision: base + 2 })).isGap).toBe(false);
      expect((await read({ afterRevision: base + 3 })).isGap).toBe(true);
    });

    test("has a gap where the log says so", async () => {
      await add();
      await opened.database.write((tx) =>
        tx
          .updateTable("schedule_changes")
          .set({ change_kind: "gap" })
          .where("revision", "=", base + 1)
          .execute(),
      );
      expect((await read()).isGap).toBe(true);
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

    test("a snapshot has every schedule of the projects once, by id, and the revision that it shows", async () => {
      const rows: ScheduleRow[] = [];
      for (let index = 0; index < 5; index += 1) rows.push(await add());
      const foreign = await add({ project_id: other });
      const ids = rows.map(({ id }) => id).sort();
      const own = await snapshot([shop]);
      expect(own).toMatchObject({ ids, rowCount: 5, watermark: base + 6 });
      expect(own.pages.map((page) => page.length)).toEqual([2, 2, 1]);
      expect(own.pages.flat()).toContainEqual(rows[0]);
      expect((await snapshot()).ids).toEqual([...ids, foreign.id].sort());
      expect((await snapshot([])).ids).toEqual([]);
    });

    test("a snapshot does not see what is committed while it is read", async () => {
      for (let index = 0; index < 3; index += 1) await add();
      let late: ScheduleRow | undefined;
      const seen: string[] = [];
      const { watermark } = await readSnapshot(opened.database, { projectIds: null, pageSize: 1 }, async (rows) => {
        late ??= await add({ id: "ffffffff-ffff-4fff-bfff-ffffffffffff" });
        seen.push(...rows.map(({ id }) => id));
      });
      expect(seen).toHaveLength(3);
      expect(watermark).toBe(base + 3);
      expect((await read({ afterRevision: watermark })).changes).toMatchObject([{ scheduleId: late?.id }]);
    });

    test("archiving a project removes its schedules for schedulers; restoring continues them from now on", async () => {
      const slot = new Date(clock.now().getTime() - 1000);
      const own = await add({ next_run_at: slot });
      const paused = await add({ paused_at: slot });
      const native = await add({ scheduler: "bullmq", next_run_at: slot });
      const foreign = await add({ project_id: other });
      const { watermark } = await snapshot();

      expect(await setActive(shop, false)).toBe(2);
      expect((await snapshot()).ids).toEqual([foreign.id]);
      const removed = await read({ afterRevision: watermark });
      expect(removed.changes.map(({ row }) => row)).toEqual([null, null]);
      expect(removed.changes.map(({ scheduleId }) => scheduleId)).toEqual([own.id, paused.id].sort());

      expect(await setActive(shop, true)).toBe(2);
      const back = await read({ afterRevision: removed.scannedThrough });
      const rowOf = (id: string) => back.changes.find(({ scheduleId }) => scheduleId === id);
      expect(rowOf(own.id)?.row).toMatchObject({
        next_run_at: new Date(clock.now().getTime() + 3_600_000),
        schedule_revision: rowOf(own.id)?.revision,
      });
      expect(rowOf(own.id)?.row?.control_token).not.toBe(own.control_token);
      expect(rowOf(paused.id)?.row).toMatchObject({ next_run_at: null, paused_at: slot });
      const stored = opened.database.read.selectFrom("schedules").selectAll().where("id", "=", native.id);
      expect(await stored.executeTakeFirst()).toEqual(native);
    });

    test("a change in an archived project is a tombstone", async () => {
      const own = await add();
      await setActive(shop, false);
      const { serverRevision } = await read();
      await change(own, { queue: "x" });
      expect((await read({ afterRevision: serverRevision })).changes).toMatchObject([
        { scheduleId: own.id, row: null },
      ]);
    });

    test("concurrent changes get consecutive revisions, and readers see no revision before an earlier one", async () => {
      const rows = await Promise.all(Array.from({ length: 8 }, () => add()));
      await Promise.all(rows.flatMap((row) => [change(row, { queue: "a" }), change(row, { queue: "b" })]));
      const { changes } = await read();
      expect(changes.map(({ revision }) => revision - base)).toEqual(
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
      expect((await read()).serverRevision).toBe(base + 1);
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
