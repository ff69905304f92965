import { createFakeClock, type FakeClock } from "@svc/testkit";
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { type GivenTask, insertTasks } from "../../../../test/rows/task-rows.ts";
import { timedReads } from "../../../../test/timed-reads.ts";
import type { Database } from "../../../platform/database/database.ts";
import type { Tables } from "../../../schema/tables/index.ts";
import { readFacet } from "../breakdowns/facets.ts";
import { listPage } from "../list.ts";
import { createPace } from "./step-pace.ts";

describe("the pace of a walk", () => {
  test("makes no step larger than the remaining time allows, at the cost of the last rows", () => {
    const costsMs = fc.array(fc.double({ min: 0, max: 5, noNaN: true }), { minLength: 2, maxLength: 40 });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.nat(5000),
        fc.nat(1000),
        costsMs,
        (first, more, budgetMs, all) => {
          const clock = createFakeClock();
          const pace = createPace([first, first + more], budgetMs, clock);
          let last: { rows: number; rowMs: number } | null = null;
          for (const rowMs of all) {
            const leftMs = budgetMs - clock.monotonicMs();
            expect(pace.leftMs()).toBe(leftMs);
            const rows = pace.next();
            if (last === null) expect(rows).toBe(first);
            else {
              expect(rows).toBeLessThanOrEqual(Math.min(first + more, last.rows * 4));
              expect(rows * last.rowMs).toBeLessThanOrEqual(leftMs + 1e-6);
            }
            clock.advance(rows * rowMs);
            pace.done(rows);
            last = { rows, rowMs: (clock.monotonicMs() - (budgetMs - leftMs)) / rows };
            if (pace.isOver()) break;
          }
          // The cost per row is more than the remaining time, or would be if the row came from disk.
          if (pace.isOver()) expect(pace.leftMs()).toBeLessThan(Math.max(0.1, ...all));
        },
      ),
    );
  });

  test("grows while rows are cheap, keeps its size after steps that were not full, and shrinks at once when rows become expensive", () => {
    const clock = createFakeClock();
    const pace = createPace([100, 2000], 10_000, clock);
    const rowsOf = (rowMs: number, read?: number): number => {
      const rows = pace.next();
      clock.advance((read ?? rows) * rowMs);
      pace.done(read ?? rows);
      return rows;
    };
    expect([rowsOf(0.001), rowsOf(0.001), rowsOf(0.001), rowsOf(0.001)]).toEqual([100, 400, 1600, 2000]);
    expect([rowsOf(0.001, 3), rowsOf(1), rowsOf(1)]).toEqual([2000, 2000, 40]);
  });

  test("never ends without a time limit, and makes its first step without any time", () => {
    const clock = createFakeClock();
    const patient = createPace([1, 8], Number.POSITIVE_INFINITY, clock);
    expect([patient.next(), patient.isOver()]).toEqual([1, false]);
    const hurried = createPace([5, 8], -3, clock);
    expect([hurried.next(), hurried.isOver()]).toEqual([5, true]);
  });
});

const projectId = "11111111-2222-4333-8444-555555555555";
const startMs = Date.UTC(2026, 0, 2);
const pageSizes = { SVC_REST_DEFAULT_PAGE_SIZE: 50, SVC_REST_MAX_PAGE_SIZE: 500 };
const budgetMs = 300;
const rowMs = 0.5;

type Read = (database: Database<Tables>, clock: FakeClock) => Promise<{ isWhole: boolean }>;

const listOf =
  (query: Record<string, string>): Read =>
  async (database, clock) => {
    const request = { projectId, query: { ...query, limit: 5 }, budgetMs, clock };
    return { isWhole: (await listPage(database, pageSizes, request)).partial === undefined };
  };

const reads: readonly (readonly [string, Read])[] = [
  ["a list of filters that never overlap", listOf({ state: "retry", queue: "q-0" })],
  ["a search without a match in large columns", listOf({ q: "args.user.id:none" })],
  ["a search without a match in large columns of a queue", listOf({ q: "queue:q-0 args.user.id:none" })],
  ["a search below filters that hardly overlap", listOf({ q: "runtime:>5ms args.user.id:none" })],
  [
    "a facet of a filter",
    async (database, clock) => {
      const request = { projectId, query: { field: "queue" as const, state: "retry" as const }, budgetMs, clock };
      const { values } = await readFacet(database, request);
      return { isWhole: values.every(({ exact }) => exact) };
    },
  ],
];

for (const dialect of testDialects) {
  describe(`on ${dialect}, where every row is slow`, () => {
    const opened = useTestDatabase(dialect);

    beforeAll(async () => {
      const tasks = Array.from({ length: 3000 }, (_, index): GivenTask => {
        return {
          project_id: projectId,
          task_id: `t-${index}`,
          queue: `q-${index % 2}`,
          state: index % 2 === 1 ? "retry" : "success",
          runtime_ms: index % 40 === 0 ? 10 : 1,
          args: JSON.stringify([{ user: { id: index } }]),
          received_at: new Date(startMs + index),
        };
      });
      await insertTasks(opened.database, tasks);
    });

    test.each(reads)("%s makes no step larger than the rest of its time allows", async (_of, read) => {
      const clock = createFakeClock();
      const { database, steps } = timedReads(opened.database, clock, rowMs);
      const { isWhole } = await read(database, clock);
      expect(isWhole).toBe(false);
      expect(steps.length).toBeGreaterThan(2);
      for (const { rows, atMs } of steps) expect(rows * rowMs).toBeLessThanOrEqual(budgetMs - atMs);
      expect(clock.monotonicMs()).toBeLessThanOrEqual(budgetMs);
    });
  });
}
