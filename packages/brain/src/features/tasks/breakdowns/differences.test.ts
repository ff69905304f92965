import { redactionMarker } from "@svc/protocol";
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { sql } from "kysely";
import { beforeEach, describe, expect, test } from "vitest";
import { plansOf } from "../../../../test/query-plans.ts";
import { type GivenTask, insertTasks } from "../../../../test/rows/task-rows.ts";
import { stalledReads } from "../../../../test/stalled-reads.ts";
import { readDifferences } from "./differences.ts";
import type { DifferencesQuery } from "./schemas.ts";

const projectId = "11111111-2222-4333-8444-555555555555";
const otherProjectId = "21111111-2222-4333-8444-555555555555";
const now = new Date(Date.UTC(2026, 0, 10, 12));
const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
const print = "0123456789abcdef0123456789abcdef";

for (const dialect of testDialects) {
  describe(`comparing failed with passed tasks on ${dialect}`, () => {
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
    const compare = (query: DifferencesQuery, budgetMs = 60_000) =>
      readDifferences(opened.database, { projectId, query, now, budgetMs });
    /** In an hour of the day before now, spread over it. */
    const inHour = (hour: number, index: number) => {
      const received_at = new Date(Date.UTC(2026, 0, 10, hour, index % 60, Math.floor(index / 60) % 60));
      return { received_at, last_failed_at: received_at };
    };

    test("shows what differs for a name, with the size of both sides and the span", async () => {
      const kwargs = (region: string, key: string) => ({ kwargs: JSON.stringify({ user: { region }, api_key: key }) });
      await store(10, { state: "failure", worker_name: "w-1", ...kwargs("eu", redactionMarker) });
      await store(20, { state: "success", worker_name: "w-2" }, (index) => kwargs(index < 4 ? "eu" : "us", "open"));
      // Tasks of other names, states, times and projects are ignored.
      await store(9, { state: "failure", name: "app.mail.x", worker_name: "w-9" });
      await store(9, { state: "pending", worker_name: "w-1" });
      await store(9, { state: "failure", received_at: ago(25 * 60), worker_name: "w-9" });
      await store(9, { state: "success", project_id: otherProjectId, worker_name: "w-1" });
      const answer = await compare({ name: "app.mail" });
      expect(answer).toMatchObject({ failed: 10, passed: 20, sampled: false, releases: 0, release_overlap: false });
      expect(answer).toMatchObject({ span: { from: ago(24 * 60), to: now }, per_hour_cap: 83 });
      expect(answer.attributes).toEqual([
        { field: "worker", value: "w-1", failed_share: 1, passed_share: 0 },
        { field: "kwargs.user.region", value: "eu", failed_share: 1, passed_share: 0.2 },
      ]);
    });

    test("compares the failures of a fingerprint with passed tasks of their names", async () => {
      const failed = { state: "failure", fingerprint: print, release: "2" };
      await store(6, failed);
      await store(6, { ...failed, name: "app.report" });
      await store(3, { ...failed, state: "success", last_failed_at: ago(1) });
      await store(8, { state: "failure", fingerprint: print.replace("0", "1"), release: "1" });
      await store(8, { state: "success", release: "1" });
      await store(8, { state: "success", release: "1", name: "app.report" });
      await store(8, { state: "success", release: "2", name: "app.other" });
      const answer = await compare({ fingerprint: print, since: ago(90).toISOString() });
      expect(answer).toMatchObject({ failed: 12, passed: 19, sampled: false, per_hour_cap: 2000 });
      expect(answer.attributes).toEqual([{ field: "release", value: "2", failed_share: 1, passed_share: 3 / 19 }]);
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

    test("compares the failures of one issue, not all failures of its names", async () => {
      await store(21, { state: "failure", fingerprint: print, worker_name: "w-1" });
      await store(94, { state: "failure", fingerprint: print.replace("0", "1"), worker_name: "w-2" });
      await store(40, { state: "success", worker_name: "w-2" });
      const answer = await compare({ fingerprint: print });
      expect(answer).toMatchObject({ failed: 21, passed: 40, sampled: false });
      expect(answer.attributes).toEqual([{ field: "worker", value: "w-1", failed_share: 1, passed_share: 0 }]);
      const lastHours = { since: ago(90).toISOString() };
      expect(await compare({ name: "app.mail", ...lastHours })).toMatchObject({ failed: 115, passed: 40 });
    });

    test("takes passes of several names in the proportion of the failures", async () => {
      const failed = { state: "failure", fingerprint: print } as const;
      await store(15, { ...failed, queue: "mails" });
      await store(5, { ...failed, name: "app.report", queue: "reports" });
      await store(150, { state: "success", queue: "mails" }, (index) => inHour(index % 24, index));
      await store(150, { state: "success", name: "app.report", queue: "reports" }, (index) =>
        inHour(index % 24, index),
      );
      const given = { projectId, query: { fingerprint: print }, now, budgetMs: 60_000, most: 96 };
      const { attributes, passed } = await readDifferences(opened.database, given);
      // The queues would differ by 25 points if both names had the same number of passes.
      expect(attributes).toEqual([]);
      expect(passed).toBeGreaterThan(20);
    });

    test("does not blame an older release, an hour or a worker when the newest passes are of a newer one", async () => {
      // Failures are spread over a whole day; the newest release runs in the last hour only and has 3000 passes there.
      const old = { release: "1", worker_name: "w-1" };
      await store(23 * 10, { state: "failure", ...old }, (index) => inHour((index % 23) - 12, Math.floor(index / 23)));
      await store(23 * 40, { state: "success", ...old }, (index) => inHour((index % 23) - 12, Math.floor(index / 23)));
      await store(3000, { state: "success", release: "2", worker_name: "w-2" }, (index) => inHour(11, index));
      const answer = await compare({ name: "app.mail" });
      expect(answer).toMatchObject({ failed: 230, passed: 920 + 83, sampled: true });
      expect(answer).toMatchObject({ attributes: [], releases: 2, release_overlap: false });
    });

    test("finds the failing release in the hours in which two releases ran", async () => {
      await store(12 * 40, { state: "success", release: "1" }, (index) =>
        inHour((index % 12) - 12, Math.floor(index / 12)),
      );
      // Two hours with both, then only the new one, with a fault of its own.
      await store(80, { state: "success", release: "1" }, (index) => inHour(index % 2, Math.floor(index / 2)));
      await store(20, { state: "success", release: "2" }, (index) => inHour(index % 2, Math.floor(index / 2) * 6));
      await store(40, { state: "failure", release: "2", fingerprint: print }, (index) =>
        inHour(index % 2, Math.floor(index / 2)),
      );
      await store(600, { state: "success", release: "2" }, (index) => inHour((index % 10) + 2, Math.floor(index / 10)));
      await store(50, { state: "failure", release: "2", fingerprint: print }, (index) =>
        inHour((index % 10) + 2, Math.floor(index / 10)),
      );
      for (const query of [{ name: "app.mail" }, { fingerprint: print }]) {
        const answer = await compare(query);
        expect(answer).toMatchObject({ failed: 90, passed: 1180, releases: 2, release_overlap: true });
        expect(answer.attributes).toEqual([{ field: "release", value: "2", failed_share: 1, passed_share: 0.2 }]);
      }
    });

    test("takes at most a 24th of a side from one hour, unless the span is two hours or less", async () => {
      const failed = { state: "failure", fingerprint: print } as const;
      await store(300, failed, (index) => inHour(9, index));
      await store(5, failed, (index) => inHour(4, index));
      await store(200, { state: "success" }, (index) => inHour(9, index));
      for (const query of [{ name: "app.mail" }, { fingerprint: print }]) {
        const day = await compare(query);
        expect(day).toMatchObject({ failed: 83 + 5, passed: 83, sampled: true, per_hour_cap: 83 });
        const hours = { since: ago(3 * 60).toISOString(), until: ago(60).toISOString() };
        const short = await compare({ ...query, ...hours });
        expect(short).toMatchObject({ failed: 300, passed: 200, sampled: false, per_hour_cap: 2000 });
      }
    });

    test("finds passed tasks behind many failed ones", async () => {
      await store(40, { state: "failure" }, () => ({ received_at: ago(1) }));
      await store(1, { state: "success", received_at: ago(1.5) });
      expect(await compare({ name: "app.mail" })).toMatchObject({ failed: 40, passed: 1, sampled: false });
    });

    if (dialect === "sqlite") {
      test("stops reading tasks at the deadline, with tasks from the whole range", async () => {
        const placed = (index: number) => ({ received_at: ago(index), queue: index < 600 ? "new" : "old" });
        await store(1200, { state: "failure" }, placed);
        await store(60, { state: "success", queue: "passed" });
        const { attributes, ...sizes } = await compare({ name: "app.mail" }, 0);
        expect(sizes).toMatchObject({ failed: 250, sampled: true });
        expect(sizes.passed).toBeGreaterThan(0);
        for (const queue of ["new", "old"]) {
          const share = attributes.find(({ value }) => value === queue)?.failed_share ?? 0;
          expect(Math.abs(share - 0.5)).toBeLessThan(0.05);
        }
        expect(await compare({ name: "app.mail" })).toMatchObject({ failed: 1200, passed: 60, sampled: false });
      });
    } else {
      test.each<DifferencesQuery>([{ name: "app.mail" }, { fingerprint: print }])(
        "stops when the failed tasks of %j cannot be found in time, and says so",
        async (query) => {
          await store(40, { state: "failure", fingerprint: print });
          await store(5, { state: "success" });
          const { database, close } = await stalledReads(opened);
          const answer = await readDifferences(database, { projectId, query, now, budgetMs: 60 }).finally(close);
          expect(answer).toMatchObject({ failed: 0, sampled: true, attributes: [] });
        },
      );
    }

    test("leaves out arguments that are too large to compare", async () => {
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
          readDifferences({ ...database, read, slow: read }, { projectId, query, now, budgetMs: 60_000, most: 50 }),
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
