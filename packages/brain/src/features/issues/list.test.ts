import { randomUUID } from "node:crypto";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import fc from "fast-check";
import { type KyselyPlugin, sql } from "kysely";
import { describe, expect, test } from "vitest";
import { plansOf } from "../../../test/query-plans.ts";
import { type GivenTask, insertTasks } from "../../../test/rows/task-rows.ts";
import { eventPartitions } from "../events/index.ts";
import {
  type Issue,
  type IssuePosition,
  type IssueSearch,
  listFrequentIssues,
  listIssues,
  type PageCosts,
} from "./list.ts";
import { countIssues, fewIssues, lastFailures, mostFrequent, sampleIssues, walkFailures } from "./reads.ts";

const start = Date.parse("2026-04-01T10:00:00.000Z");
const at = (minute: number): Date => new Date(start + minute * 60_000);
const print = (index: number): string => index.toString(16).padStart(32, "0");
const kinds = ["failure", "success", "retry"] as const;

interface Failure {
  readonly print: number;
  readonly minute: number;
  readonly state: (typeof kinds)[number];
  readonly engine: "bullmq" | "celery";
}

for (const dialect of testDialects) {
  describe(`issues on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const everything = (projectId: string): IssueSearch => ({
      projectId,
      engine: null,
      since: null,
      until: null,
      status: null,
      fingerprint: null,
      trend: null,
    });

    async function newProject(failures: readonly Failure[], more: Partial<GivenTask> = {}): Promise<string> {
      const projectId = await addProject(opened.database, randomUUID());
      await insertTasks(
        opened.database,
        failures.map((failure, index) => ({
          project_id: projectId,
          task_id: `t${index}`,
          engine: failure.engine,
          name: `name-${failure.print}`,
          state: failure.state,
          exception: failure.state === "failure" ? `E${failure.print}` : null,
          fingerprint: print(failure.print),
          last_failed_at: at(failure.minute),
          ...more,
        })),
      );
      return projectId;
    }

    async function pages(query: IssueSearch, limit: number, bounds: PageCosts = {}) {
      const found: Issue[] = [];
      for (let after: IssuePosition | null = null; ; ) {
        const { items, next } = await listIssues(opened.database, query, { after, limit, ...bounds });
        expect(items.length).toBeLessThanOrEqual(limit);
        found.push(...items);
        if (next === null) return found;
        after = next;
      }
    }

    const one = (given: Partial<Failure> = {}): Failure => ({
      print: 1,
      minute: 0,
      state: "failure",
      engine: "bullmq",
      ...given,
    });

    test("show how often, since when, in what and in which tasks they occurred", async () => {
      const projectId = await newProject([
        one(),
        one({ minute: 10, engine: "celery" }),
        one({ minute: 30, state: "success" }),
        one({ print: 2, minute: 20, state: "success" }),
      ]);
      expect(await pages(everything(projectId), 10)).toEqual([
        {
          fingerprint: print(1),
          error_class: null,
          template: null,
          status: "ongoing",
          occurrences: 3,
          open_count: 2,
          recovered_count: 1,
          is_capped: false,
          first_seen: at(0),
          last_seen: at(30),
          engine_count: 2,
          engines: ["bullmq", "celery"],
          sample_exception: null,
          sample_task_name: "name-1",
        },
        expect.objectContaining({ fingerprint: print(2), status: "recovered", occurrences: 1, open_count: 0 }),
      ]);
    });

    test("with very many failures count the newest, and say so", async () => {
      const projectId = await newProject(Array.from({ length: 10_001 }, (_, index) => one({ minute: index / 100 })));
      expect(await pages(everything(projectId), 10)).toMatchObject([
        { occurrences: 10_000, is_capped: true, first_seen: at(0) },
      ]);
    });

    test("take the exception from the event of the failure, which a recovered task no longer has", async () => {
      const projectId = await newProject([one({ state: "success" })]);
      const { bulk } = opened.database;
      if (bulk.dialect === "postgres") await eventPartitions(bulk.pool).ensureFor([start]);
      await opened.database.write((tx) =>
        tx
          .insertInto("events")
          .values({
            id: randomUUID(),
            project_id: projectId,
            agent_id: randomUUID(),
            engine: "bullmq",
            task_id: "t0",
            kind: "task.failed",
            occurred_at: at(0),
            payload: JSON.stringify({ exception: "SmtpError: timeout after 30 s" }),
          })
          .execute(),
      );
      expect(await pages(everything(projectId), 10)).toMatchObject([
        {
          sample_exception: "SmtpError: timeout after 30 s",
          error_class: "SmtpError",
          template: "timeout after <n> s",
        },
      ]);
    });

    test("of a range count only its failures, and show which are new in it", async () => {
      const projectId = await newProject([one(), one({ minute: 60 }), one({ print: 2, minute: 70 })]);
      const range = { ...everything(projectId), since: at(30), until: at(100) };
      expect(await pages({ ...range, trend: { fromMs: +at(30), widthMs: 5 * 60_000 } }, 10)).toMatchObject([
        { fingerprint: print(2), occurrences: 1, first_seen: at(70), trend: { 8: 1 } },
        { fingerprint: print(1), occurrences: 1, first_seen: at(0), trend: { 6: 1, 7: 0 } },
      ]);
      expect(await pages({ ...range, until: at(65) }, 10)).toMatchObject([{ fingerprint: print(1) }]);
      const wide = { ...everything(projectId), trend: { fromMs: +at(30), widthMs: 5 * 60_000 } };
      expect((await pages(wide, 10)).map(({ trend }) => trend?.reduce((sum, count) => sum + count))).toEqual([1, 1]);
    });

    test("of all pages equal a count over every task, whatever the limits", async () => {
      const failure = fc.record({
        print: fc.nat(6),
        minute: fc.nat(8),
        state: fc.constantFrom(...kinds),
        engine: fc.constantFrom("bullmq" as const, "celery" as const),
      });
      const limits = fc.record({
        limit: fc.integer({ min: 1, max: 4 }),
        stepRows: fc.integer({ min: 3, max: 9 }),
        maxFew: fc.constantFrom(2, 200),
        maxDescribed: fc.constantFrom(1, 200),
      });
      const filters = fc.record({
        engine: fc.constantFrom(null, "celery"),
        status: fc.constantFrom(null, "ongoing" as const, "recovered" as const),
        since: fc.constantFrom(null, 2, 5),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(failure, { maxLength: 25 }),
          limits,
          filters,
          async (failures, { limit, ...bounds }, { engine, status, since }) => {
            // No more failures at one instant than a step holds.
            const spread = failures.map((given, index) => ({ ...given, minute: given.minute + (index % 12) / 100 }));
            const projectId = await newProject(spread);
            const query = { ...everything(projectId), engine, status, since: since === null ? null : at(since) };
            const found = await pages(query, limit, { ...bounds, maxSteps: 2 });
            const matching = spread.filter(
              (given) => (engine === null || given.engine === engine) && given.minute >= (since ?? 0),
            );
            const expected = [...Map.groupBy(matching, (given) => given.print)]
              .map(([index, own]) => ({
                fingerprint: print(index),
                open_count: own.filter(({ state }) => state === "failure").length,
                occurrences: own.length,
                last_seen: at(Math.max(...own.map(({ minute }) => minute))),
              }))
              .filter(({ open_count }) => status === null || (status === "ongoing") === open_count > 0)
              .sort((a, b) => +b.last_seen - +a.last_seen || (a.fingerprint < b.fingerprint ? 1 : -1));
            const shown = found.map(({ fingerprint, open_count, occurrences, last_seen }) => ({
              fingerprint,
              open_count,
              occurrences,
              last_seen,
            }));
            expect(shown).toEqual(expected);
          },
        ),
        { numRuns: 25 },
      );
    });

    const failuresOf = (index: number, count: number, given: Partial<Failure> = {}): Failure[] =>
      Array.from({ length: count }, (_, place) => one({ print: index, minute: place + index / 10, ...given }));

    test("with most occurrences come first, however long ago the others failed", async () => {
      // The most frequent one failed before more issues than a page of the newest holds.
      const newer = Array.from({ length: 60 }, (_, index) => one({ print: index + 10, minute: 100 + index }));
      const projectId = await newProject([...failuresOf(1, 5), ...failuresOf(2, 3), ...newer]);
      const { items, isExact } = await listFrequentIssues(opened.database, everything(projectId), { limit: 3 });
      expect(items).toMatchObject([
        { fingerprint: print(1), occurrences: 5, is_capped: false },
        { fingerprint: print(2), occurrences: 3 },
        { fingerprint: print(69), occurrences: 1 },
      ]);
      expect(isExact).toBe(true);
    });

    test("with most occurrences are those of the range, the engine and the status", async () => {
      const projectId = await newProject([
        ...failuresOf(1, 5),
        ...failuresOf(2, 4, { engine: "celery" }),
        ...failuresOf(3, 3, { state: "success", engine: "celery" }),
        one({ print: 4, minute: 200, engine: "celery" }),
      ]);
      const query = everything(projectId);
      const frequent = async (given: Partial<IssueSearch>, bounds: PageCosts = {}) => {
        const page = { limit: 10, ...bounds };
        const { items, isExact } = await listFrequentIssues(opened.database, { ...query, ...given }, page);
        return [...items.map((issue) => [issue.fingerprint, issue.occurrences]), isExact];
      };
      expect(await frequent({ engine: "celery" })).toEqual([[print(2), 4], [print(3), 3], [print(4), 1], true]);
      expect(await frequent({ status: "recovered" })).toEqual([[print(3), 3], true]);
      expect(await frequent({ since: at(4), until: at(100) })).toEqual([[print(1), 1], true]);
      // Not all were checked: the recovered one may come later.
      expect(await frequent({ status: "recovered" }, { maxDescribed: 2 })).toEqual([false]);
    });

    test("with most occurrences are found among the newest failures when there are too many, and the answer says so", async () => {
      const projectId = await newProject([
        ...failuresOf(1, 9),
        one({ print: 2, minute: 50 }),
        one({ print: 3, minute: 51 }),
      ]);
      const page = { limit: 10, rankedRows: 4 };
      const { items, isExact } = await listFrequentIssues(opened.database, everything(projectId), page);
      // All failures of the first one are counted, up to its share.
      expect(items.map((issue) => [issue.fingerprint, issue.occurrences])).toEqual([
        [print(1), 9],
        [print(3), 1],
        [print(2), 1],
      ]);
      expect(isExact).toBe(false);
    });

    /** One page, and how many statements it took. */
    async function pageWithCost(query: IssueSearch, page: Parameters<typeof listIssues>[2]) {
      let statements = 0;
      const counter: KyselyPlugin = {
        transformQuery({ node }) {
          statements += 1;
          return node;
        },
        transformResult: async ({ result }) => result,
      };
      const { items, next } = await listIssues(
        { ...opened.database, slow: opened.database.slow.withPlugin(counter) },
        query,
        page,
      );
      return { prints: items.map(({ fingerprint }) => fingerprint), next, statements };
    }

    test("of a full page are described once, and no others", async () => {
      const projectId = await newProject(Array.from({ length: 8 }, (_, index) => one({ print: index, minute: index })));
      const expected = { prints: [print(7), print(6), print(5)], next: { lastSeenAt: at(5), fingerprint: print(5) } };
      const page = { after: null, limit: 3 };
      // The statements for the list, the counts and the samples.
      expect(await pageWithCost(everything(projectId), page)).toEqual({ ...expected, statements: 3 });
      expect(await pageWithCost(everything(projectId), { ...page, maxFew: 1 })).toEqual({ ...expected, statements: 4 });
    });

    test("that are few are found without a scan of the failures between them", async () => {
      const often = Array.from({ length: 60 }, (_, index) => one({ minute: index + 1 }));
      const projectId = await newProject([...often, one({ print: 2 })]);
      const page = { after: null, limit: 5, stepRows: 10, maxSteps: 1 };
      expect(await pageWithCost(everything(projectId), page)).toEqual({
        prints: [print(1), print(2)],
        next: null,
        statements: 3,
      });
    });

    test.each([1, 200])("that a status filter excludes end a page early, not late; few are %i", async (maxFew) => {
      const recovered = one({ print: 1, state: "success" });
      const ongoing = Array.from({ length: 130 }, (_, index) => one({ print: index + 2, minute: index + 1 }));
      const projectId = await newProject([recovered, ...ongoing]);
      const query = { ...everything(projectId), status: "recovered" as const };
      const first = await pageWithCost(query, { after: null, limit: 1, maxFew, maxDescribed: 100 });
      expect(first).toMatchObject({ prints: [], next: { lastSeenAt: at(31) } });
      // In steps of fifty.
      expect(first.statements).toBeLessThanOrEqual(6);
      const { next: after } = first;
      expect(await pageWithCost(query, { after, limit: 1, maxFew, maxDescribed: 100 })).toMatchObject({
        prints: [print(1)],
        next: null,
      });
    });

    test("of one engine cost at most one step when another engine's failures come first", async () => {
      const others = Array.from({ length: 40 }, (_, index) => one({ print: index % 2, minute: index + 1 }));
      const projectId = await newProject([one({ engine: "celery" }), ...others]);
      const query = { ...everything(projectId), engine: "celery" };
      const page = { limit: 5, stepRows: 10, maxSteps: 1 };
      const first = await pageWithCost(query, { after: null, ...page });
      expect(first).toMatchObject({ prints: [], next: { lastSeenAt: at(31) }, statements: 1 });
      expect(await pages(query, 5, page)).toMatchObject([
        { fingerprint: print(1), occurrences: 1, engines: ["celery"] },
      ]);
    });

    test("are read from indexes that lead with the project", async () => {
      const projectId = await newProject(
        Array.from({ length: 300 }, (_, index) => one({ print: index % 5, minute: index })),
      );
      await insertTasks(
        opened.database,
        Array.from({ length: 3000 }, (_, index) => ({ project_id: projectId, task_id: `quiet-${index}` })),
      );
      // PostgreSQL plans by statistics that it otherwise gathers later.
      if (dialect === "postgres") await sql`ANALYZE tasks`.execute(opened.database.slow);
      const scope = everything(projectId);
      const fingerprints = [print(1), print(2)];
      const seen = fingerprints.map((fingerprint) => ({ fingerprint, last_seen_at: at(299) }));
      const plans = await Promise.all([
        plansOf(opened.database, (db) => walkFailures(db, scope, 100)),
        plansOf(opened.database, (db) => mostFrequent(db, scope, { rows: 100, limit: 10 })),
        plansOf(opened.database, (db) => fewIssues(db, scope, 100)),
        plansOf(opened.database, (db) => lastFailures(db, scope, { fingerprints, limit: 100 })),
        plansOf(opened.database, (db) => countIssues(db, scope, { seen, limit: 100, trend: null })),
        plansOf(opened.database, (db) => sampleIssues(db, scope, seen)),
      ]);
      for (const plan of plans) expect(plan).not.toMatch(/SCAN (tasks|t|e)\b|Seq Scan on (tasks|events)/);
      for (const plan of plans.slice(0, 2)) expect(plan).toMatch(/tasks_by_failure/);
      for (const plan of plans.slice(2)) expect(plan).toMatch(/tasks_by_fingerprint/);
    });
  });
}
