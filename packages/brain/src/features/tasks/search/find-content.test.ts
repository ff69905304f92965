import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { rowsReadBy } from "../../../../test/query-plans.ts";
import { type GivenTask, insertTasks } from "../../../../test/rows/task-rows.ts";
import { stalledReads } from "../../../../test/stalled-reads.ts";
import { listPage, planList } from "../list.ts";
import { findMatches, type SearchSizes, usualSearchSizes } from "./find-matches.ts";

const projectId = "11111111-2222-4333-8444-555555555555";
const startMs = Date.UTC(2026, 0, 2);
const pageSizes = { SVC_REST_DEFAULT_PAGE_SIZE: 50, SVC_REST_MAX_PAGE_SIZE: 500 };
const nameCount = 40;

// SQLite does not report how many rows it has read.
for (const dialect of testDialects.filter((each) => each === "postgres")) {
  describe(`a statement of a search on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const sizes: SearchSizes = {
      ...usualSearchSizes,
      newestRows: 100,
      stepRows: [100, 100],
      shortRows: 100,
      valueRows: 400,
      contentRows: [100, 400],
    };

    beforeAll(async () => {
      const tasks = Array.from({ length: 2000 }, (_, index): GivenTask => {
        const name = `app.${index % nameCount}`;
        return { project_id: projectId, task_id: `t-${index}`, name, received_at: new Date(startMs + index) };
      });
      await insertTasks(opened.database, tasks);
      await opened.database.write((tx) => sql`ANALYZE tasks`.execute(tx));
    });

    test.each(["name:app.* args.user.id:none", "app args.user.id:none", "name:app.*", "app"])(
      "of %s reads as many rows of many values as its limit allows, and no more",
      async (q) => {
        const counts = await rowsReadBy(opened.database, (read) => {
          const database = { ...opened.database, read, slow: read };
          return listPage(database, pageSizes, { projectId, query: { q, limit: 500 }, budgetMs: Infinity, sizes });
        });
        expect(counts.length).toBeGreaterThan(1);
        // In addition to the rows, the newest of each name; and the rows of the page itself.
        expect(Math.max(...counts)).toBeLessThanOrEqual(Math.max(sizes.valueRows, 501) + nameCount);
      },
    );

    test.each([
      ["a short list", "name:app.1,app.2 id:t-1*"],
      ["the newest of some names", "name:app.1,app.2"],
      ["the newest of all names with a text", "app.1"],
    ])("that reads %s stops when that takes too long, and the answer says how far it got", async (_of, q) => {
      const { database, close } = await stalledReads(opened);
      const plan = await planList(database, projectId, { query: { q }, now: new Date() });
      const search = { projectId, filter: plan.filter, after: null, limit: 10, budgetMs: 50 };
      const used: SearchSizes = { ...sizes, newestRows: 1, stepRows: [1, 1], shortRows: 1000 };
      const { found, reached } = await findMatches(database, { ...search, sizes: used }).finally(close);
      expect([found.length, reached === null]).toEqual([0, false]);
      const patient = await findMatches(opened.database, { ...search, budgetMs: Infinity, sizes: used });
      expect([patient.found.length, patient.reached]).toEqual([10, null]);
    });
  });
}
