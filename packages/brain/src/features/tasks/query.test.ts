import { parseTaskQuery, printTaskQuery, type TaskQuery } from "@svc/client/task-query";
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isFoundBy } from "../../../test/plain-query.ts";
import { type GivenTask, insertTasks } from "../../../test/rows/task-rows.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Tables, TaskRow } from "../../schema/tables/index.ts";
import { countPlan, countPlanUpTo } from "./breakdowns/count-matches.ts";
import { readFacet } from "./breakdowns/facets.ts";
import { readHistogram } from "./breakdowns/histogram.ts";
import { type ColumnField, columnFields } from "./breakdowns/schemas.ts";
import { listPage, planList } from "./list.ts";
import { type SearchSizes, usualSearchSizes } from "./search/find-matches.ts";

const projectId = "11111111-2222-4333-8444-555555555555";
const otherProjectId = "21111111-2222-4333-8444-555555555555";
const startMs = Date.UTC(2026, 0, 2);
const now = new Date(startMs + 20_000);
const pageSizes = { SVC_REST_DEFAULT_PAGE_SIZE: 50, SVC_REST_MAX_PAGE_SIZE: 500 };

// Small sets, so that terms match tasks: characters whose case differs by more than 32, wildcards of every pattern language, quotes, escapes
// of JSON, numbers that exceed a double, and numbers that are written with an exponent.
const words = [
  "mail",
  "Mail.send",
  "ΟΔΟΣ",
  "İstanbul",
  "\u212aelvin",
  "straße",
  "日本語",
  "100%_d",
  'say "hi"',
  "a\\b",
  "x*y?[z]",
  "k",
  "^a$",
  "tab\there",
  "",
];
const numbers = [
  "0",
  "-1",
  "123",
  "1.5",
  "12345678901234567890",
  "12345678901234567891",
  "1e+21",
  "1e-7",
  "-0.25",
  "100",
  "9007199254740993",
  "1.00000000000000000001e3",
];
const keys = ["id", "user", "a.b", "", "0", 'q"k', "ключ"];
const pick = <T>(values: readonly T[]) => fc.constantFrom(...values);

const scalar = fc.oneof(
  pick(words).map((word) => JSON.stringify(word)),
  pick(numbers),
  pick(["true", "false", "null"]),
  pick(numbers).map((number) => JSON.stringify(number)),
);
/** JSON text in stored form: compact, with the digits of numbers. */
const json: fc.Arbitrary<string> = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3, depthSize: "small" }, scalar, tie("list"), tie("object")) as fc.Arbitrary<string>,
  list: fc.array(tie("value"), { maxLength: 3 }).map((items) => `[${items.join(",")}]`),
  object: fc
    .uniqueArray(fc.tuple(pick(keys), tie("value")), { maxLength: 3, selector: ([key]) => key })
    .map((members) => `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value as string}`).join(",")}}`),
})).value;
const list = fc.array(json, { maxLength: 2 }).map((items) => `[${items.join(",")}]`);
const object = fc
  .uniqueArray(fc.tuple(pick(keys), json), { maxLength: 3, selector: ([key]) => key })
  .map((members) => `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(",")}}`);

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const fingerprints = ["0123456789abcdef0123456789abcdef", "a".repeat(32), "b".repeat(32)];
/** A failed task was received earlier. */
const failure = fc
  .option(fc.tuple(pick(fingerprints.slice(0, 2)), fc.nat(9)), { nil: null })
  .map((given) => ({ fingerprint: given?.[0] ?? null, failedAfterMs: (given?.[1] ?? 0) * 1000 }));

const task = fc.record({
  task_id: fc
    .tuple(pick(["order-", "Order-", "ΟΔΟΣ", "x", "\u{1f600}"]), fc.nat(999))
    .map(([prefix, number]) => `${prefix}${number}`),
  engine: pick(["bullmq", "bullmq", "celery", "rq"]),
  name: pick(["billing.charge", "billing.Refund", "mail", "ΟΔΟΣ", "100%_d", "x*y?[z]"]),
  queue: maybe(pick(["mail", "Mail", "reports", "日本語"])),
  worker_name: maybe(pick(["w-1", "w-2", "straße"])),
  state: pick(["pending", "received", "success", "failure", "retry"]),
  attempt: fc.nat(1),
  dueAfterMs: maybe(pick([-5000, 4000, 60_000])),
  changedAfterMs: pick([0, 3000]),
  priority: pick(["high", "normal", "low"]),
  release: maybe(pick(["2026.1", "2026.2"])),
  retry_count: fc.nat(3),
  runtime_ms: maybe(pick([0, 100, 30_000])),
  wait_ms: maybe(pick([0, 1, 200])),
  tags: pick(["[]", '["vip"]', '["vip","Gold"]', '["日本語"]']),
  args: list,
  kwargs: object,
  result: maybe(json),
  exception: maybe(pick(["Timed Out", "ΟΔΟΣ refused", "K\u212aelvin", ""])),
  traceback: maybe(pick(["at line 1\n  mail", "İ i\u0307"])),
  failure,
  // Few instants, so that many rows share one.
  received_at: fc.integer({ min: 0, max: 9 }).map((second) => new Date(startMs + second * 1000)),
});

const quoted = (text: string) => `"${text.replace(/["\\]/g, "\\$&")}"`;
const part = (text: string) =>
  fc
    .tuple(fc.nat(2), fc.integer({ min: 1, max: 5 }))
    .map(([from, length]) => [...text].slice(from, from + length).join(""));
