import { randomUUID } from "node:crypto";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { plansOf } from "../../../test/query-plans.ts";
import { type GivenTask, insertTasks } from "../../../test/rows/task-rows.ts";
import type { TaskPosition } from "../tasks/index.ts";
import { type StaleQuery, scanEnd, staleTasks } from "./reads.ts";

const start = Date.parse("2026-04-01T10:00:00.000Z");
const at = (minute: number): Date => new Date(start + minute * 60_000);

for (const dialect of testDialects) {
  describe(`the scan of stale tasks on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);

    async function newProject(tasks: readonly Omit<GivenTask, "project_id">[]): Promise<StaleQuery> {
      const projectId = await addProject(opened.database, randomUUID());
      await insertTasks(
        opened.database,
        tasks.map((task) => ({ project_id: projectId, ...task })),
      );
      return {
        projectId,
        state: "started",
        engines: ["bullmq"],
        cutoff: at(60),
        now: at(75),
        after: null,
        scanRows: 100,
      };
    }
    const started = (index: number, more: Partial<GivenTask> = {}) => ({
      task_id: `t${index}`,
      state: "started",
      received_at: at(index),
      started_at: at(index),
      ...more,
    });
    const idsOf = async (query: StaleQuery, limit = 100) =>
      (await staleTasks(opened.database, query, limit)).map(({ task_id }) => task_id);

    test("returns tasks of the engines that began before the cutoff, in the order in which they were seen", async () => {
      const query = await newProject([
        started(3),
        started(1),
        started(2, { engine: "celery" }),
        started(4, { started_at: at(60) }),
        started(5, { started_at: null }),
        started(6, { state: "retry" }),
        started(7, { eta: at(75) }),
        started(8, { eta: new Date(at(75).getTime() + 1) }),
        started(60),
      ]);
      expect(await idsOf(query)).toEqual(["t1", "t3", "t5", "t7"]);
      expect(await idsOf({ ...query, engines: ["bullmq", "celery"] }, 2)).toEqual(["t1", "t2"]);
    });

    test("continues after a position, also among tasks seen at the same time", async () => {
      const query = await newProject(Array.from({ length: 5 }, (_, index) => started(1, { task_id: `s${index}` })));
      const found: string[] = [];
      for (let after: TaskPosition | null = null; ; ) {
        const [task] = await staleTasks(opened.database, { ...query, after }, 1);
        if (task === undefined) break;
        found.push(task.task_id);
        after = { receivedAt: task.received_at, id: task.id };
      }
      expect(found.sort()).toEqual(["s0", "s1", "s2", "s3", "s4"]);
    });

    test("scans at most the given number of rows, and returns the last one", async () => {
      const waits = { engine: "celery" };
      const query = await newProject([started(1, waits), started(2, waits), started(3, waits), started(4)]);
      expect(await idsOf({ ...query, scanRows: 3 })).toEqual([]);
      const end = await scanEnd(opened.database, { ...query, scanRows: 3 });
      expect(end?.received_at).toEqual(at(3));
      const after = { receivedAt: end?.received_at as Date, id: end?.id as string };
      expect(await idsOf({ ...query, scanRows: 3, after })).toEqual(["t4"]);
      expect(await scanEnd(opened.database, { ...query, scanRows: 3, after })).toBeUndefined();
    });

    test("uses the index by state", async () => {
      const query = await newProject(
        Array.from({ length: 500 }, (_, index) =>
          started(index, { state: index % 50 === 0 ? "started" : "success", started_at: at(0) }),
        ),
      );
      if (dialect === "postgres") await sql`ANALYZE tasks`.execute(opened.database.slow);
      const after = { receivedAt: at(1), id: randomUUID() };
      const plans = await Promise.all(
        [query, { ...query, after }].flatMap((each) => [
          plansOf(opened.database, (slow) => staleTasks({ slow }, each, 10)),
          plansOf(opened.database, (slow) => scanEnd({ slow }, each)),
        ]),
      );
      for (const plan of plans) {
        expect(plan).toMatch(/tasks_by_state/);
        expect(plan).not.toMatch(/SCAN tasks|Seq Scan on tasks/);
      }
    });
  });
}
