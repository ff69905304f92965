import { type Priority, priorities, type TaskState, taskStates } from "@svc/protocol";
import { createFakeClock } from "@svc/testkit";
import { type OpenedTestDatabase, openTestDatabase, testDialects, useTestDatabase } from "@svc/testkit/databases";
import fc from "fast-check";
import { sql } from "kysely";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { plansOf } from "../../../../test/query-plans.ts";
import { counterDelta, noteChanges } from "../../../../test/rows/counter-rows.ts";
import { type GivenTask, insertTasks } from "../../../../test/rows/task-rows.ts";
import type { CounterDeltaRow, RollupRow, TaskRow } from "../../../schema/tables/index.ts";
import { bucketStart, foldCounters, minutesBegin } from "../../stats/index.ts";
import { filterOfQuery, matchesFilter } from "../query/filter.ts";
import { partsOf, readHistogram } from "./histogram.ts";
import type { TaskHistogramQuery } from "./schemas.ts";

const projectId = "11111111-2222-4333-8444-555555555555";
const otherProjectId = "21111111-2222-4333-8444-555555555555";
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const now = new Date(Date.UTC(2026, 0, 10, 12, 34, 56, 789));
const ago = (ms: number) => new Date(now.getTime() - ms);
const sizes = { stepRows: [2, 3] as const, fewMatches: 2 };

const pick = <T>(values: readonly T[]) => fc.constantFrom(...values);
const instant = fc.integer({ min: 0, max: 4 * hourMs }).map(ago);
const task = fc.record({
  task_id: fc.uuid(),
  name: pick(["app.mail", "app.report"]),
  queue: pick(["mails", "reports", null]),
  worker_name: pick(["w-1", "w-2", null]),
  state: pick(taskStates) as fc.Arbitrary<TaskState>,
  priority: pick(priorities) as fc.Arbitrary<Priority>,
  received_at: instant,
});
/** Queries that the counters cannot answer. */
const query: fc.Arbitrary<TaskHistogramQuery> = fc
  .tuple(
    pick([
      { name: "mail" },
      { search: "W-1" },
      { worker: "w-2" },
      { priority: "low,high" },
      { state: "pending" as const },
      { state: "failure" as const },
      { state: "retry" as const },
    ]),
    pick([{}, { queue: "mails" }, { state: "failure" as const }]),
    fc.record({ since: instant, buckets: fc.integer({ min: 1, max: 200 }) }, { requiredKeys: ["since"] }),
    fc.integer({ min: 1, max: 3 * hourMs }),
  )
  .map(([one, two, { since, buckets }, lengthMs]) => ({
    ...two,
    ...one,
    since: since.toISOString(),
    until: new Date(since.getTime() + lengthMs).toISOString(),
    ...(buckets !== undefined && { buckets }),
  }));

const total = ({ success, failure, other }: { success: number; failure: number; other: number }) =>
  success + failure + other;

const rollup = (given: Partial<RollupRow> & Pick<RollupRow, "bucket_at" | "kind" | "count">): RollupRow => ({
  project_id: projectId,
  grain_minutes: 1,
  engine: "",
  name: "",
  queue: "",
  run_ms_sum: 0,
  run_count: 0,
  run_histogram: null,
  wait_histogram: null,
  ...given,
});

