import { createFakeClock } from "@svc/testkit";
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeEach, describe, expect, test } from "vitest";
import type { RollupRow } from "../../schema/tables/index.ts";
import { foldCounters } from "./counters/fold-counters.ts";
import { deleteRollupsBefore, deleteWorkerRollupsBefore } from "./counters/prune-store.ts";
import { pruneRollups } from "./loops.ts";

const projectId = "11111111-2222-4333-8444-555555555555";
const now = new Date("2026-04-01T10:00:00.000Z");
const horizon = new Date("2026-01-01T00:00:00.000Z");
/** Retention counts back from a day before the newest row. */
const newest = new Date(now.getTime() + 86_400_000);
const hoursBefore = (hours: number) => new Date(horizon.getTime() - hours * 3_600_000);

const rollup = (given: Partial<RollupRow>): RollupRow => ({
  project_id: projectId,
  grain_minutes: 60,
  bucket_at: horizon,
  engine: "bullmq",
  name: "mail",
  queue: "q",
  kind: "task.sent",
  count: 1,
  run_ms_sum: 0,
  run_count: 0,
  run_histogram: null,
  wait_histogram: null,
  ...given,
});
const workerHour = (hourAt: Date) => ({
  project_id: projectId,
  engine: "bullmq",
  worker: "w",
  hour_at: hourAt,
  kind: "task.started",
  count: 1,
});

for (const dialect of testDialects) {
  describe(`retention of counters on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const clock = createFakeClock(now.toISOString());
    const { signal } = new AbortController();
    const tick = (given = signal) =>
      pruneRollups.tick({
        database: opened.database,
        clock,
        settings: { SVC_TASK_RETENTION_DAYS: 90 },
        signal: given,
      });
    const names = async () => {
      const rows = await opened.database.read.selectFrom("rollup_names").select("name").orderBy("name").execute();
      return rows.map(({ name }) => name);
    };

    beforeEach(() =>
      opened.database.write(async (tx) => {
        for (const table of ["rollups", "name_rollups", "worker_rollups", "rollup_names", "counter_deltas"] as const) {
          await tx.deleteFrom(table).execute();
        }
      }),
    );

    test("deletes hours, leftover minutes and worker hours before the oldest kept day, and no others", async () => {
      await opened.database.write(async (tx) => {
        await tx
          .insertInto("rollups")
          .values([
            rollup({ bucket_at: hoursBefore(1) }),
            rollup({ bucket_at: hoursBefore(1), grain_minutes: 1 }),
            rollup({ bucket_at: horizon }),
            rollup({ bucket_at: newest, grain_minutes: 1 }),
          ])
          .execute();
        await tx
          .insertInto("worker_rollups")
          .values([workerHour(hoursBefore(1)), workerHour(horizon), workerHour(newest)])
          .execute();
      });

      expect(await tick()).toEqual({ rollups: 2, workers: 1, names: 0, releases: 0 });

      const left = await opened.database.read.selectFrom("rollups").select("bucket_at").orderBy("bucket_at").execute();
      expect(left).toEqual([{ bucket_at: horizon }, { bucket_at: newest }]);
      const hours = await opened.database.read
        .selectFrom("worker_rollups")
        .select("hour_at")
        .orderBy("hour_at")
        .execute();
      expect(hours).toEqual([{ hour_at: horizon }, { hour_at: newest }]);
    });

    test("deletes figures by name of hours after eight days, and of days with the rest", async () => {
      const { engine: _engine, queue: _queue, ...row } = rollup({});
      const weekAgo = new Date(now.getTime() - 8 * 24 * 3_600_000);
      await opened.database.write((tx) =>
        tx
          .insertInto("name_rollups")
          .values([
            { ...row, bucket_at: new Date(weekAgo.getTime() - 3_600_000) },
            { ...row, bucket_at: weekAgo },
            { ...row, grain_minutes: 1440, bucket_at: hoursBefore(24) },
            { ...row, grain_minutes: 1440, bucket_at: horizon },
            { ...row, grain_minutes: 15, bucket_at: newest },
          ])
          .execute(),
      );

      expect(await tick()).toMatchObject({ rollups: 2 });

      const left = await opened.database.read
        .selectFrom("name_rollups")
        .select(["grain_minutes", "bucket_at"])
        .orderBy("grain_minutes")
        .execute();
      expect(left).toEqual([
        { grain_minutes: 15, bucket_at: newest },
        { grain_minutes: 60, bucket_at: weekAgo },
        { grain_minutes: 1440, bucket_at: horizon },
      ]);
    });

    test("deletes in batches, oldest first", async () => {
      await opened.database.write(async (tx) => {
        await tx
          .insertInto("rollups")
          .values([rollup({ bucket_at: hoursBefore(1) }), rollup({ bucket_at: hoursBefore(2) })])
          .execute();
        await tx
          .insertInto("worker_rollups")
          .values([workerHour(hoursBefore(1)), workerHour(hoursBefore(2))])
          .execute();
      });

      expect(await deleteRollupsBefore(opened.database, 60, horizon, 1)).toBe(1);
      expect(await deleteWorkerRollupsBefore(opened.database, horizon, 1)).toBe(1);

      const { read } = opened.database;
      expect(await read.selectFrom("rollups").select("bucket_at").execute()).toEqual([{ bucket_at: hoursBefore(1) }]);
      expect(await read.selectFrom("worker_rollups").select("hour_at").execute()).toEqual([
        { hour_at: hoursBefore(1) },
      ]);
    });

    test("deletes a name that was not counted since, and keeps one that is counted again", async () => {
      await opened.database.write(async (tx) => {
        await tx
          .insertInto("rollup_names")
          .values(["unused", "back"].map((name) => ({ project_id: projectId, name, seen_at: hoursBefore(49) })))
          .execute();
        const delta = { ...rollup({ name: "back", bucket_at: now }), counter: "rollup", worker: "" };
        const { grain_minutes: _grain, ...values } = delta;
        await tx
          .insertInto("counter_deltas")
          .values(values as never)
          .execute();
      });

      await foldCounters.tick({ database: opened.database, clock, signal });
      expect(await tick()).toMatchObject({ names: 1 });

      expect(await names()).toEqual(["back"]);
    });

    test("deletes nothing more once the process stops", async () => {
      await opened.database.write((tx) =>
        tx
          .insertInto("rollups")
          .values(rollup({ bucket_at: hoursBefore(1) }))
          .execute(),
      );
      expect(await tick(AbortSignal.abort())).toEqual({ rollups: 0, workers: 0, names: 0, releases: 0 });
    });
  });
}
