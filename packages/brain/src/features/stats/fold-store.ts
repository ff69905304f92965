import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import { lockSubject } from "../../platform/database/dialects/locks.ts";
import { rowAddress } from "../../platform/database/dialects/row-address.ts";
import type { CounterDeltaRow, RollupRow, Tables, WorkerRollupRow } from "../../schema/tables/index.ts";
import { addStored, encodeHistogram, type Histogram } from "./histogram.ts";

export type CounterTx = Tx<Tables>;
export type TakenDelta = Omit<CounterDeltaRow, "seq">;
export type WorkerSum = WorkerRollupRow;

export interface RollupSum extends Omit<RollupRow, "run_histogram" | "wait_histogram"> {
  readonly run: Histogram;
  readonly wait: Histogram;
}

const rowsPerStatement = 200;

/**
 * Lets one transaction at a time merge counters, until it ends. A lease alone does not: each loop has its own, and a process may lose
 * it in the middle of a round.
 */
export const lockCounters = (tx: CounterTx): Promise<void> => lockSubject(tx, "counters");

const deltaColumns = [
  "project_id",
  "counter",
  "bucket_at",
  "engine",
  "name",
  "queue",
  "worker",
  "kind",
  "count",
  "run_ms_sum",
  "run_count",
  "run_histogram",
  "wait_histogram",
] as const;

/** Appends changes of task counts, for whoever writes task rows beside ingest: `by` rows more (fewer when negative) are in `state`. */
export async function appendStateDeltas(
  tx: CounterTx,
  changes: readonly { readonly projectId: string; readonly state: string; readonly by: number }[],
): Promise<void> {
  const rows = changes
    .filter(({ by }) => by !== 0)
    .map(({ projectId, state, by }) => ({
      project_id: projectId,
      counter: "state",
      bucket_at: null,
      engine: "",
      name: "",
      queue: "",
      worker: "",
      kind: state,
      count: by,
      run_ms_sum: 0,
      run_count: 0,
      run_histogram: null,
      wait_histogram: null,
    }));
  // seq is given by the database.
  if (rows.length > 0)
    await tx
      .insertInto("counter_deltas")
      .values(rows as unknown as CounterDeltaRow[])
      .execute();
}

/** Deletes the oldest changes and gives them. */
export async function takeDeltas(tx: CounterTx, limit: number): Promise<TakenDelta[]> {
  return tx
    .deleteFrom("counter_deltas")
    .where("seq", "in", (eb) => eb.selectFrom("counter_deltas").select("seq").orderBy("seq").limit(limit))
    .returning(deltaColumns)
    .execute();
}

/** Adds to rollups. Histograms are merged here, since neither database can; `lockCounters` keeps other writers away meanwhile. */
export async function addRollups(tx: CounterTx, sums: readonly RollupSum[]): Promise<void> {
  const present = await presentHistograms(tx, sums);
  const rows = sums.map(({ run, wait, ...rest }): RollupRow => {
    const known = present.get(rollupKey(rest));
    if (known !== undefined) {
      addStored(run, known.run_histogram);
      addStored(wait, known.wait_histogram);
    }
    return { ...rest, run_histogram: encodeHistogram(run), wait_histogram: encodeHistogram(wait) };
  });
  for (let start = 0; start < rows.length; start += rowsPerStatement) {
    await tx
      .insertInto("rollups")
      .values(rows.slice(start, start + rowsPerStatement))
      .onConflict((conflict) =>
        conflict.columns(["project_id", "bucket_at", "grain_minutes", "kind", "engine", "name", "queue"]).doUpdateSet({
          count: sql<number>`rollups.count + excluded.count`,
          run_ms_sum: sql<number>`rollups.run_ms_sum + excluded.run_ms_sum`,
          run_count: sql<number>`rollups.run_count + excluded.run_count`,
          run_histogram: sql<string | null>`coalesce(excluded.run_histogram, rollups.run_histogram)`,
          wait_histogram: sql<string | null>`coalesce(excluded.wait_histogram, rollups.wait_histogram)`,
        }),
      )
      .execute();
  }
}

