import { exportFields } from "@svc/client/task-query";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeAll, describe, expect, test } from "vitest";
import { type GivenTask, insertTasks } from "../../../test/rows/task-rows.ts";
import { batchesOf } from "./export.ts";

const projectId = "11111111-2222-4333-8444-555555555555";
const startMs = Date.UTC(2026, 0, 2);
const count = 2100;
/** Batches of all rows. */
const batchCount = 5;

for (const dialect of testDialects) {
  describe(`the batches of an export on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const place = () => ({ database: opened.database, projectId });

    beforeAll(async () => {
      await addProject(opened.database, projectId);
      const tasks = Array.from({ length: count }, (_, index): GivenTask => {
        const received_at = new Date(startMs - index);
        return { task_id: `t-${index}`, project_id: projectId, received_at, queue: "q", args: '[{"a":1}]' };
      });
      await insertTasks(opened.database, tasks);
      const link = { project_id: projectId, engine: "bullmq", old_id: "t-0", new_id: "t-1", linked_at: new Date() };
      await opened.database.write((tx) => tx.insertInto("task_links").values(link).execute());
    });

    test.each([{}, { queue: "q", state: "pending" as const }])(
      "let other work run while they are read: %j",
      async (filter) => {
        let turns = 0;
        let isOver = false;
        const turn = () => {
          turns += 1;
          if (!isOver) setImmediate(turn);
        };
        setImmediate(turn);
        const turnsBefore: number[] = [];
        for await (const _batch of batchesOf(place(), { filter }, exportFields)) turnsBefore.push(turns);
        isOver = true;
        expect(turnsBefore).toHaveLength(batchCount);
        // Each batch came in a later turn than the one before it.
        expect(new Set(turnsBefore).size).toBe(batchCount);
      },
    );

    // PostgreSQL has a connection for each of them.
    if (dialect === "sqlite") {
      test("let other readers have a turn in between", async () => {
        const batches = batchesOf(place(), { filter: {} }, exportFields);
        await batches.next();
        const order: string[] = [];
        const asked = opened.database.slow.selectFrom("agents").select("id").execute();
        const other = asked.then(() => order.push("other"));
        for await (const _batch of batches) order.push("batch");
        await other;
        expect(order.indexOf("other")).toBeLessThan(batchCount - 1);
      });
    }

    test("read only what the fields of an export need", async () => {
      const { value: bare } = await batchesOf(place(), { filter: {} }, ["id"]).next();
      expect(Object.keys(bare?.[0] ?? {}).sort()).toEqual([
        "engine",
        "id",
        "received_at",
        "retried_as",
        "retry_of",
        "task_id",
      ]);
      const { value: some } = await batchesOf(place(), { filter: {} }, ["retried_as", "args", "tags"]).next();
      expect(some?.[0]).toMatchObject({ retried_as: "t-1", args: [{ a: 1 }], tags: [] });
      expect(some?.[0]).not.toHaveProperty("kwargs");
    });
  });
}
