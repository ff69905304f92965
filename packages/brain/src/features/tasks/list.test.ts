import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeAll, describe, expect, test } from "vitest";
import { type GivenTask, insertTasks } from "../../../test/rows/task-rows.ts";
import { listPage } from "./list.ts";

const projectId = "11111111-2222-4333-8444-555555555555";
const startMs = Date.UTC(2026, 0, 2);
/** More than the first step of a search reads, and less than two. */
const count = 150;
const sizes = { SVC_REST_DEFAULT_PAGE_SIZE: 50, SVC_REST_MAX_PAGE_SIZE: 500 };

for (const dialect of testDialects) {
  describe(`a page that runs out of time on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    // Too short for the index of task ids.
    const page = (cursor?: string) =>
      listPage(opened.database, sizes, {
        projectId,
        query: { search: "~~", ...(cursor !== undefined && { cursor }) },
        budgetMs: 0,
      });

    beforeAll(async () => {
      await addProject(opened.database, projectId);
      const tasks = Array.from({ length: count }, (_, index): GivenTask => {
        const task_id = index === count - 1 ? "last~~" : `t-${index}`;
        return { task_id, project_id: projectId, received_at: new Date(startMs - index) };
      });
      await insertTasks(opened.database, tasks);
    });

    test("says how far it got and continues from there", async () => {
      const first = await page();
      expect(first.items).toEqual([]);
      const { reached, cursor } = first.partial ?? {};
      expect(reached?.getTime()).toBeGreaterThan(startMs - count);
      expect(reached?.getTime()).toBeLessThan(startMs - count / 2);
      expect(first.next_cursor).toBe(cursor);

      const second = await page(cursor);
      expect(second.items.map(({ task_id }) => task_id)).toEqual(["last~~"]);
      expect(second).toMatchObject({ next_cursor: null });
      expect(second).not.toHaveProperty("partial");
    });
  });
}
