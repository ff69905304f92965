import { type Priority, priorities, type TaskState, taskStates } from "@svc/protocol";
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import fc from "fast-check";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { plansOf } from "../../../../test/query-plans.ts";
import { type GivenTask, insertTasks } from "../../../../test/rows/task-rows.ts";
import { stalledReads } from "../../../../test/stalled-reads.ts";
import type { Database } from "../../../platform/database/database.ts";
import type { Tables, TaskRow } from "../../../schema/tables/index.ts";
import { filterOfQuery, matchesFilter } from "../query/filter.ts";
import { type FacetSizes, readFacet } from "./facets.ts";
import { type ColumnField, columnFields, type FacetQuery } from "./schemas.ts";

const projectId = "11111111-2222-4333-8444-555555555555";
const otherProjectId = "21111111-2222-4333-8444-555555555555";
const startMs = Date.UTC(2026, 0, 2);
const amplyMs = 60_000;

const pick = <T>(values: readonly T[]) => fc.constantFrom(...values);
const name = pick(["app.mail", "app.mail.send", "App.mail", "ΟΔΟΣ", "100%_done", "100x_done", "日本語", "\u{10fffe}x"]);
const place = fc.oneof(fc.constant(null), pick(["mails", "mail", "Mails", "ΟΔΟΣ", "%"]));
const instant = fc.integer({ min: 0, max: 9 }).map((second) => new Date(startMs + second * 1000));
const task = fc.record({
  task_id: fc.uuid(),
  engine: pick(["bullmq", "celery", "bull"]),
  name,
  queue: place,
  worker_name: place,
  state: pick(taskStates) as fc.Arbitrary<TaskState>,
  priority: pick(priorities) as fc.Arbitrary<Priority>,
  received_at: instant,
});

const instantText = instant.map((at) => at.toISOString());
type ColumnQuery = FacetQuery & { readonly field: ColumnField };
const query: fc.Arbitrary<ColumnQuery> = fc
  .tuple(
    pick(columnFields) as fc.Arbitrary<ColumnField>,
    fc.record(
      {
        prefix: pick(["", "mail", "app.", "100%", "f", "bull", "Ο"]),
        limit: fc.integer({ min: 1, max: 12 }),
        state: pick(taskStates) as fc.Arbitrary<TaskState>,
        priority: pick(["low", "low,high"]),
        queue: pick(["mails", "%"]),
        worker: pick(["mails", "none"]),
        name: pick(["mail", "100%"]),
        search: pick(["ΟΔΟΣ", "mail", "%"]),
        since: instantText,
        until: instantText,
      },
      { requiredKeys: [] },
    ),
    // Most members absent, so that some filters match something.
    fc.uniqueArray(
      pick(["prefix", "limit", "state", "priority", "queue", "worker", "name", "search", "since", "until"]),
      {
        maxLength: 4,
      },
    ),
  )
  .map(([field, all, kept]) => ({
    field,
    ...Object.fromEntries(Object.entries(all).filter(([key]) => kept.includes(key))),
  }));

const sizes: FacetSizes[] = [
  { cap: 3, maxValues: 100, valuesPerCount: 2, sampleRows: 4, stepRows: [2, 3], fewMatches: 2 },
  { cap: 1000, maxValues: 100, valuesPerCount: 3, sampleRows: 100, stepRows: [10, 100], fewMatches: 100 },
];

const columnOf = {
  state: "state",
  priority: "priority",
  name: "name",
  queue: "queue",
  worker: "worker_name",
  engine: "engine",
} as const;

