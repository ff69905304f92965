import { randomUUID } from "node:crypto";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import fc from "fast-check";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { plansOf } from "../../../test/query-plans.ts";
import { type GivenTask, insertTasks } from "../../../test/task-rows.ts";
import { createPartitionKeeper } from "../events/index.ts";
import { type Issue, type IssuePosition, type IssueQuery, listIssues } from "./list.ts";
import { countIssues, lastFailures, sampleIssues, walkFailures } from "./reads.ts";

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
    const everything = (projectId: string): IssueQuery => ({
      projectId,
      engine: null,
      since: null,
      until: null,
      status: null,
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

    async function pages(query: IssueQuery, limit: number, bounds: { stepRows?: number; maxSteps?: number } = {}) {
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

    test("tell how often, since when, on what and of which tasks", async () => {
      const projectId = await newProject([
        one(),
        one({ minute: 10, engine: "celery" }),
        one({ minute: 30, state: "success" }),
        one({ print: 2, minute: 20, state: "success" }),
      ]);
      expect(await pages(everything(projectId), 10)).toEqual([
        {
          fingerprint: print(1),
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

    test("take the exception from the event of the failure, which a task that recovered no longer has", async () => {
      const projectId = await newProject([one({ state: "success" })]);
      const { bulk } = opened.database;
      if (bulk.dialect === "postgres") await createPartitionKeeper(bulk.pool).ensureFor([start]);
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
            payload: JSON.stringify({ exception: "SMTP timeout" }),
          })
          .execute(),
      );
      expect(await pages(everything(projectId), 10)).toMatchObject([{ sample_exception: "SMTP timeout" }]);
    });

    test("of a range count its failures only, and know those that are new in it", async () => {
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

    test("of all pages are what a look at every task gives, whatever the limits", async () => {
      const failure = fc.record({
        print: fc.nat(6),
        minute: fc.nat(8),
        state: fc.constantFrom(...kinds),
        engine: fc.constantFrom("bullmq" as const, "celery" as const),
      });
      const limits = fc.record({ limit: fc.integer({ min: 1, max: 4 }), stepRows: fc.integer({ min: 3, max: 9 }) });
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
          async (failures, { limit, stepRows }, { engine, status, since }) => {
            // No more failures at one instant than a step holds.
            const spread = failures.map((given, index) => ({ ...given, minute: given.minute + (index % 12) / 100 }));
            const projectId = await newProject(spread);
            const query = { ...everything(projectId), engine, status, since: since === null ? null : at(since) };
            const found = await pages(query, limit, { stepRows, maxSteps: 2 });
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

    test("are read from indexes that lead with the project", async () => {
      const projectId = await newProject(
        Array.from({ length: 300 }, (_, index) => one({ print: index % 5, minute: index })),
      );
      await insertTasks(
        opened.database,
        Array.from({ length: 3000 }, (_, index) => ({ project_id: projectId, task_id: `quiet-${index}` })),
      );
      // The server plans by figures that it else gathers in its own time.
      if (dialect === "postgres") await sql`ANALYZE tasks`.execute(opened.database.slow);
      const scope = everything(projectId);
      const fingerprints = [print(1), print(2)];
      const planOf = (read: (db: { slow: typeof opened.database.slow; dialect: typeof dialect }) => Promise<unknown>) =>
        plansOf(opened.database, (slow) => read({ slow, dialect }));
      const plans = await Promise.all([
        planOf((db) => walkFailures(db, scope, 100)),
        planOf((db) => lastFailures(db, scope, fingerprints)),
        planOf((db) => countIssues(db, scope, { fingerprints, limit: 100, trend: null })),
        planOf((db) => sampleIssues(db, scope, fingerprints)),
      ]);
      for (const plan of plans) expect(plan).not.toMatch(/SCAN (tasks|t|e)\b|Seq Scan on (tasks|events)/);
      expect(plans[0]).toMatch(/tasks_by_failure/);
      for (const plan of plans.slice(1)) expect(plan).toMatch(/tasks_by_fingerprint/);
    });
  });
}
