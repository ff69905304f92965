import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { plansOf } from "../../../test/query-plans.ts";
import { type GivenTask, insertTasks } from "../../../test/rows/task-rows.ts";
import { listPage } from "./list.ts";

const projectId = "11111111-2222-4333-8444-555555555555";
const startMs = Date.UTC(2026, 0, 2);
const pageSizes = { SVC_REST_DEFAULT_PAGE_SIZE: 50, SVC_REST_MAX_PAGE_SIZE: 500 };

const fingerprintOf = (index: number) => String(index % 7).repeat(32);

for (const dialect of testDialects) {
  describe(`statements of a query on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const planOf = (q: string) =>
      plansOf(opened.database, (read) =>
        listPage({ ...opened.database, read, slow: read }, pageSizes, { projectId, query: { q, limit: 5 } }),
      );

    beforeAll(async () => {
      const { database } = opened;
      const tasks = Array.from({ length: 6000 }, (_, index): GivenTask => {
        const isFailure = index % 300 === 299;
        return {
          project_id: projectId,
          task_id: `task-${index}`,
          name: `app.${index % 40}`,
          queue: `queue-${index % 7}`,
          worker_name: `worker-${index % 11}`,
          engine: index < 5990 ? "bullmq" : "rq",
          state: isFailure ? "failure" : index % 600 === 7 ? "received" : "success",
          ...(isFailure && { exception: "Boom", fingerprint: fingerprintOf(index), last_failed_at: new Date(startMs) }),
          args: JSON.stringify([{ user: { id: index } }]),
          received_at: new Date(startMs + ((index * 7919) % 6000) * 1000),
        };
      });
      await insertTasks(database, tasks);
      await database.write(async (tx) => {
        await (dialect === "postgres" ? sql`ANALYZE tasks` : sql`SELECT 1`).execute(tx);
      });
    });

    test.each([
      ['error:"nothing like it"', "tasks_by_error"],
      ["queue:queue-3 args.user.id:none", "tasks_by_queue"],
      ["name:app.3 args.user.id:none", "tasks_by_name"],
      ["worker:worker-1 args.user.id:none", "tasks_by_worker"],
      ["state:failure args.user.id:none", "tasks_by_state"],
      ["name:app.1* args.user.id:none", "tasks_by_name"],
      ["id:task-1,task-2", dialect === "sqlite" ? "sqlite_autoindex_tasks_2" : "tasks_project_id_engine_task_id_key"],
      [`fingerprint:${fingerprintOf(0)}`, "tasks_by_fingerprint"],
      [`fingerprint:${fingerprintOf(0)} since:2026-01-02 args.user.id:none`, "tasks_by_fingerprint"],
      ["waiting:>5m", "tasks_by_state"],
      ["engine:rq", dialect === "sqlite" ? "sqlite_autoindex_tasks_2" : "tasks_project_id_engine_task_id_key"],
    ])("of %s search %s and read no table from end to end", async (q, index) => {
      const plan = await planOf(q);
      expect(plan).toContain(index);
      expect(plan).not.toMatch(/SCAN tasks(?! USING)|Seq Scan on tasks/);
    });

    // PostgreSQL reads a table as small as this one in its own way.
    if (dialect === "sqlite") {
      test.each([
        ["which of two conditions is narrower", "queue:queue-3 state:success", "tasks_by_queue"],
        ["down to when the newest of many values are read", "name:app.1*", "tasks_by_name"],
      ])("that find out %s read no task", async (_what, q, index) => {
        expect(await planOf(q)).toContain(`USING COVERING INDEX ${index}`);
      });
    }
  });
}
