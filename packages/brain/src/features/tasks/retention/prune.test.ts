import { createFakeClock } from "@svc/testkit";
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { sql } from "kysely";
import { beforeEach, describe, expect, test } from "vitest";
import { type GivenTask, insertTasks } from "../../../../test/rows/task-rows.ts";
import { pruneTasks } from "../loops.ts";
import { pruneTaskBatch } from "./prune.ts";

const shop = "11111111-2222-4333-8444-555555555555";
const bank = "21111111-2222-4333-8444-555555555555";
const now = new Date("2026-04-01T10:00:00.000Z");
/** Start of the oldest day that a retention of 90 days keeps. */
const horizon = new Date("2026-01-01T00:00:00.000Z");
const before = new Date(horizon.getTime() - 1);
/** Retention counts back from a day before the newest row. */
const newest = new Date(now.getTime() + 86_400_000);

for (const dialect of testDialects) {
  describe(`task retention on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const add = (...tasks: GivenTask[]) => insertTasks(opened.database, tasks);
    const tick = (signal = new AbortController().signal) =>
      pruneTasks.tick({
        database: opened.database,
        clock: createFakeClock(now.toISOString()),
        settings: { SVC_TASK_RETENTION_DAYS: 90 },
        signal,
      });
    const taskIds = async () => {
      const rows = await opened.database.read.selectFrom("tasks").select("task_id").orderBy("task_id").execute();
      return rows.map(({ task_id }) => task_id);
    };

    beforeEach(async () => {
      await opened.database.write(async (tx) => {
        for (const table of ["tasks", "task_links", "task_terms", "counter_deltas"] as const) {
          await tx.deleteFrom(table).execute();
        }
        if (dialect === "postgres") await tx.deleteFrom("task_search").execute();
      });
    });

    test("deletes rows whose newest event is older than the oldest kept day, and no others", async () => {
      await add(
        { project_id: shop, task_id: "old", last_event_at: before, received_at: before },
        { project_id: bank, task_id: "old too", last_event_at: before, received_at: before },
        { project_id: shop, task_id: "edge", last_event_at: horizon, received_at: before },
        { project_id: shop, task_id: "new", last_event_at: newest, received_at: before },
      );

      expect(await tick()).toMatchObject({ deleted: 2 });

      expect(await taskIds()).toEqual(["edge", "new"]);
    });

    test("deletes a row with the link of its own id, and keeps the link that a younger task has to it", async () => {
      await add(
        { project_id: shop, task_id: "old", last_event_at: before },
        { project_id: shop, task_id: "younger", last_event_at: newest },
      );
      await opened.database.write((tx) =>
        tx
          .insertInto("task_links")
          .values([
            { project_id: shop, engine: "bullmq", new_id: "old", old_id: "older", linked_at: before },
            { project_id: shop, engine: "bullmq", new_id: "younger", old_id: "old", linked_at: now },
            { project_id: bank, engine: "bullmq", new_id: "old", old_id: "x", linked_at: before },
          ])
          .execute(),
      );

      await tick();

      const links = await opened.database.read
        .selectFrom("task_links")
        .select(["project_id", "new_id"])
        .orderBy("project_id")
        .execute();
      expect(links).toEqual([
        { project_id: shop, new_id: "younger" },
        { project_id: bank, new_id: "old" },
      ]);
    });

    test("deletes a row with its search entries", async () => {
      await add(
        { project_id: shop, task_id: "expired", last_event_at: before },
        { project_id: shop, task_id: "here", last_event_at: newest },
      );

      await tick();

      const found =
        dialect === "postgres"
          ? await sql<{ count: number }>`SELECT count(*)::int AS count FROM task_search`.execute(opened.database.read)
          : await sql<{
              count: number;
            }>`SELECT count(*) AS count FROM task_id_search WHERE task_id_search MATCH 'gon OR her'`.execute(
              opened.database.read,
            );
      expect(found.rows).toEqual([{ count: 1 }]);
    });

    test("subtracts the rows from the counts by state", async () => {
      await add(
        { project_id: shop, task_id: "a", state: "success", last_event_at: before },
        { project_id: shop, task_id: "b", state: "success", last_event_at: before },
        { project_id: shop, task_id: "c", state: "failure", last_event_at: before },
        { project_id: bank, task_id: "d", state: "success", last_event_at: before },
        { project_id: bank, task_id: "e", state: "success", last_event_at: newest },
      );

      await tick();

      const deltas = await opened.database.read
        .selectFrom("counter_deltas")
        .select(["project_id", "counter", "kind", "count"])
        .orderBy("project_id")
        .orderBy("kind")
        .execute();
      expect(deltas).toEqual([
        { project_id: shop, counter: "state", kind: "failure", count: -1 },
        { project_id: shop, counter: "state", kind: "success", count: -2 },
        { project_id: bank, counter: "state", kind: "success", count: -1 },
      ]);
    });

    test("deletes in batches, oldest first", async () => {
      await add(
        { project_id: shop, task_id: "second", last_event_at: before },
        { project_id: shop, task_id: "first", last_event_at: new Date(before.getTime() - 1) },
      );

      const one = () =>
        pruneTaskBatch(opened.database, { cutoff: horizon, limit: 1, signal: new AbortController().signal });
      expect(await one()).toEqual({ seen: 1, deleted: 1 });
      expect(await taskIds()).toEqual(["second"]);
      expect(await one()).toEqual({ seen: 1, deleted: 1 });
      expect(await one()).toEqual({ seen: 0, deleted: 0 });
    });

    test("keeps the days before the newest row, however late it is", async () => {
      await add(
        { project_id: shop, task_id: "old", last_event_at: before },
        { project_id: shop, task_id: "last", last_event_at: new Date(newest.getTime() - 86_400_000) },
      );

      expect(await tick()).toMatchObject({ deleted: 0 });

      expect(await taskIds()).toEqual(["last", "old"]);
    });

    test("deletes nothing more once the process stops", async () => {
      await add(
        { project_id: shop, task_id: "old", last_event_at: before },
        { project_id: shop, task_id: "new", last_event_at: newest },
      );

      expect(await tick(AbortSignal.abort())).toEqual({ deleted: 0, terms: 0 });

      expect(await taskIds()).toEqual(["new", "old"]);
    });

    test("waits for a transaction that holds an expired row, and keeps the row when an event reached it there", async () => {
      const [row] = await add(
        { project_id: shop, task_id: "t", last_event_at: before },
        { project_id: shop, task_id: "new", last_event_at: newest },
      );
      const other = await opened.openAgain();
      const held = Promise.withResolvers<void>();
      const release = Promise.withResolvers<void>();
      const writing = other.write(async (tx) => {
        await tx.updateTable("tasks").set({ last_event_at: now }).where("id", "=", row!.id).execute();
        held.resolve();
        await release.promise;
      });
      await held.promise;
      const pruning = tick();
      release.resolve();

      await writing;
      expect(await pruning).toMatchObject({ deleted: 0 });

      expect(await taskIds()).toEqual(["new", "t"]);
      await other.close();
    });
  });
}
