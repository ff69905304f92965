import { randomUUID } from "node:crypto";
import { readTimestamp, type ScheduleCursor, type ScheduleMessage, SnapshotDigest } from "@svc/protocol";
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rowsReadBy } from "../../../../test/query-plans.ts";
import {
  addSchedule,
  certificateFor,
  collected,
  type Frame,
  projectWith,
  removeSchedule,
  renameTask,
  startSchedulerGrpc,
} from "../../../../test/schedulers/scheduler-fixture.ts";
import type { Db } from "../../../schema/tables/index.ts";
import { statusCodes } from "../status-codes.ts";
import { readCursorPage } from "./stream-reads.ts";

/** Checks a snapshot as a scheduler does, and gives its schedules. */
function checked(frames: Frame[]): { schedules: ScheduleMessage[]; watermark: number } {
  const [header, ...rest] = frames;
  const complete = rest.pop()?.complete;
  const parts = rest.map(({ row, rows }) => row ?? rows) as { snapshot_id: string }[];
  const schedules: ScheduleMessage[] = rest.flatMap(({ row, rows }) => row?.schedule ?? rows.schedules);
  const digest = new SnapshotDigest();
  for (const { id, control_token, revision, definition_digest, next_run_at } of schedules) {
    digest.add({
      id,
      controlToken: control_token,
      revision,
      definitionDigest: definition_digest,
      nextRunAt: readTimestamp(next_run_at),
    });
  }
  const { snapshot_id } = header.header;
  expect(header.header.contract_version).toBe(1);
  expect(new Set(parts.map((part) => part.snapshot_id))).toEqual(new Set(rest.length > 0 ? [snapshot_id] : []));
  expect(complete).toMatchObject({ snapshot_id, row_count: schedules.length, digest: digest.end() });
  const ids = schedules.map(({ id }) => id);
  expect(ids).toEqual([...ids].sort());
  return { schedules, watermark: complete.watermark };
}