const needle = fc
  .oneof(
    pick([...words, ...numbers, "timed out", "billing", "order-1", "vip", "refused"]),
    pick([...words, ...numbers]).chain(part),
  )
  .chain((text) => pick([text, text.toUpperCase(), text.toLowerCase()]))
  .filter((text) => text !== "")
  .map(quoted);
const label = (values: readonly string[]) =>
  fc.oneof(
    pick(values).map(quoted),
    pick(values).map((value) => `${quoted([...value].slice(0, 2).join(""))}*`),
    pick(values).map((value) => `*${quoted([...value].slice(-2).join(""))}`),
    pick(values).map(
      (value) => `${quoted([...value].slice(0, 1).join(""))}*${quoted([...value].slice(2, 3).join(""))}*`,
    ),
    fc.constant("*"),
  );
const order = pick(["<", "<=", ">", ">="]);
const ranged = (values: readonly string[]) =>
  fc.oneof(
    pick(values),
    fc.tuple(order, pick(values)).map((parts) => parts.join("")),
    fc
      .tuple(fc.nat(values.length - 1), fc.nat(values.length - 1))
      .map(([a, b]) => `${values[Math.min(a, b)]}..${values[Math.max(a, b)]}`),
  );
const step = fc.oneof(
  pick(keys).map((key) => `.${quoted(key)}`),
  pick(["[0]", "[1]", ".0", ".id", ".user"]),
);
const pathValue = fc.oneof(
  pick(numbers.filter((number) => !number.includes("e+"))),
  pick(words).map(quoted),
  pick(numbers).map(quoted),
  pick(["true", "false", "null", "*"]),
  label(words),
  fc.tuple(order, fc.oneof(pick(numbers), pick(words).map(quoted))).map((parts) => parts.join("")),
  fc.tuple(pick(["-5", "0", "1e2"]), pick(["200", "1e30"])).map((sides) => sides.join("..")),
  fc.constant('"a".."t"'),
);
const values = (value: fc.Arbitrary<string>) =>
  fc.array(value, { minLength: 1, maxLength: 2 }).map((all) => all.join(","));