/** The expected facet, computed from every row. */
function countedByHand(rows: readonly TaskRow[], asked: ColumnQuery, cap: number) {
  const own = { state: "state", priority: "priority", name: "name", queue: "queue", worker: "worker", engine: "" }[
    asked.field
  ];
  const filter = filterOfQuery(Object.fromEntries(Object.entries(asked).filter(([key]) => key !== own)));
  const counts = new Map<string, number>();
  for (const row of rows) {
    const value = row[columnOf[asked.field]];
    if (value === null || !value.startsWith(asked.prefix ?? "") || !matchesFilter(row, filter)) continue;
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts]
    .map(([value, count]) => ({ value, count: Math.min(count, cap), exact: count <= cap }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, asked.limit ?? 20);
}

async function store(database: Database<Tables>, given: readonly Omit<GivenTask, "project_id">[]): Promise<TaskRow[]> {
  await database.write(async (tx) => {
    for (const table of ["tasks", "task_search", "task_terms", "task_counts"] as const) {
      if (table !== "task_search" || database.dialect === "postgres") await tx.deleteFrom(table).execute();
    }
  });
  const rows = given.map((each) => ({ ...each, project_id: projectId }) as GivenTask);
  const stored = await insertTasks(database, rows);
  await insertTasks(
    database,
    given.slice(0, 9).map((each) => ({ ...each, project_id: otherProjectId }) as GivenTask),
  );
  const counts = Map.groupBy(stored, ({ state }) => state);
  const sums = [...counts].map(([state, each]) => ({ project_id: projectId, state, count: each.length }));
  await database.write((tx) => tx.insertInto("task_counts").values(sums).execute());
  return stored;
}

for (const dialect of testDialects) {
  describe(`facets on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);

    test("equal a count over every task, whichever way they are computed", async () => {
      const tasks = fc.uniqueArray(task, { minLength: 10, maxLength: 60, selector: ({ task_id }) => task_id });
      await fc.assert(
        fc.asyncProperty(tasks, fc.array(query, { minLength: 25, maxLength: 25 }), async (given, queries) => {
          const rows = await store(opened.database, given);
          for (const asked of queries) {
            for (const used of sizes) {
              const request = { projectId, query: asked, budgetMs: amplyMs, sizes: used };
              const { field, values } = await readFacet(opened.database, request);
              // Counters are exact even above the cap.
              const isCounted = !Object.keys(asked).some((key) => !["field", "prefix", "limit", "state"].includes(key));
              const cap = asked.field === "state" && isCounted ? Number.POSITIVE_INFINITY : used.cap;
              expect(field).toBe(asked.field);
              expect(values, JSON.stringify([asked, used])).toEqual(countedByHand(rows, asked, cap));
            }
          }
        }),
        { numRuns: Number(process.env.SVC_TEST_RUNS ?? 12) },
      );
    });

    test("include a value that continues after its prefix with the last character there is", async () => {
      const value = "app.\u{10ffff}x";
      await store(opened.database, [{ task_id: "t", name: value, received_at: new Date(startMs) }]);
      const asked = { field: "name", prefix: "app." } as const;
      const { values } = await readFacet(opened.database, { projectId, query: asked, budgetMs: amplyMs });
      expect(values).toEqual([{ value, count: 1, exact: true }]);
    });

    test("without time return lower bounds, and mark them as such", async () => {
      const { database } = opened;
      const rows = Array.from({ length: 30 }, (_, index) => ({
        task_id: `t-${index}`,
        name: `name-${index % 3}`,
        queue: index < 20 ? "many" : `few-${index}`,
        received_at: new Date(startMs + index),
      }));
      await store(database, rows);
      const hurried = (asked: FacetQuery, stepRows = 5) =>
        readFacet(database, {
          projectId,
          query: asked,
          budgetMs: 0,
          sizes: {
            cap: 1000,
            maxValues: 100,
            valuesPerCount: 2,
            sampleRows: 4,
            stepRows: [stepRows, stepRows],
            fewMatches: 1,
          },
        });
      // A walk that ends after its first step of five rows: the newest.
      expect((await hurried({ field: "name", queue: "many" })).values).toEqual([
        { value: "name-0", count: 2, exact: false },
        { value: "name-1", count: 2, exact: false },
        { value: "name-2", count: 1, exact: false },
      ]);
    });

    // SQLite's statements are short because of their limits, and finish whatever the time.
    if (dialect === "sqlite") {
      test("with time for only the values report at least one task of each", async () => {
        const { database } = opened;
        const rows = Array.from({ length: 12 }, (_, index) => ({
          task_id: `t-${index}`,
          queue: `queue-${index}`,
          received_at: new Date(startMs + index),
        }));
        await store(database, rows);
        const used = {
          cap: 1000,
          maxValues: 100,
          valuesPerCount: 2,
          sampleRows: 4,
          stepRows: [5, 5] as const,
          fewMatches: 1,
        };
        const request = { projectId, query: { field: "queue" as const }, budgetMs: 0, sizes: used };
        const { values } = await readFacet(database, request);
        expect(values).toHaveLength(12);
        expect(values.every(({ count, exact }) => count === 1 && !exact)).toBe(true);
      });
    }

    if (dialect === "postgres") {
      test.each<[FacetQuery, Record<string, number>]>([
        [{ field: "queue" }, { many: 3, few: 1 }],
        [{ field: "queue", prefix: "f" }, { few: 1 }],
        [
          { field: "state", since: new Date(startMs).toISOString() },
          { failure: 3, success: 1 },
        ],
        [{ field: "priority" }, { low: 4 }],
        [{ field: "engine" }, { bullmq: 4 }],
        // A walk whose first step is cut to a few rows.
        [
          { field: "queue", priority: "low" },
          { many: 3, few: 2 },
        ],
      ])("whose statements get no time use the newest tasks: %j", async (asked, expected) => {
        const rows = Array.from({ length: 30 }, (_, index) => ({
          task_id: `t-${index}`,
          queue: index % 4 === 1 ? "few" : "many",
          state: index % 4 === 1 ? "success" : "failure",
          priority: "low",
          received_at: new Date(startMs + index),
        }));
        await store(opened.database, rows);
        const stalled = await stalledReads(opened);
        const used = {
          cap: 1000,
          maxValues: 100,
          valuesPerCount: 10,
          sampleRows: 4,
          stepRows: [5, 5] as const,
          fewMatches: 1,
        };
        const request = { projectId, query: asked, budgetMs: 20, sizes: used };
        const { values } = await readFacet(stalled.database, request).finally(stalled.close);
        expect(Object.fromEntries(values.map(({ value, count }) => [value, count]))).toEqual(expected);
        expect(values.some(({ exact }) => exact)).toBe(false);
      });
    }

    test("search the index of their field at each value, however many tasks there are", async () => {
      const { database } = opened;
      await store(database, [{ task_id: "t", name: "a", queue: "q", received_at: new Date(startMs) }]);
      if (dialect === "postgres") await multiply(database);
      for (const [field, index] of [
        ["name", "tasks_by_name"],
        ["queue", "tasks_by_queue"],
        ["worker", "tasks_by_worker"],
        ["priority", "tasks_by_priority"],
        ["engine", dialect === "sqlite" ? "sqlite_autoindex_tasks_2" : "tasks_project_id_engine_task_id_key"],
      ] as const) {
        const plan = await plansOf(database, (read) =>
          readFacet({ ...database, read, slow: read }, { projectId, query: { field } }),
        );
        expect(plan).not.toMatch(/SCAN tasks|Seq Scan on tasks/);
        expect(plan).toContain(
          dialect === "sqlite"
            ? `SEARCH tasks USING COVERING INDEX ${index} (project_id=? AND`
            : `Index Only Scan using ${index} on tasks`,
        );
      }
    });
  });
}

/** Gives PostgreSQL enough tasks to use its indexes. */
async function multiply(database: Database<Tables>): Promise<void> {
  const rows = Array.from({ length: 5000 }, (_, index): GivenTask => {
    const value = `v-${index % 100}`;
    const values = { name: value, queue: value, worker_name: value, priority: value, engine: value };
    return { task_id: `m-${index}`, project_id: projectId, received_at: new Date(startMs + index), ...values };
  });
  await insertTasks(database, rows);
  await database.write((tx) => sql`ANALYZE tasks`.execute(tx));
}
