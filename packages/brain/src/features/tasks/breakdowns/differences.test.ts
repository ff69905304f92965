import { redactionMarker } from "@svc/protocol";
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { sql } from "kysely";
import { beforeEach, describe, expect, test } from "vitest";
import { plansOf } from "../../../../test/query-plans.ts";
import { type GivenTask, insertTasks } from "../../../../test/rows/task-rows.ts";
import { stalledReads } from "../../../../test/stalled-reads.ts";
import { readDifferences, type SampleSizes } from "./differences.ts";
import type { DifferencesQuery } from "./schemas.ts";

const projectId = "11111111-2222-4333-8444-555555555555";
const otherProjectId = "21111111-2222-4333-8444-555555555555";
const now = new Date(Date.UTC(2026, 0, 10, 12));
const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
const print = "0123456789abcdef0123456789abcdef";

for (const dialect of testDialects) {
  describe(`what parts failed tasks from passed ones on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    beforeEach(() =>
      opened.database.write(async (tx) => {
        await tx.deleteFrom("tasks").execute();
        await tx.deleteFrom("task_terms").execute();
        if (dialect === "postgres") await tx.deleteFrom("task_search").execute();
      }),
    );

    let serial = 0;
    const store = (count: number, given: Partial<GivenTask>, of: (index: number) => Partial<GivenTask> = () => ({})) =>
      insertTasks(
        opened.database,
        Array.from({ length: count }, (_, index): GivenTask => {
          serial += 1;
          const received_at = ago(index % 60);
          const own = { task_id: `t-${serial}`, project_id: projectId, name: "app.mail", received_at };
          const failedAt = given.state === "failure" ? { last_failed_at: received_at } : {};
          return { ...own, ...failedAt, ...given, ...of(index) };
        }),
      );
    const compare = (query: DifferencesQuery, sizes?: SampleSizes, budgetMs = 60_000) =>
      readDifferences(opened.database, { projectId, query, now, budgetMs, ...(sizes !== undefined && { sizes }) });

    test("is told of a name, with the size of both sets", async () => {
      const kwargs = (region: string, key: string) => ({ kwargs: JSON.stringify({ user: { region }, api_key: key }) });
      await store(10, { state: "failure", worker_name: "w-1", ...kwargs("eu", redactionMarker) });
      await store(20, { state: "success", worker_name: "w-2" }, (index) => kwargs(index < 4 ? "eu" : "us", "open"));
      // Of other names, states, times and projects.
      await store(9, { state: "failure", name: "app.mail.x", worker_name: "w-9" });
      await store(9, { state: "pending", worker_name: "w-1" });
      await store(9, { state: "failure", received_at: ago(25 * 60), worker_name: "w-9" });
      await store(9, { state: "success", project_id: otherProjectId, worker_name: "w-1" });
      const answer = await compare({ name: "app.mail" });
      expect(answer).toMatchObject({ failed: 10, passed: 20, sampled: false });
      expect(answer.attributes).toEqual([
        { field: "worker", value: "w-1", failed_share: 1, passed_share: 0 },
        { field: "kwargs.user.region", value: "eu", failed_share: 1, passed_share: 0.2 },
      ]);
    });

    test("is told of a fingerprint, against passed tasks of the names that have it", async () => {
      const failed = { state: "failure", fingerprint: print, release: "2" };
      await store(6, failed);
      await store(6, { ...failed, name: "app.report" });
      await store(3, { ...failed, state: "success", last_failed_at: ago(1) });
      await store(8, { state: "failure", fingerprint: print.replace("0", "1"), release: "1" });
      await store(8, { state: "success", release: "1" });
      await store(8, { state: "success", release: "1", name: "app.report" });
      await store(8, { state: "success", release: "2", name: "app.other" });
      const { attributes, ...sizes } = await compare({ fingerprint: print });
      expect(sizes).toEqual({ failed: 12, passed: 19, sampled: false });
      expect(attributes).toEqual([{ field: "release", value: "2", failed_share: 1, passed_share: 3 / 19 }]);
    });

    test("follows the range", async () => {
      await store(5, { state: "failure", received_at: ago(3 * 24 * 60), queue: "old" });
      await store(5, { state: "success", received_at: ago(3 * 24 * 60), queue: "new" });
      expect(await compare({ name: "app.mail" })).toMatchObject({ failed: 0, passed: 0, attributes: [] });
      const range = { since: ago(4 * 24 * 60).toISOString(), until: ago(2 * 24 * 60).toISOString() };
      expect((await compare({ name: "app.mail", ...range })).attributes).toMatchObject([
        { field: "queue", value: "old" },
      ]);
      await store(5, { state: "failure", fingerprint: print, last_failed_at: ago(90), received_at: ago(90) });
      const lastHour = { since: ago(60).toISOString() };
      expect(await compare({ fingerprint: print, ...lastHour })).toMatchObject({ failed: 0 });
      expect(await compare({ fingerprint: print })).toMatchObject({ failed: 5 });
    });

    test("is a sample of the newest where there are more, and says so", async () => {
      const isNew = (index: number) => ({ received_at: ago(index), queue: index < 6 ? "new" : "old" });
      await store(30, { state: "failure", fingerprint: print }, (index) => ({
        ...isNew(index),
        last_failed_at: ago(index),
      }));
      await store(30, { state: "success" }, (index) => ({ received_at: ago(index), queue: "passed" }));
      const sizes = { most: 6, stepRows: 4 };
      const [difference] = (await compare({ name: "app.mail" }, sizes)).attributes;
      expect(difference).toEqual({ field: "queue", value: "new", failed_share: 1, passed_share: 0 });
      for (const query of [{ name: "app.mail" }, { fingerprint: print }])
        expect(await compare(query, sizes)).toMatchObject({ failed: 6, passed: 6, sampled: true });
      // With exactly as many it is no sample.
      expect(await compare({ name: "app.mail" }, { most: 30, stepRows: 7 })).toMatchObject({ sampled: false });
      expect(await compare({ name: "app.mail" }, { most: 29, stepRows: 7 })).toMatchObject({ sampled: true });
    });

    test("is a sample over the whole range, as events were spread over it", async () => {
      const counts = (kind: string, hour: number, count: number) => ({
        project_id: projectId,
        grain_minutes: 60,
        name: "app.mail",
        kind,
        bucket_at: new Date(Date.UTC(2026, 0, 10, hour)),
        count,
        run_ms_sum: 0,
        run_count: 0,
        run_histogram: null,
        wait_histogram: null,
      });
      const rollups = [
        counts("task.failed", 11, 10),
        counts("task.failed", 8, 30),
        counts("task.succeeded", 11, 20),
        counts("task.succeeded", 7, 20),
        counts("task.succeeded", 3, 0),
      ];
      await opened.database.write((tx) => tx.insertInto("name_rollups").values(rollups).execute());
      const at = (hour: number) => ({ received_at: new Date(Date.UTC(2026, 0, 10, hour, 30)) });
      await store(30, { state: "failure", fingerprint: print }, (index) => at(index < 15 ? 11 : 8));
      await store(60, { state: "success" }, (index) => at(index < 30 ? 11 : 7));
      const { failed, passed, sampled, attributes } = await compare({ name: "app.mail" }, { most: 12, stepRows: 5 });
      expect([failed, passed, sampled]).toEqual([12, 12, true]);
      // A quarter of the failures was at eleven, and half of what passed.
      expect(attributes).toEqual([{ field: "hour", value: "8", failed_share: 0.75, passed_share: 0 }]);
      await opened.database.write((tx) => tx.deleteFrom("name_rollups").execute());
    });

    if (dialect === "sqlite") {
      test("looks for passed tasks no longer than it may, and says so", async () => {
        await store(40, { state: "failure" });
        await store(1, { state: "success", received_at: ago(100) });
        const sizes = { most: 100, stepRows: 10 };
        expect(await compare({ name: "app.mail" }, sizes, 0)).toMatchObject({ failed: 40, passed: 0, sampled: true });
        expect(await compare({ name: "app.mail" }, sizes)).toMatchObject({ failed: 40, passed: 1, sampled: false });
      });

      test("looks at tasks no longer than it may, though all over the range", async () => {
        const placed = (index: number) => ({ received_at: ago(index), queue: index < 300 ? "new" : "old" });
        await store(600, { state: "failure" }, placed);
        await store(10, { state: "success", queue: "passed" });
        const { attributes, ...sizes } = await compare({ name: "app.mail" }, undefined, 0);
        expect(sizes).toEqual({ failed: 250, passed: 10, sampled: true });
        for (const queue of ["new", "old"]) {
          const share = attributes.find(({ value }) => value === queue)?.failed_share ?? 0;
          expect(Math.abs(share - 0.5)).toBeLessThan(0.02);
        }
        expect(await compare({ name: "app.mail" })).toMatchObject({ failed: 600, passed: 10, sampled: false });
      });
    } else {
      test.each<DifferencesQuery>([{ name: "app.mail" }, { fingerprint: print }])(
        "ends when the failed tasks of %j cannot be found in time, and says so",
        async (query) => {
          await store(40, { state: "failure", fingerprint: print });
          await store(5, { state: "success" });
          const { database, close } = await stalledReads(opened);
          const answer = await readDifferences(database, { projectId, query, now, budgetMs: 60 }).finally(close);
          expect(answer).toMatchObject({ failed: 0, sampled: true, attributes: [] });
        },
      );
    }

    test("leaves out arguments that are too large to be compared", async () => {
      const args = (text: string) => JSON.stringify(["eu", ...Array.from({ length: 200 }, () => text)]);
      await store(5, { state: "failure", args: args("x".repeat(50)), kwargs: '{"size":"large"}' });
      await store(5, { state: "success", args: args("x") });
      expect((await compare({ name: "app.mail" })).attributes).toEqual([
        { field: "kwargs.size", value: "large", failed_share: 1, passed_share: 0 },
      ]);
    });

    test("finds both sets through indexes, however many tasks there are", async () => {
      await store(200, { state: "failure", fingerprint: print, name: "app.rare" });
      await store(4000, { state: "success" }, (index) => ({ name: `app.${index % 100}` }));
      const otherPrint = (index: number) => String(index % 100).padStart(32, "0");
      await store(2000, { state: "failure", name: "app.other" }, (index) => ({ fingerprint: otherPrint(index) }));
      const { database } = opened;
      await database.write(async (tx) => {
        if (dialect === "postgres") await sql`ANALYZE tasks`.execute(tx);
      });
      const planOf = (query: DifferencesQuery) =>
        plansOf(database, (read) =>
          readDifferences(
            { ...database, read, slow: read },
            { projectId, query, now, sizes: { most: 50, stepRows: 10 } },
          ),
        );
      const [byName, byPrint] = [await planOf({ name: "app.rare" }), await planOf({ fingerprint: print })];
      expect(byName).toMatch(/tasks_failed_by_name/);
      expect(byPrint).toMatch(/tasks_by_fingerprint/);
      for (const plan of [byName, byPrint]) {
        expect(plan).toMatch(/tasks_by_name/);
        expect(plan).not.toMatch(/SCAN tasks|Seq Scan on tasks/);
      }
    });
  });
}