type RollupKey = Pick<RollupRow, "project_id" | "bucket_at" | "grain_minutes" | "kind" | "engine" | "name" | "queue">;

const rollupKey = (row: RollupKey): string =>
  [row.project_id, row.bucket_at.getTime(), row.grain_minutes, row.kind, row.engine, row.name, row.queue].join("\0");

/** Present histograms of the buckets that are about to grow: they are few, the running minute and its like. */
async function presentHistograms(tx: CounterTx, sums: readonly RollupSum[]) {
  const present = new Map<string, Pick<RollupRow, "run_histogram" | "wait_histogram">>();
  const growing = sums.filter(({ run, wait }) => run.size > 0 || wait.size > 0);
  for (const [projectId, own] of Map.groupBy(growing, ({ project_id }) => project_id)) {
    const buckets = [...new Set(own.map(({ bucket_at }) => bucket_at.getTime()))];
    const kinds = [...new Set(own.map(({ kind }) => kind))];
    for (let start = 0; start < buckets.length; start += rowsPerStatement) {
      const some = buckets.slice(start, start + rowsPerStatement).map((ms) => new Date(ms));
      const rows = await tx
        .selectFrom("rollups")
        .select(["project_id", "bucket_at", "grain_minutes", "kind", "engine", "name", "queue"])
        .select(["run_histogram", "wait_histogram"])
        .where("project_id", "=", projectId)
        .where("bucket_at", "in", some)
        .where("kind", "in", kinds)
        .execute();
      for (const row of rows) present.set(rollupKey(row), row);
    }
  }
  return present;
}

export async function addWorkerCounts(tx: CounterTx, sums: readonly WorkerSum[]): Promise<void> {
  for (let start = 0; start < sums.length; start += rowsPerStatement) {
    await tx
      .insertInto("worker_rollups")
      .values(sums.slice(start, start + rowsPerStatement))
      .onConflict((conflict) =>
        conflict
          .columns(["project_id", "engine", "worker", "hour_at", "kind"])
          .doUpdateSet({ count: sql<number>`worker_rollups.count + excluded.count` }),
      )
      .execute();
  }
}

export async function addTaskCounts(
  tx: CounterTx,
  sums: readonly { project_id: string; state: string; count: number }[],
): Promise<void> {
  if (sums.length === 0) return;
  await tx
    .insertInto("task_counts")
    .values(sums)
    .onConflict((conflict) =>
      conflict.columns(["project_id", "state"]).doUpdateSet({ count: sql<number>`task_counts.count + excluded.count` }),
    )
    .execute();
}

/** The names that a project's rollups tell apart, with the day on which each was last counted, about. */
export async function knownNames(tx: CounterTx, projectId: string, limit: number): Promise<Map<string, Date>> {
  const rows = await tx
    .selectFrom("rollup_names")
    .select(["name", "seen_at"])
    .where("project_id", "=", projectId)
    .limit(limit)
    .execute();
  return new Map(rows.map(({ name, seen_at }) => [name, seen_at]));
}

export async function noteNames(
  tx: CounterTx,
  projectId: string,
  names: readonly string[],
  seenAt: Date,
): Promise<void> {
  for (let start = 0; start < names.length; start += rowsPerStatement) {
    await tx
      .insertInto("rollup_names")
      .values(
        names.slice(start, start + rowsPerStatement).map((name) => ({ project_id: projectId, name, seen_at: seenAt })),
      )
      .onConflict((conflict) => conflict.columns(["project_id", "name"]).doUpdateSet({ seen_at: seenAt }))
      .execute();
  }
}

/** Deletes at most `limit` of the oldest rollups by the minute that begin before `cutoff`, and gives them. */
export function takeOldMinutes(tx: CounterTx, cutoff: Date, limit: number): Promise<RollupRow[]> {
  return tx
    .deleteFrom("rollups")
    .where(rowAddress, "in", (eb) =>
      eb
        .selectFrom("rollups")
        .select(rowAddress.as("place"))
        .where("grain_minutes", "=", 1)
        .where("bucket_at", "<", cutoff)
        .orderBy("bucket_at")
        .limit(limit),
    )
    .returningAll()
    .execute();
}
