import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { plansOf } from "../../../test/query-plans.ts";
import { workerRow } from "../../../test/rows/worker-rows.ts";
import { listWorkers } from "./reads.ts";

const projectId = "11111111-2222-4333-8444-555555555555";
const now = new Date("2026-04-01T10:30:00.000Z");
const hour = new Date("2026-04-01T10:00:00.000Z");

for (const dialect of testDialects) {
  describe(`reading workers on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const page = (database = opened.database) => listWorkers(database, projectId, { after: null, limit: 10, now });

    beforeAll(async () => {
      const { database } = opened;
      await addProject(database, projectId);
      const worker = (engine: string, index: number) =>
        workerRow({ at: now, id: `00000000-0000-4000-8000-00000000000${index}`, project_id: projectId, engine });
      const rollup = (engine: string, count: number) => ({
        project_id: projectId,
        engine,
        worker: "w",
        hour_at: hour,
        kind: "task.failed",
        count,
      });
      // Hours of other workers, so that PostgreSQL uses the index.
      const series =
        dialect === "postgres"
          ? sql`SELECT i FROM generate_series(1, 20000) AS i`
          : sql`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT i FROM n`;
      await database.write(async (tx) => {
        await tx
          .insertInto("workers")
          .values([worker("bullmq", 1), worker("celery", 2)])
          .execute();
        const rollups = [rollup("bullmq", 1), rollup("celery", 2), rollup("sidekiq", 4)];
        await tx.insertInto("worker_rollups").values(rollups).execute();
        await sql`INSERT INTO worker_rollups (project_id, engine, worker, hour_at, kind, count)
          SELECT ${projectId}, 'bullmq', 'other-' || i, ${hour}, 'task.failed', 1 FROM (${series}) AS n`.execute(tx);
        if (dialect === "postgres") await sql`ANALYZE`.execute(tx);
      });
    });

    test("distinguishes workers with the same name by engine", async () => {
      expect((await page()).map(({ engine, failed }) => [engine, failed])).toEqual([
        ["bullmq", 1],
        ["celery", 2],
      ]);
    });

    test("reads only the hours of each worker, however many others there are", async () => {
      const plan = await plansOf(opened.database, (read) => page({ ...opened.database, read }));
      expect(plan).toMatch(
        dialect === "sqlite"
          ? /SEARCH worker_rollups .*\(project_id=\? AND engine=\? AND worker=\? AND hour_at>\?\)/
          : /Index Cond: \(\(project_id = .* AND \(engine = ANY .* AND \(worker = .* AND \(hour_at >= /,
      );
    });
  });
}