const term = fc.oneof(
  needle,
  fc
    .tuple(pick(["any", "error", "args", "kwargs", "result"]), values(needle))
    .map(([field, given]) => `${field}:${given}`),
  values(pick(["pending", "success", "failure", "retry"])).map((given) => `state:${given}`),
  values(pick(["high", "normal", "low"])).map((given) => `priority:${given}`),
  values(label(["billing.charge", "billing.Refund", "mail", "ΟΔΟΣ", "100%_d", "x*y?[z]", "none"])).map(
    (given) => `name:${given}`,
  ),
  values(label(["mail", "Mail", "reports", "日本語", "none"])).map((given) => `queue:${given}`),
  values(label(["w-1", "w-2", "straße"])).map((given) => `worker:${given}`),
  values(label(["bullmq", "celery", "none"])).map((given) => `engine:${given}`),
  values(label(["order-1", "Order-12", "ΟΔΟΣ1", "x", "\u{1f600}1"])).map((given) => `id:${given}`),
  values(label(["2026.1", "2026.2"])).map((given) => `release:${given}`),
  values(pick([...fingerprints, "A".repeat(32)])).map((given) => `fingerprint:${given}`),
  values(label(["vip", "Gold", "日本語"])).map((given) => `tag:${given}`),
  values(ranged(["0", "100ms", "1s", "30s"])).map((given) => `runtime:${given}`),
  values(ranged(["0", "1ms", "200ms"])).map((given) => `wait:${given}`),
  values(ranged(["0", "1", "2"])).map((given) => `retries:${given}`),
  values(ranged(["11s", "12s", "14s", "20s"])).map((given) => `age:${given}`),
  values(ranged(["0", "8s", "13s", "16s"])).map((given) => `waiting:${given}`),
  pick(["since:15s", "until:13s", "since:2026-01-02T00:00:03Z", "until:2026-01-02T00:00:07Z"]),
  fc
    .tuple(pick(["args", "kwargs", "result"]), fc.array(step, { minLength: 1, maxLength: 3 }), values(pathValue))
    .map(([field, path, given]) => `${field}${path.join("")}:${given}`),
);
const query = fc
  .array(fc.tuple(term, fc.boolean()), { minLength: 1, maxLength: 3 })
  .map((terms) =>
    terms.map(([text, isNegated]) => (isNegated && !/^(since|until):/.test(text) ? `-${text}` : text)).join(" "),
  );

/** Sizes so small that an answer is cut again and again, and the usual ones. */
const sizes: SearchSizes[] = [
  { newestRows: 1, stepRows: [1, 2], shortRows: 3, maxValues: 2, valueRows: 4, contentRows: [1, 2] },
  { newestRows: 2, stepRows: [2, 3], shortRows: 1000, maxValues: 100, valueRows: 9, contentRows: [3, 3] },
  usualSearchSizes,
];

function storedTask(given: typeof task extends fc.Arbitrary<infer Task> ? Task : never, project_id: string): GivenTask {
  const {
    failure: { fingerprint, failedAfterMs },
    dueAfterMs,
    changedAfterMs,
    ...row
  } = given;
  const after = (ms: number) => new Date(row.received_at.getTime() + ms);
  const last_failed_at = fingerprint === null ? null : after(failedAfterMs);
  const eta = dueAfterMs === null ? null : after(dueAfterMs);
  return { ...row, project_id, fingerprint, last_failed_at, eta, last_event_at: after(changedAfterMs) };
}

const newestFirst = (a: TaskRow, b: TaskRow) =>
  b.received_at.getTime() - a.received_at.getTime() || (a.id < b.id ? 1 : -1);

/** How many of the tasks that match a query have each value of a field. */
function countsBy(field: ColumnField, terms: TaskQuery, rows: readonly TaskRow[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const row of rows) {
    const value = row[field === "worker" ? "worker_name" : field];
    if (value !== null && isFoundBy(terms, row, now)) counts[value] = (counts[value] ?? 0) + 1;
  }
  return counts;
}

async function emptyTables(database: Database<Tables>): Promise<void> {
  await database.write(async (tx) => {
    await tx.deleteFrom("tasks").execute();
    if (database.dialect === "postgres") await tx.deleteFrom("task_search").execute();
    await tx.deleteFrom("task_terms").execute();
  });
}

