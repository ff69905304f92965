import { type Priority, priorities, type TaskState, taskStates } from "@svc/protocol";
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type GivenTask, insertTasks } from "../../../../test/rows/task-rows.ts";
import type { Database } from "../../../platform/database/database.ts";
import { minutes } from "../../../platform/durations.ts";
import type { Tables, TaskRow } from "../../../schema/tables/index.ts";
import { countMatches, countPlanUpTo } from "../breakdowns/count-matches.ts";
import { matchingPage, planList, wholeRows } from "../list.ts";
import { matchesFilter, type TaskFilter } from "../query/filter.ts";
import { matchingIds, type Search, type SearchSizes, scopeOf, usualSearchSizes } from "./find-matches.ts";
import type { CountStep, ListScope, TaskPosition } from "./match-reads.ts";
import { countIndexStep } from "./sqlite-reads.ts";
import { indexedSources, isDirect } from "./term-sources.ts";

const projectId = "11111111-2222-4333-8444-555555555555";
const otherProjectId = "21111111-2222-4333-8444-555555555555";
const startMs = Date.UTC(2026, 0, 2);

// Characters whose case differs by more than 32, wildcards of LIKE, quotes of MATCH, and a line break.
const words = [
  "app.mail",
  "app.Mail.send",
  "ΟΔΟΣ",
  "ΟΔΟΣ.x",
  "İstanbul",
  "100%_done",
  "100_% done",
  "1000xdone",
  'say"hi"',
  "a\nb",
  "K-elvin",
  "straße",
  "日本語の仕事",
  "x'y\\z",
];
const pick = <T>(values: readonly T[]) => fc.constantFrom(...values);
const text = fc.oneof(
  { weight: 4, arbitrary: pick(words) },
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }).map(clean),
);
const queue = fc.oneof(fc.constant(null), pick(["mails", "Reports", "ΟΔΟΣ"]), text);

function clean(value: string): string {
  return value.replaceAll("\0", "?").toWellFormed();
}

const task = fc.record({
  task_id: fc.oneof(
    fc.uuid(),
    pick(words).map((word) => word.replaceAll("\n", "")),
    fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
      .map((value) => clean(value).replaceAll("\n", "") || "t"),
  ),
  name: text,
  queue,
  worker_name: queue,
  state: pick(taskStates) as fc.Arbitrary<TaskState>,
  priority: pick(priorities) as fc.Arbitrary<Priority>,
  // Few instants, so that many rows share one.
  received_at: fc.integer({ min: 0, max: 12 }).map((second) => new Date(startMs + second * 1000)),
  args: fc.integer({ min: 0, max: 3000 }).map((length) => JSON.stringify(["x".repeat(length)])),
  traceback: fc.oneof(
    fc.constant(null),
    fc.integer({ min: 0, max: 3000 }).map((length) => "y".repeat(length)),
  ),
});

const partOf = (value: string) =>
  fc.tuple(fc.nat(value.length), fc.integer({ min: 1, max: 6 })).map(([from, length]) => {
    const characters = [...value];
    const start = Math.min(from, Math.max(0, characters.length - 1));
    return characters.slice(start, start + length).join("");
  });
const swapCase = (value: string) => fc.constantFrom(value, value.toUpperCase(), value.toLowerCase());
const needle = fc.oneof(text, text.chain(partOf), pick(words).chain(partOf)).filter((value) => value !== "");

const second = fc.integer({ min: -1, max: 13 }).map((offset) => new Date(startMs + offset * 1000));
const condition: fc.Arbitrary<TaskFilter> = fc.oneof(
  needle.map((name) => ({ name })),
  // On PostgreSQL a line break separates the texts of a row, so a search that contains one matches nothing meaningful.
  needle
    .filter((value) => !value.includes("\n"))
    .chain(swapCase)
    .map((search) => ({ search: search.toLowerCase() })),
  fc.record({ state: pick(taskStates) as fc.Arbitrary<TaskState> }),
  fc.record({ priorities: fc.uniqueArray(pick(priorities) as fc.Arbitrary<Priority>, { minLength: 1, maxLength: 4 }) }),
  fc.record({ queue: queue.filter((value) => value !== null) }),
  fc.record({ worker: queue.filter((value) => value !== null) }),
  fc.record({ since: second }),
  fc.record({ until: second }),
);
const filter = fc.oneof(
  { weight: 3, arbitrary: condition },
  { weight: 2, arbitrary: fc.tuple(condition, condition).map(([a, b]): TaskFilter => ({ ...a, ...b })) },
  { weight: 1, arbitrary: fc.constant<TaskFilter>({}) },
);

const sizes: SearchSizes[] = [
  { ...usualSearchSizes, newestRows: 1, stepRows: [1, 2], shortRows: 3, maxValues: 2, valueRows: 4 },
  { ...usualSearchSizes, newestRows: 2, stepRows: [2, 3], shortRows: 1000, maxValues: 100 },
  { ...usualSearchSizes, newestRows: 1, stepRows: [1, 4], shortRows: 2, maxValues: 100, valueRows: 1 },
  { ...usualSearchSizes, stepRows: [500, 4000] },
];

const newestFirst = (a: TaskRow, b: TaskRow) =>
  b.received_at.getTime() - a.received_at.getTime() || (a.id < b.id ? 1 : -1);

