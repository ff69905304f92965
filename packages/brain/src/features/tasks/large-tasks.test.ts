import { randomUUID } from "node:crypto";
import { exportFields } from "@svc/client/task-query";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GivenTask, insertTasks } from "../../../test/rows/task-rows.ts";
import { maxPageBytes } from "../../platform/database/dialects/expressions/rows-within-bytes.ts";
import { batchesOf } from "./export.ts";
import { changedTasks } from "./list.ts";
import type { PublicTask } from "./task-fields.ts";

const startMs = Math.floor(Date.now() / 1000) * 1000 - 3_600_000;
const mebibyte = 1024 * 1024;
/** Names, ids and instants of a page, which are not measured. */
const room = mebibyte;

// Text that hardly compresses, like some payloads, and text that PostgreSQL compresses to a few kilobytes.
const noise = (bytes: number, seed: number) => {
  let state = seed + 1;
  let text = "";
  while (text.length < bytes) {
    state = (state * 48_271) % 2_147_483_647;
    text += state.toString(36);
  }
  return text.slice(0, bytes);
};
const largeColumns: ((index: number) => Partial<GivenTask>)[] = [
  (index) => ({ args: JSON.stringify([noise(mebibyte, index)]) }),
  () => ({ kwargs: JSON.stringify({ body: "a".repeat(mebibyte) }) }),
  (index) => ({ result: JSON.stringify(noise(mebibyte, index)), exception: "b".repeat(mebibyte) }),
  () => ({ traceback: "c".repeat(mebibyte) }),
  () => ({}),
];
const hugeIndex = 13;
const count = 30;

for (const dialect of testDialects) {
  describe(`tasks with large values on ${dialect}`, () => {
    let brain: TestBrain;
    const ids = Array.from({ length: count }, (_, index) => `large-${index}`);

    beforeAll(async () => {
      brain = await startTestBrain({ dialect });
      for (const [index, task_id] of ids.entries()) {
        const large =
          index === hugeIndex ? { traceback: "d".repeat(maxPageBytes + 1) } : largeColumns[index % 5]?.(index);
        const task = { task_id, project_id: brain.project.id, received_at: new Date(startMs - index), queue: "big" };
        await insertTasks(brain.running.brain.database, [{ ...task, priority: "low", ...large }]);
      }
    });
    afterAll(() => brain.stop());

    // One index returns the rows of the first two; those of the others are found first and then read.
    test.each(["", "&queue=big", "&queue=big&priority=low", "&search=large-"])(
      "come page by page, none above the bound except one with a single task, with the query '%s'",
      async (query) => {
        const seen: string[] = [];
        let pages = 0;
        let cursor: string | null = null;
        do {
          const from: string = cursor === null ? "" : `&cursor=${cursor}`;
          const { status, body, text } = await brain.as.viewer.get(`/projects/shop/tasks?limit=500${query}${from}`);
          expect(status).toBe(200);
          expect(body.partial).toBeUndefined();
          expect(body.items.length).toBeGreaterThan(0);
          if (body.items.length > 1) expect(Buffer.byteLength(text)).toBeLessThan(maxPageBytes + room);
          seen.push(...body.items.map(({ task_id }: PublicTask) => task_id));
          cursor = body.next_cursor;
          pages += 1;
        } while (cursor !== null && pages < count);
        expect(seen).toEqual(ids);
        // As full as the bound allows: about 38 MiB in total.
        expect(pages).toBeLessThanOrEqual(7);
      },
    );

    test("keep their values, without what measures them", async () => {
      const { body } = await brain.as.viewer.get("/projects/shop/tasks?limit=1");
      const one = await brain.as.viewer.get("/projects/shop/tasks/bullmq/large-0");
      expect(body.items).toEqual([one.body]);
      expect(body.items[0].args).toEqual([noise(mebibyte, 0)]);
    });

    test("reach the dashboard hub without their large values", async () => {
      const { database } = brain.running.brain;
      const {
        args,
        kwargs: _kwargs,
        result: _result,
        traceback: _traceback,
        ...shown
      } = (await brain.as.viewer.get("/projects/shop/tasks/bullmq/large-0")).body;
      expect(args).toHaveLength(1);
      expect(JSON.parse(JSON.stringify(await changedTasks(database, brain.project.id, [shown.id])))).toEqual([shown]);
      expect(await changedTasks(database, randomUUID(), [shown.id])).toEqual([]);
    });

    test("are exported in batches under the bound", async () => {
      const seen: string[] = [];
      const place = { database: brain.running.brain.database, projectId: brain.project.id };
      for await (const batch of batchesOf(place, { filter: {} }, exportFields)) {
        const bytes = batch.reduce((sum, task) => sum + JSON.stringify(task).length, 0);
        if (batch.length > 1) expect(bytes).toBeLessThan(maxPageBytes + room);
        seen.push(...batch.map(({ task_id }) => task_id ?? ""));
      }
      expect(seen).toEqual(ids);
    });

    test.each(["csv", "json"])("are exported whole as %s", async (format) => {
      const { status, text } = await brain.as.viewer.get(`/projects/shop/tasks?format=${format}`);
      expect(status).toBe(200);
      expect(text.match(/large-\d+/g)).toEqual(ids);
      expect(text).toContain("d".repeat(maxPageBytes + 1));
    });
  });
}