/** Ids of all pages in order, and how many of the pages were cut by their time. */
async function allPages(
  database: Database<Tables>,
  q: string,
  given: { limit: number; budgetMs: number; sizes: SearchSizes },
) {
  const ids: string[] = [];
  let cuts = 0;
  let cursor: string | null = null;
  for (let pages = 0; pages < 200; pages += 1) {
    const { limit, budgetMs, sizes: used } = given;
    // A different clock for every page but the first: the cursor carries the first one's time.
    const page = await listPage(database, pageSizes, {
      projectId,
      query: { q, limit, ...(cursor !== null && { cursor }) },
      now: cursor === null ? now : new Date(now.getTime() + pages * 3000),
      budgetMs,
      sizes: used,
    });
    ids.push(...page.items.map(({ id }) => id));
    expect(page.items.length).toBeLessThanOrEqual(limit);
    if (page.partial !== undefined) {
      cuts += 1;
      expect(page.partial.cursor).toBe(page.next_cursor);
      // Everything down to there was searched, so nothing found later lies above.
      for (const { received_at } of page.items) expect(received_at >= page.partial.reached).toBe(true);
    }
    cursor = page.next_cursor;
    if (cursor === null) return { ids, cuts };
  }
  throw new Error(`no end: ${q}`);
}

for (const dialect of testDialects) {
  describe(`the query language on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);

    test("finds page after page, however often it is cut, what its plain meaning finds", async () => {
      let cuts = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(task, { minLength: 8, maxLength: 25, selector: ({ task_id }) => task_id }),
          fc.array(query, { minLength: 12, maxLength: 12 }),
          fc.integer({ min: 1, max: 5 }),
          pick(columnFields),
          async (given, queries, limit, field) => {
            const { database } = opened;
            await emptyTables(database);
            const rows = given.map((row) => storedTask(row, projectId));
            const stored = await insertTasks(database, rows);
            const foreign = given.slice(0, 5).map((row) => storedTask(row, otherProjectId));
            await insertTasks(database, foreign);
            for (const q of queries) {
              const { query: terms, faults } = parseTaskQuery(q);
              expect(faults, q).toEqual([]);
              expect(parseTaskQuery(printTaskQuery(terms)).query).toEqual(terms);
              const expected = stored
                .filter((row) => isFoundBy(terms, row, now))
                .sort(newestFirst)
                .map(({ id }) => id);
              for (const used of sizes) {
                const patient = await allPages(database, q, { limit, budgetMs: Infinity, sizes: used });
                expect(patient.ids, q).toEqual(expected);
                expect(patient.cuts).toBe(0);
                const hurried = await allPages(database, q, { limit, budgetMs: 0, sizes: used });
                expect(hurried.ids, q).toEqual(expected);
                cuts += hurried.cuts;
              }
              const plan = await planList(database, projectId, { query: { q }, now });
              expect(await countPlan(database, projectId, plan), q).toBe(expected.length);
              const upTo = await countPlanUpTo(database, projectId, plan, { cap: 3, timeoutMs: 10_000 });
              expect(Math.min(upTo ?? -1, 4), q).toBe(Math.min(expected.length, 4));

              const range = { since: "2026-01-01T23:59:00Z", until: "2026-01-02T00:01:00Z" };
              const asked = { projectId, query: { q, ...range }, now, budgetMs: 60_000 };
              const { buckets, exact, counted } = await readHistogram(database, asked);
              const sum = buckets.reduce((total, { success, failure, other }) => total + success + failure + other, 0);
              // Values that come from counters, which are empty here.
              expect([sum, exact], q).toEqual([counted === "events" ? 0 : expected.length, true]);
              const others = terms.filter((each) => each.isNegated || each.field !== field);
              // Without any other term the states come from counters, which are empty here.
              if (field === "state" && others.length === 0) continue;
              const facet = await readFacet(database, { projectId, query: { q, field }, now, budgetMs: 60_000 });
              const counts = Object.fromEntries(facet.values.map(({ value, count }) => [value, count]));
              expect(counts, `${field} of ${q}`).toEqual(countsBy(field, others, stored));
            }
          },
        ),
        { numRuns: Number(process.env.SVC_TEST_RUNS ?? 5), endOnFailure: true },
      );
      expect(cuts).toBeGreaterThan(100);
    });
  });
}
