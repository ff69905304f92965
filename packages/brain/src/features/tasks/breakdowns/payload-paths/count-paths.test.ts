import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeAll, describe, expect, test } from "vitest";
import { insertTasks } from "../../../../../test/rows/task-rows.ts";
import { listPage } from "../../list.ts";
import { readFacet } from "../facets.ts";
import type { FacetQuery } from "../schemas.ts";
import { countPaths } from "./count-paths.ts";

const projectId = "31111111-2222-4333-8444-555555555555";
const startMs = Date.UTC(2026, 0, 2);
const amplyMs = 60_000;

const payloads = [
  { args: [{ customer: 42, order: { id: 1 } }], kwargs: {}, queue: "mail" },
  { args: [{ customer: 43 }], kwargs: { region: "eu" }, queue: "mail" },
  { args: ["plain"], kwargs: { region: "us" }, queue: "search", result: '{"total":5}' },
  { args: [{ customer: "x".repeat(9000) }], kwargs: {}, queue: "search" },
];

for (const dialect of testDialects) {
  describe(`paths in payloads on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    beforeAll(async () => {
      const rows = payloads.map(({ args, kwargs, ...rest }, index) => ({
        ...rest,
        project_id: projectId,
        task_id: `t-${index}`,
        args: JSON.stringify(args),
        kwargs: JSON.stringify(kwargs),
        received_at: new Date(startMs + index),
      }));
      await insertTasks(opened.database, rows);
    });
    const facet = async (query: FacetQuery) =>
      (await readFacet(opened.database, { projectId, query, budgetMs: amplyMs })).values;

    test("are counted over named and positional arguments, except in payloads that are too large", async () => {
      expect(await facet({ field: "args" })).toEqual([
        { value: "customer", count: 2, exact: true },
        { value: "region", count: 2, exact: true },
        { value: "order.id", count: 1, exact: true },
      ]);
      expect(await facet({ field: "kwargs" })).toEqual([{ value: "region", count: 2, exact: true }]);
      expect(await facet({ field: "result" })).toEqual([{ value: "total", count: 1, exact: true }]);
    });

    test("are those of the tasks that match, with the prefix", async () => {
      expect(await facet({ field: "args", queue: "search" })).toEqual([{ value: "region", count: 1, exact: true }]);
      expect(await facet({ field: "args", q: "args.customer:42" })).toEqual([
        { value: "customer", count: 1, exact: true },
        { value: "order.id", count: 1, exact: true },
      ]);
      expect(await facet({ field: "args", prefix: "ord" })).toEqual([{ value: "order.id", count: 1, exact: true }]);
    });

    test("find the counted tasks when used in a search", async () => {
      for (const { value, count } of await facet({ field: "args" })) {
        const query = { q: `args.${value}:*`, limit: 50 };
        const sizes = { SVC_REST_DEFAULT_PAGE_SIZE: 50, SVC_REST_MAX_PAGE_SIZE: 50 };
        const { items } = await listPage(opened.database, sizes, { projectId, query, budgetMs: amplyMs });
        expect(items.length).toBeGreaterThanOrEqual(count);
      }
    });

    test("come from a bounded number of the newest tasks, and then are not exact counts", async () => {
      const asked = { projectId, field: "args", filter: {}, content: [], budgetMs: amplyMs, mostTasks: 2 } as const;
      expect(await countPaths(opened.database, asked)).toEqual([{ value: "region", count: 1, exact: false }]);
    });
  });
}