describe("parts of a range", () => {
  test("cover it with at most the requested number, on whole grains, and round widths where possible", () => {
    const lengthMs = fc.integer({ min: 1, max: 90 * 24 * hourMs });
    fc.assert(
      fc.property(
        instant,
        lengthMs,
        fc.integer({ min: 1, max: 200 }),
        pick([minuteMs, hourMs]),
        (to, ms, most, grainMs) => {
          const range = { from: new Date(to.getTime() - ms), to };
          const { from, widthMs, count } = partsOf(range, most, grainMs);
          expect([from.getTime() % grainMs, widthMs % grainMs]).toEqual([0, 0]);
          expect(from <= range.from && range.from.getTime() - from.getTime() < widthMs).toBe(true);
          const endMs = from.getTime() + count * widthMs;
          expect(endMs >= to.getTime() && endMs - to.getTime() < widthMs).toBe(true);
          expect(count >= 1 && count <= most).toBe(true);
        },
      ),
    );
  });

  test("do not shift while the range moves on", () => {
    const at = (minutes: number) => ({ from: ago(24 * hourMs - minutes * minuteMs), to: ago(-minutes * minuteMs) });
    const [first, second] = [partsOf(at(0), 60, minuteMs), partsOf(at(11), 60, minuteMs)];
    expect(first.widthMs).toBe(30 * minuteMs);
    expect(second).toEqual(first);
  });
});

async function count(database: OpenedTestDatabase["database"], changes: readonly CounterDeltaRow[]): Promise<void> {
  await noteChanges(database, changes);
  await foldCounters.tick({ database, clock: createFakeClock(now), signal: new AbortController().signal });
}