async function emptyTables(database: Database<Tables>): Promise<void> {
  await database.write(async (tx) => {
    await tx.deleteFrom("tasks").execute();
    if (database.dialect === "postgres") await tx.deleteFrom("task_search").execute();
    await tx.deleteFrom("task_terms").execute();
  });
}

const bytesOf = ({ args, traceback }: Pick<TaskRow, "args" | "traceback">) => args.length + (traceback?.length ?? 0);

interface Pages {
  readonly limit: number;
  readonly budgetMs?: number;
  readonly maxBytes?: number;
  readonly sizes?: SearchSizes;
}

/** Ids of all pages in order. */
async function allPages(database: Database<Tables>, given: TaskFilter, pages: Pages) {
  const { limit, budgetMs = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY } = pages;
  const ids: string[] = [];
  let after: TaskPosition | null = null;
  let count = 0;
  do {
    const search: Search = { projectId, filter: given, after, budgetMs, ...pages };
    const page = await matchingPage(database, search, wholeRows(database));
    ids.push(...page.rows.map(({ id }) => id));
    after = page.next;
    count += 1;
    expect(page.rows.length).toBeLessThanOrEqual(limit);
    const bytes = page.rows.reduce((sum, row) => sum + bytesOf(row), 0);
    expect(page.rows.length <= 1 || bytes <= maxBytes).toBe(true);
  } while (after !== null && count < 1000);
  return ids;
}

/** The count of all steps of `rows` index entries. */
async function countInIndexSteps({ slow }: Database<Tables>, given: TaskFilter, rows: number): Promise<number> {
  const [source = null] = indexedSources(given);
  let total = 0;
  for (let scope: ListScope | null = scopeOf(projectId, given, null); scope !== null; ) {
    const { count, rest }: CountStep = await countIndexStep(slow, scope, source, rows);
    total += count;
    scope = rest;
  }
  return total;
}

for (const dialect of testDialects) {
  describe(`finding tasks on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);

    test("returns page after page what a plain filter returns, whichever way it takes", async () => {
      const tasks = fc.uniqueArray(task, { minLength: 8, maxLength: 40, selector: ({ task_id }) => task_id });
      await fc.assert(
        fc.asyncProperty(
          tasks,
          fc.array(filter, { minLength: 12, maxLength: 12 }),
          fc.integer({ min: 1, max: 7 }),
          fc.nat(40),
          fc.integer({ min: 0, max: 12_000 }),
          async (given, filters, limit, indexed, maxBytes) => {
            const { database } = opened;
            await emptyTables(database);
            const rows = given.map((row): GivenTask => ({ ...row, project_id: projectId }));
            const stored = [
              ...(await insertTasks(database, rows.slice(0, indexed))),
              ...(await insertTasks(database, rows.slice(indexed), { isIndexed: false })),
            ];
            await insertTasks(
              database,
              given.map((row) => ({ ...row, project_id: otherProjectId })),
              { isIndexed: false },
            );
            for (const each of filters) {
              const expected = stored
                .filter((row) => matchesFilter(row, each))
                .sort(newestFirst)
                .map(({ id }) => id);
              for (const used of sizes) {
                const found = await allPages(database, each, { limit, sizes: used });
                expect(found, JSON.stringify([each, used])).toEqual(expected);
              }
              const hurried = { limit, sizes: sizes[0] as SearchSizes, budgetMs: 0 };
              expect(await allPages(database, each, hurried), JSON.stringify(each)).toEqual(expected);
              expect(await allPages(database, each, { limit, maxBytes }), JSON.stringify(each)).toEqual(expected);
              expect(await countMatches(database, projectId, each, minutes(1))).toBe(expected.length);
              if (dialect === "sqlite" && isDirect(each))
                expect(await countInIndexSteps(database, each, limit)).toBe(expected.length);
              expect((await matchingIds(database, projectId, each, 100)).sort()).toEqual([...expected].sort());
              expect(await matchingIds(database, projectId, each, 3)).toEqual([...expected].sort().slice(0, 3));
            }
          },
        ),
        { numRuns: Number(process.env.SVC_TEST_RUNS ?? 12), endOnFailure: true },
      );
    });

    // PostgreSQL ends a statement at its timeout.
    if (dialect === "sqlite") {
      test.each<TaskFilter>([{}, { state: "pending" }, { queue: "q", state: "pending" }])(
        "returns no count of %j when there is no time for it",
        async (given) => {
          const { database } = opened;
          await emptyTables(database);
          const tasks = Array.from({ length: 2001 }, (_, index): GivenTask => {
            return { task_id: `t-${index}`, project_id: projectId, queue: "q", received_at: new Date(startMs) };
          });
          await insertTasks(database, tasks);
          expect(await countMatches(database, projectId, given, minutes(1))).toBe(2001);
          expect(await countMatches(database, projectId, given, 0)).toBeNull();
        },
      );
    }

    test.each(["state:pending", "queue:q", "Q"])("returns no count of the query %s beyond its time", async (q) => {
      const { database } = opened;
      await emptyTables(database);
      const tasks = Array.from({ length: 2001 }, (_, index): GivenTask => {
        return { task_id: `t-${index}`, project_id: projectId, queue: "q", received_at: new Date(startMs) };
      });
      await insertTasks(database, tasks);
      const plan = await planList(database, projectId, { query: { q }, now: new Date() });
      const countIn = (timeoutMs: number) => countPlanUpTo(database, projectId, plan, { cap: 10_000, timeoutMs });
      expect([await countIn(60_000), await countIn(0)]).toEqual([2001, null]);
    });
  });
}
