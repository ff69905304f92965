import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { plansOf } from "../../../test/query-plans.ts";
import { addressKey, lineageOf } from "./reads.ts";

const projectId = "11111111-2222-4333-8444-555555555555";
const otherProjectId = "21111111-2222-4333-8444-555555555555";
const at = (second: number) => new Date(Date.UTC(2026, 0, 2, 3, 4, second));

for (const dialect of testDialects) {
  describe(`retry lineage on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const lineage = async (...tasks: [engine: string, task_id: string][]) => {
      const { read } = opened.database;
      const addresses = tasks.map(([engine, task_id]) => ({ engine, task_id }));
      const all = await lineageOf(read, { projectId, tasks: addresses });
      return addresses.map((address) => all.get(addressKey(address)));
    };

    beforeAll(async () => {
      const { database } = opened;
      for (const id of [projectId, otherProjectId]) await addProject(database, id);
      const link = (
        old_id: string,
        new_id: string,
        second: number,
        more: { engine?: string; project_id?: string } = {},
      ) => ({
        project_id: projectId,
        engine: "bullmq",
        old_id,
        new_id,
        linked_at: at(second),
        ...more,
      });
      await database.write((tx) =>
        tx
          .insertInto("task_links")
          .values([
            link("a", "b", 5),
            link("a", "c", 7),
            link("a", "d", 7),
            link("a", "e", 6),
            link("b", "f", 1),
            link("same", "same", 9),
            link("a", "g", 9, { engine: "celery" }),
            link("a", "h", 9, { project_id: otherProjectId }),
            link('odd "id"\\', "straße", 1),
          ])
          .execute(),
      );
      // Links of other tasks, so that PostgreSQL uses its indexes.
      const series =
        dialect === "postgres"
          ? sql`SELECT i FROM generate_series(1, 20000) AS i`
          : sql`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT i FROM n`;
      await database.write(async (tx) => {
        await sql`INSERT INTO task_links (project_id, engine, new_id, old_id, linked_at)
          SELECT ${projectId}, 'bullmq', 'other-' || i, 'others', ${at(1)} FROM (${series}) AS n`.execute(tx);
        if (dialect === "postgres") await sql`ANALYZE`.execute(tx);
      });
    });

    test("names the task that this one retries, and the latest of its own retries", async () => {
      expect(await lineage(["bullmq", "a"], ["bullmq", "b"], ["celery", "a"], ["bullmq", "unknown"])).toEqual([
        { retry_of: null, retried_as: "d" },
        { retry_of: "a", retried_as: "f" },
        { retry_of: null, retried_as: "g" },
        { retry_of: null, retried_as: null },
      ]);
    });

    test("matches ids exactly, and never shows a task as its own retry", async () => {
      expect(await lineage(["bullmq", 'odd "id"\\'], ["bullmq", "straße"], ["bullmq", "same"])).toEqual([
        { retry_of: null, retried_as: "straße" },
        { retry_of: 'odd "id"\\', retried_as: null },
        { retry_of: null, retried_as: null },
      ]);
    });

    test("searches the links of each task and sorts none, however many there are", async () => {
      const tasks = ["others", "other-7"].map((task_id) => ({ engine: "bullmq", task_id }));
      const plan = await plansOf(opened.database, (db) => lineageOf(db, { projectId, tasks }));
      for (const column of ["old_id", "new_id"]) {
        expect(plan).toMatch(
          dialect === "sqlite"
            ? new RegExp(`SEARCH .*\\(project_id=\\? AND engine=\\? AND ${column}=\\?`)
            : new RegExp(`Index Cond: \\(\\(project_id = .* AND \\(engine = .* AND \\(${column} = `),
        );
      }
      expect(plan).not.toMatch(/SCAN link|Seq Scan|TEMP B-TREE|Sort/);
    });
  });
}