for (const dialect of testDialects) {
  describe(`a histogram of tasks on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    beforeEach(() =>
      opened.database.write(async (tx) => {
        await tx.deleteFrom("tasks").execute();
        for (const table of ["rollups", "name_rollups", "rollup_names"] as const) await tx.deleteFrom(table).execute();
        await tx.deleteFrom("task_terms").execute();
        if (dialect === "postgres") await tx.deleteFrom("task_search").execute();
      }),
    );

    test("equals a count over every task, and without time one down to `reached`", async () => {
      const tasks = fc.uniqueArray(task, { minLength: 5, maxLength: 50, selector: ({ task_id }) => task_id });
      await fc.assert(
        fc.asyncProperty(tasks, fc.array(query, { minLength: 15, maxLength: 15 }), async (given, queries) => {
          const { database } = opened;
          await database.write((tx) => tx.deleteFrom("tasks").execute());
          if (dialect === "postgres") await database.write((tx) => tx.deleteFrom("task_search").execute());
          const rows = given.map((row): GivenTask => ({ ...row, project_id: projectId }));
          const stored = await insertTasks(database, rows);
          await insertTasks(
            database,
            given.slice(0, 5).map((row) => ({ ...row, project_id: otherProjectId })),
          );
          for (const asked of queries) {
            const whole = await readHistogram(database, { projectId, query: asked, now, budgetMs: 60_000, sizes });
            expect(whole).toMatchObject({
              exact: true,
              reached: null,
              counted: "tasks",
              to: new Date(asked.until ?? ""),
            });
            const matches = (row: TaskRow) => matchesFilter(row, { ...filterOfQuery(asked), since: whole.from });
            for (const [index, { t, ...bucket }] of whole.buckets.entries()) {
              const endMs = t.getTime() + whole.bucket_seconds * 1000;
              const isLast = index === whole.buckets.length - 1;
              const within = stored.filter(
                (row) => matches(row) && row.received_at >= t && (isLast || row.received_at.getTime() < endMs),
              );
              const of = (state: string) => within.filter((row) => row.state === state).length;
              const ends = of("success") + of("failure");
              const expected = { success: of("success"), failure: of("failure"), other: within.length - ends };
              expect(bucket, JSON.stringify([asked, index])).toEqual(expected);
            }

            const hurried = await readHistogram(database, { projectId, query: asked, now, budgetMs: 0, sizes });
            expect(hurried.exact).toBe(hurried.reached === null);
            for (const [index, bucket] of hurried.buckets.entries()) {
              const full = whole.buckets[index] ?? bucket;
              if (hurried.reached === null || bucket.t > hurried.reached) expect(bucket).toEqual(full);
              else expect(total(bucket)).toBeLessThanOrEqual(total(full));
            }
          }
        }),
        { numRuns: Number(process.env.SVC_TEST_RUNS ?? 10) },
      );
    });

    test("includes what was received exactly at its end, even where a bucket would start there", async () => {
      const until = new Date(Date.UTC(2026, 0, 10, 12));
      const row = { project_id: projectId, worker_name: "w-1", received_at: until };
      await insertTasks(opened.database, [{ ...row, task_id: "t-1" }]);
      const since = new Date(until.getTime() - hourMs).toISOString();
      const asked = { worker: "w-1", since, until: until.toISOString(), buckets: 60 };
      const { buckets, exact } = await readHistogram(opened.database, { projectId, query: asked, now });
      expect([buckets.length, exact]).toEqual([60, true]);
      expect(buckets.at(-1)).toMatchObject({ other: 1 });
    });

    test("uses the counters when they cover every filter", async () => {
      const { database } = opened;
      const at = (kind: string, count: number, more: Partial<CounterDeltaRow> = {}) =>
        counterDelta({
          ...{ project_id: projectId, bucket_at: new Date(Date.UTC(2026, 0, 10, 11, 59)), queue: "reports" },
          ...{ kind, count, ...more },
        });
      await count(database, [
        at("task.succeeded", 1_000_000),
        at("task.failed", 3, { queue: "mails" }),
        at("task.retried", 4),
        at("task.rejected", 5),
        at("task.started", 99),
        at("task.revoked", 7, { queue: "mails", name: "other" }),
        at("task.failed", 50, { project_id: otherProjectId }),
        at("task.failed", 60, { bucket_at: ago(25 * hourMs) }),
      ]);
      const sumsOf = async (asked: TaskHistogramQuery) => {
        const { buckets, ...rest } = await readHistogram(database, { projectId, query: asked, now, budgetMs: 60_000 });
        expect(rest).toMatchObject({ exact: true, reached: null, counted: "events" });
        const filled = buckets.filter((bucket) => total(bucket) > 0);
        expect(filled).toHaveLength(1);
        expect(filled[0]?.t).toEqual(new Date(Date.UTC(2026, 0, 10, 11, 30)));
        return [filled[0]?.success, filled[0]?.failure, filled[0]?.other];
      };
      expect(await sumsOf({})).toEqual([1_000_000, 3, 16]);
      expect(await sumsOf({ state: "rejected" })).toEqual([0, 0, 5]);
      expect(await sumsOf({ queue: "mails" })).toEqual([0, 3, 7]);
      expect(await sumsOf({ queue: "mails", state: "revoked" })).toEqual([0, 0, 7]);
    });

    test("uses the totals of a queue, whatever the names in it", async () => {
      const { database } = opened;
      const rows = Array.from({ length: 24 }, (_, index) => [
        rollup({ bucket_at: ago((index + 1) * hourMs), kind: "task.failed", count: 3, queue: "mails" }),
        // The total includes this row, so it is not counted again.
        rollup({
          ...{ bucket_at: ago((index + 1) * hourMs), kind: "task.failed", count: 3 },
          ...{ engine: "bullmq", name: "a", queue: "mails" },
        }),
      ]);
      await database.write((tx) => tx.insertInto("rollups").values(rows.flat()).execute());
      const histogram = await readHistogram(database, {
        projectId,
        query: { queue: "mails", buckets: 24 },
        now,
        budgetMs: 0,
      });
      expect(histogram).toMatchObject({ exact: true, reached: null, bucket_seconds: 7200, counted: "events" });
      expect(histogram.buckets.reduce((sum, { failure }) => sum + failure, 0)).toBe(72);
    });

    test("counts what happened in each part, whatever totals there are", async () => {
      const { database, close } = await openTestDatabase(dialect);
      onTestFinished(close);
      const kinds = ["task.succeeded", "task.failed", "task.revoked"];
      const partOfKind = { "task.succeeded": "success", "task.failed": "failure", "task.revoked": "other" } as const;
      // Dense in the last days and sparse before, at irregular minutes.
      const changes = Array.from({ length: 900 }, (_, index) => {
        const minute = Math.floor((now.getTime() - (index / 900) ** 3 * 60 * dayMs) / minuteMs);
        return counterDelta({
          ...{ project_id: projectId, bucket_at: new Date(minute * minuteMs), kind: kinds[index % 3] as string },
          ...{ count: 1 + (index % 5), name: `name-${index % 4}`, queue: index % 7 < 3 ? "mails" : "reports" },
        });
      });
      await count(database, changes);

      const asked = fc.record({
        lengthMs: fc.oneof(...[2 * hourMs, 2 * dayMs, 50 * dayMs].map((max) => fc.integer({ min: minuteMs, max }))),
        endMs: fc.oneof(...[0, 2 * hourMs, 9 * dayMs].map((max) => fc.integer({ min: 0, max }))),
        buckets: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 5, max: 200 })),
        more: pick([{}, {}, { state: "success" as const }, { queue: "mails" }]),
      });
      await fc.assert(
        fc.asyncProperty(asked, async ({ lengthMs, endMs, buckets, more }) => {
          const range = { since: ago(endMs + lengthMs).toISOString(), until: ago(endMs).toISOString() };
          const histogram = await readHistogram(database, { projectId, query: { ...more, ...range, buckets }, now });
          expect(histogram).toMatchObject({ exact: true, counted: "events" });
          const expected = histogram.buckets.map(({ t }) => ({ t, success: 0, failure: 0, other: 0 }));
          for (const { bucket_at, kind, queue, count } of changes) {
            const part = partOfKind[kind as keyof typeof partOfKind];
            if ("state" in more && part !== more.state) continue;
            if ("queue" in more && queue !== more.queue) continue;
            // Older counts are kept by the hour.
            const isOld = (bucket_at as Date) < minutesBegin(now);
            const countedAt = bucketStart(bucket_at as Date, isOld ? hourMs : minuteMs);
            if (countedAt < histogram.from || countedAt >= histogram.to) continue;
            const index = Math.floor(
              (countedAt.getTime() - histogram.from.getTime()) / (histogram.bucket_seconds * 1000),
            );
            (expected[index] as (typeof expected)[number])[part] += count;
          }
          expect(histogram.buckets).toEqual(expected);
        }),
        // Two parts of whole days that start at 13:00.
        { examples: [[{ lengthMs: 62 * dayMs - hourMs, endMs: 0, buckets: 2, more: {} }]] },
      );
    });

    test("has parts of at least an hour where counters are kept by the hour", async () => {
      const since = ago(49 * hourMs).toISOString();
      const { bucket_seconds, from } = await readHistogram(opened.database, {
        projectId,
        query: { since, buckets: 200 },
        now,
      });
      expect([bucket_seconds, from]).toEqual([3600, new Date(Date.UTC(2026, 0, 8, 11))]);
    });

    test("reads the totals of a queue through their index", async () => {
      const { database } = opened;
      const rows = Array.from({ length: 6000 }, (_, index) => {
        const place = {
          bucket_at: new Date(Date.UTC(2026, 0, 10) + Math.floor(index / 200) * minuteMs),
          queue: `q-${index % 10}`,
        };
        const named = { engine: "bullmq", name: `n-${index % 200}` };
        return rollup({ ...place, kind: "task.failed", count: 1, ...(index % 200 < 10 ? {} : named) });
      });
      await database.write(async (tx) => {
        for (let start = 0; start < rows.length; start += 500)
          await tx
            .insertInto("rollups")
            .values(rows.slice(start, start + 500))
            .execute();
        if (dialect === "postgres") await sql`ANALYZE rollups`.execute(tx);
      });
      const plan = await plansOf(database, (slow) =>
        readHistogram({ ...database, slow }, { projectId, query: { queue: "q-1" }, now }),
      );
      expect(plan).toMatch(/rollup_totals/);
      expect(plan).not.toMatch(/SCAN rollups|Seq Scan on rollups/);
    });
  });
}