for (const dialect of testDialects) {
  describe(`a snapshot on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    let server: Awaited<ReturnType<typeof startSchedulerGrpc>>;
    let projects: Awaited<ReturnType<typeof projectWith>>[];
    beforeAll(async () => {
      server = await startSchedulerGrpc(opened, { names: { bindings: { bound: ["two"], none: [] } } });
      projects = [];
      for (const slug of ["one", "two", "archived"]) projects.push(await projectWith(opened, slug));
      const [one, two, archived] = projects.map(({ id }) => id) as [string, string, string];
      for (let index = 0; index < 250; index += 1)
        await addSchedule(opened, { project_id: index % 5 === 0 ? two : one });
      await addSchedule(opened, { project_id: one, scheduler: "celery-beat" });
      await addSchedule(opened, { project_id: archived });
      await projects[2]?.change({ is_active: false });
    });
    afterAll(() => server.stop());

    const snapshot = async (request: object = {}, name = "free") =>
      checked(await collected(server.client(certificateFor(name)).snapshot(request)));

    test.each([0, 1, 7, 125, 1000])("contains every schedule of this service, read %i at once", async (page_size) => {
      const { schedules, watermark } = await snapshot({ page_size });
      expect(schedules).toHaveLength(250);
      expect(watermark).toBe(252);
    });

    test.each([
      [{ page_size: 1000, rows_per_frame: 100 }, 100, 3],
      [{ page_size: 70, rows_per_frame: 1000 }, 70, 4],
      [{ page_size: 1000, rows_per_frame: 60 }, 60, 5],
    ])("contains several schedules in each frame on request: %o", async (request, mostInFrame, frameCount) => {
      const frames = await collected(server.client(certificateFor("free")).snapshot(request));
      expect(checked(frames).schedules).toHaveLength(250);
      const sizes = frames.slice(1, -1).map(({ rows }) => rows.schedules.length);
      expect(sizes).toHaveLength(frameCount);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(mostInFrame);
      expect(sizes.reduce((sum, size) => sum + size)).toBe(250);
    });

    test("contains cursors of the schedules that the client knows", async () => {
      const project = await projectWith(opened, "known");
      const rows = [];
      for (let index = 0; index < 5; index += 1) rows.push(await addSchedule(opened, { project_id: project.id }));
      rows.sort((a, b) => (a.id < b.id ? -1 : 1));
      const changed = rows[2]!;
      const known_through = Math.max(...rows.map(({ schedule_revision }) => schedule_revision));
      await renameTask(opened, changed, "changed");
      const moved = new Date("2026-05-06T07:08:09.000Z");
      const { id } = rows[4]!;
      await opened.database.write((tx) =>
        tx.updateTable("schedules").set({ next_run_at: moved }).where("id", "=", id).execute(),
      );

      const request = { project_ids: [project.id], rows_per_frame: 100, known_through };
      const frames = await collected(server.client(certificateFor("free")).snapshot(request));
      // Where a page ends depends on the schedules of other projects.
      const sent = frames
        .slice(1, -1)
        .flatMap(({ rows: { schedules, cursors } }) => [
          ...schedules.map((each: ScheduleMessage) => ({ schedule: each.id })),
          ...cursors.map((each: ScheduleCursor) => ({ cursor: each.id })),
        ]);
      expect(sent).toEqual(rows.map((row) => (row === changed ? { schedule: row.id } : { cursor: row.id })));
      const last = frames.at(-2).rows.cursors.at(-1);
      expect(readTimestamp(last.next_run_at)).toEqual(moved);
      expect(last.revision).toBe(rows[4]!.schedule_revision);
      const whole = await collected(server.client(certificateFor("free")).snapshot({ project_ids: [project.id] }));
      expect(frames.at(-1).complete.digest).toBe(whole.at(-1).complete.digest);
      checked(whole);
      for (const row of rows) await removeSchedule(opened, row);
    });

    if (dialect === "postgres") {
      test("reads each schedule once, also without statistics about the table", async () => {
        const ids = (await opened.database.read.selectFrom("schedules").select("id").orderBy("id").execute()).map(
          ({ id }) => id,
        );
        const page = (db: Db) => readCursorPage(db, { afterId: ids[120] ?? null, limit: 1 });
        expect(await rowsReadBy(opened.database, page)).toEqual([1]);
      });
    }

    test("contains complete schedules with canonical arguments", async () => {
      const project = await projectWith(opened, "complete");
      const at = new Date("2026-02-03T04:05:06.789Z");
      const row = await addSchedule(opened, {
        project_id: project.id,
        queue: "mail",
        args: '[1, "é"]',
        kwargs: '{"b": {"d": 1, "c": 2}, "a": null}',
        last_run_at: at,
        next_run_at: null,
        total_runs: 12,
        paused_at: at,
        quarantined_at: at,
      });
      const { schedules } = await snapshot({ project_ids: [project.id] });
      const { args_json, kwargs_json, last_run_at, ...rest } = schedules[0]!;
      expect(Buffer.from(args_json).toString()).toBe('[1,"é"]');
      expect(Buffer.from(kwargs_json).toString()).toBe('{"a":null,"b":{"c":2,"d":1}}');
      expect(readTimestamp(last_run_at)).toEqual(at);
      expect(rest).toMatchObject({
        id: row.id,
        project_id: project.id,
        queue: "mail",
        paused: true,
        quarantined: true,
        is_enabled: true,
        next_run_at: null,
        total_runs: 12,
        revision: row.schedule_revision,
        control_token: row.control_token,
      });
      await removeSchedule(opened, row);
    });

    test("contains only the requested projects and those of the binding", async () => {
      const [one, two, archived] = projects.map(({ id }) => id) as [string, string, string];
      const countOf = async (project_ids: string[], name?: string) =>
        (await snapshot({ project_ids }, name)).schedules.length;
      expect(await countOf([one])).toBe(200);
      expect(await countOf([two, archived, randomUUID()])).toBe(50);
      expect(await countOf([], "bound")).toBe(50);
      expect(await countOf([one], "bound")).toBe(0);
      expect(await countOf([one, two], "bound")).toBe(50);
      expect(await countOf([], "none")).toBe(0);
      expect(server.refused).toEqual([]);
    });

    test.each([
      [{ page_size: 1001 }, "page_size must be 1 to 1000"],
      [{ known_through: -1 }, "known_through is not a revision"],
      [{ project_ids: ["x"] }, "project_ids is not a UUID"],
      [{ project_ids: Array.from({ length: 1001 }, () => randomUUID()) }, "project_ids must be at most 1000"],
    ])("is refused for a request that is invalid", async (request, details) => {
      server.refused.length = 0;
      await expect(collected(server.client().snapshot(request))).rejects.toMatchObject({
        code: statusCodes.INVALID_ARGUMENT,
        details,
      });
      expect(server.refused.splice(0)).toMatchObject([{ action: "schedules.access.invalid" }]);
    });

    test("shows one instant while schedules change", async () => {
      const project = await projectWith(opened, "busy");
      const rows = [];
      for (let index = 0; index < 60; index += 1) rows.push(await addSchedule(opened, { project_id: project.id }));
      const stream = server.client().snapshot({ project_ids: [project.id], page_size: 1 });
      const frames: Frame[] = [];
      for await (const frame of stream) {
        // The snapshot has begun with its first row.
        if (frames.push(frame) === 2)
          for (const row of rows) {
            await renameTask(opened, row, "changed");
            await removeSchedule(opened, row);
          }
      }
      const { schedules, watermark } = checked(frames);
      expect(schedules).toHaveLength(60);
      expect(new Set(schedules.map(({ task_name }) => task_name))).toEqual(new Set(["mail.send"]));
      expect(watermark).toBe(Math.max(...schedules.map(({ revision }) => revision)));
    });

    test("ends when its client leaves, and makes room for the next one", async () => {
      const large = "x".repeat(60_000);
      const project = await projectWith(opened, "large");
      for (let index = 0; index < 40; index += 1)
        await addSchedule(opened, { project_id: project.id, args: JSON.stringify([large]) });
      for (let count = 0; count < 6; count += 1) {
        const stream = server.client().snapshot({ project_ids: [project.id] });
        await expect(
          (async () => {
            for await (const _frame of stream) stream.cancel();
          })(),
        ).rejects.toMatchObject({ code: 1 });
      }
      const whole = { project_ids: [project.id], rows_per_frame: 100 };
      const frames = await collected(server.client().snapshot(whole));
      expect(checked(frames).schedules).toHaveLength(40);
      // Eight of 60,000 bytes of arguments fit into one frame.
      const sizes = frames.slice(1, -1).map(({ rows }) => rows.schedules.length);
      expect(Math.max(...sizes)).toBe(8);
    });
  });
}
