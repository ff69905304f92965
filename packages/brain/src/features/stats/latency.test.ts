import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { plansOf } from "../../../test/query-plans.ts";
import { counterDelta } from "../../../test/rows/counter-rows.ts";
import type { CounterDeltaRow } from "../../schema/tables/index.ts";
import { addToHistogram, encodeHistogram, type Histogram } from "./counters/histogram.ts";
import { durationsByName, rollupDurations } from "./latency-reads.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
// A whole hour long ago: nothing in it changes while the tests run.
const hour = Math.floor(Date.now() / hourMs) * hourMs - 6 * hourMs;
/** The start of a day, so long ago that figures by name are kept only by day. */
const oldDay = Math.floor(Date.now() / dayMs) * dayMs - 20 * dayMs;

const textOf = (values: readonly number[]): string | null => {
  const histogram: Histogram = new Map();
  for (const value of values) addToHistogram(histogram, value);
  return encodeHistogram(histogram);
};

for (const dialect of testDialects) {
  describe(`latency on ${dialect}`, () => {
    let brain: TestBrain;
    const get = (path: string) => brain.as.viewer.get(`/projects/shop/${path}`);
    const between = (fromMs: number, toMs: number) =>
      `since=${new Date(fromMs).toISOString()}&until=${new Date(toMs).toISOString()}`;
    const near = (ms: number) => expect.toSatisfy((value: number) => Math.abs(value - ms) <= ms * 0.05);

    beforeAll(async () => {
      brain = await startTestBrain({ dialect });
      const change = (atMs: number, kind: string, ms: readonly number[], more: Partial<CounterDeltaRow> = {}) =>
        counterDelta({
          project_id: brain.project.id,
          bucket_at: new Date(atMs),
          kind,
          count: ms.length,
          run_ms_sum: kind === "task.started" ? 0 : ms.reduce((sum, value) => sum + value, 0),
          run_count: kind === "task.started" ? 0 : ms.length,
          run_histogram: kind === "task.started" ? null : textOf(ms),
          wait_histogram: textOf(ms),
          ...more,
        });
      const pdf = { name: "pdf", queue: "files" };
      await brain.running.brain.database.write((tx) =>
        tx
          .insertInto("counter_deltas")
          .values([
            change(hour, "task.succeeded", [...Array<number>(90).fill(100), ...Array<number>(8).fill(1000)]),
            change(hour + minuteMs, "task.failed", [30_000, 30_000]),
            change(hour + minuteMs, "task.started", [5, 5, 5]),
            // Also ended tasks, but without a run to measure.
            change(hour + minuteMs, "task.revoked", [999_999]),
            change(hour + 20 * minuteMs, "task.succeeded", [4000], pdf),
            change(hour + 20 * minuteMs, "task.retried", [8000], pdf),
            change(hour - 20 * minuteMs, "task.succeeded", [2000, 2000], pdf),
            change(hour - hourMs, "task.succeeded", [50], { name: "earlier" }),
            change(oldDay, "task.succeeded", [70_000], pdf),
          ])
          .execute(),
      );
      await brain.runLoop("stats.fold-counters");
    });
    afterAll(() => brain.stop());

    test("returns percentiles by bucket within 5 %, and null where nothing was measured", async () => {
      const { status, body } = await get(`latency?bucket=15m&${between(hour + 2 * minuteMs, hour + 46 * minuteMs)}`);
      expect(status).toBe(200);
      const mails = {
        run: { p50: near(100), p95: near(1000), p99: near(30_000), count: 100 },
        wait: { p50: near(5), p95: near(5), p99: near(5), count: 3 },
      };
      const empty = { run: null, wait: null };
      const at = (minutes: number) => new Date(hour + minutes * minuteMs).toISOString();
      expect(body).toEqual({
        bucket: "15m",
        total: { run: { ...mails.run, p95: near(1000), count: 102 }, wait: mails.wait },
        series: [
          { t: at(0), ...mails },
          { t: at(15), run: { p50: near(4000), p95: near(8000), p99: near(8000), count: 2 }, wait: null },
          { t: at(30), ...empty },
          { t: at(45), ...empty },
        ],
      });
    });

    test.each(["1m", "1h", "1d"])("counts the same values in buckets of %s", async (bucket) => {
      const { body } = await get(`latency?bucket=${bucket}&${between(hour, hour + hourMs)}`);
      expect(body.bucket).toBe(bucket);
      const counts = body.series.map(({ run }: { run: { count: number } | null }) => run?.count ?? 0);
      expect(counts.reduce((sum: number, count: number) => sum + count)).toBe(body.total.run.count);
      // A day also includes what came before the hour.
      if (bucket === "1d") expect(body.total.run.count).toBeGreaterThanOrEqual(102);
      else expect(body.total.run.count).toBe(102);
    });

    test.each([
      ["name=pdf", 2],
      ["queue=mails", 100],
      ["name=pdf&queue=files", 2],
      ["name=pdf&queue=mails", 0],
      ["name=", 102],
      ["name=nothing", 0],
      ["name=pdf&bucket=1h", 2],
      ["queue=files&bucket=1h", 2],
    ])("of %s holds %i runs", async (query, count) => {
      const { body } = await get(`latency?${query}&${between(hour, hour + hourMs)}`);
      expect(body.total.run?.count ?? 0).toBe(count);
    });

    test("without a range covers the last day, and like trends has at least hours when it starts long ago", async () => {
      const { body } = await get("latency");
      expect([body.bucket, [96, 97].includes(body.series.length)]).toEqual(["15m", true]);
      const old = (await get(`latency?bucket=15m&name=pdf&${between(oldDay, oldDay + 2 * hourMs)}`)).body;
      expect([old.bucket, old.series.length, old.total.run]).toEqual([
        "1h",
        2,
        { p50: near(70_000), p95: near(70_000), p99: near(70_000), count: 1 },
      ]);
      expect((await get(`latency?bucket=1d&${between(oldDay, oldDay + dayMs)}`)).body.total.run.count).toBe(1);
    });

    test.each(["bucket=2m", "since=soon", between(hour, hour), `bucket=1m&${between(hour - 3 * dayMs, hour)}`])(
      "answers 422 to %s",
      async (query) => {
        expect((await get(`latency?${query}`)).status).toBe(422);
      },
    );

    test("by name shows the slowest first, each with the preceding range", async () => {
      const { status, body } = await get(`latency/names?${between(hour, hour + hourMs)}`);
      expect(status).toBe(200);
      expect(body).toEqual({
        since: new Date(hour).toISOString(),
        until: new Date(hour + hourMs).toISOString(),
        previous_since: new Date(hour - hourMs).toISOString(),
        items: [
          {
            name: "pdf",
            run: { p50: near(4000), p95: near(8000), p99: near(8000), count: 2 },
            failed: 0,
            previous: { p50: near(2000), p95: near(2000), p99: near(2000), count: 2 },
          },
          {
            name: "mail",
            run: { p50: near(100), p95: near(1000), p99: near(30_000), count: 100 },
            failed: 2,
            previous: null,
          },
        ],
      });
      expect((await get(`latency/names?limit=1&${between(hour, hour + hourMs)}`)).body.items).toMatchObject([
        { name: "pdf" },
      ]);
    });

    test.each([
      ["hours", hour + 10 * minuteMs, hour + 2 * hourMs, hour, hour - 2 * hourMs, 2],
      ["days", oldDay + hourMs, oldDay + 4 * dayMs, oldDay, oldDay - 4 * dayMs, 1],
    ])("by name compares whole %s that do not overlap", async (_, fromMs, toMs, since, before, names) => {
      const { body } = await get(`latency/names?${between(fromMs, toMs)}`);
      expect([body.since, body.previous_since]).toEqual([
        new Date(since).toISOString(),
        new Date(before).toISOString(),
      ]);
      expect(body.items).toHaveLength(names);
    });

    test("is shown with the markers of releases, none when there are none", async () => {
      expect((await get("releases")).body).toEqual({ items: [] });
      expect((await get("releases?since=soon")).status).toBe(422);
    });

    test("is hidden from other users", async () => {
      for (const path of ["latency", "latency/names", "releases"]) {
        expect((await brain.as.stranger.get(`/projects/shop/${path}`)).status).toBe(404);
        expect((await brain.as.anonymous.get(`/projects/shop/${path}`)).status).toBe(401);
      }
    });

    test("is read through an index, whatever else a project counts", async () => {
      const { database } = brain.running.brain;
      const scope = { projectId: brain.project.id, kinds: ["task.failed", "task.started"] };
      const range = { from: new Date(hour), to: new Date(hour + hourMs), widthMs: hourMs };
      const plans = await Promise.all([
        plansOf(database, (db) => rollupDurations(db, scope, range)),
        plansOf(database, (db) => rollupDurations(db, { ...scope, name: "pdf" }, range)),
        plansOf(database, (db) => rollupDurations(db, { ...scope, queue: "files" }, range)),
        plansOf(database, (db) => rollupDurations(db, { ...scope, name: "pdf", queue: "files" }, range)),
        plansOf(database, (db) => durationsByName(db, 60, { ...scope, name: "pdf" }, range)),
      ]);
      for (const plan of plans) expect(plan).not.toMatch(/SCAN (name_)?rollups|Seq Scan on (name_)?rollups/);
      const [ofProject, ofName, ofQueue, ofBoth] = plans;
      for (const plan of [ofProject, ofQueue]) expect(plan).toMatch(/rollup_totals/);
      // PostgreSQL plans by its statistics, which show how few rows a name has.
      if (dialect === "sqlite") for (const plan of [ofName, ofBoth]) expect(plan).toMatch(/rollups_by_name/);
    });
  });
}
