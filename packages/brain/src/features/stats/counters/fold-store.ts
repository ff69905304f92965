import { sql } from "kysely";
import { chunks } from "../../../platform/chunks.ts";
import type { Tx } from "../../../platform/database/database.ts";
import { rowAddress } from "../../../platform/database/dialects/expressions/row-address.ts";
import { lockSubject } from "../../../platform/database/dialects/locks.ts";
import type {
  CounterDeltaRow,
  NameRollupRow,
  RollupRow,
  Tables,
  WorkerRollupRow,
} from "../../../schema/tables/index.ts";
import { emptyRow } from "./deltas.ts";
import { addStored, encodeHistogram, type Histogram } from "./histogram.ts";

export type CounterTx = Tx<Tables>;
export type TakenDelta = Omit<CounterDeltaRow, "seq">;
export type WorkerSum = WorkerRollupRow;

export interface RollupSum extends Omit<RollupRow, keyof StoredHistograms>, Histograms {}

const rowsPerStatement = 200;

/**
 * Allows one transaction at a time to merge counters, until it ends. A lease is not enough: each loop has its own, and a process may lose it
 * during a round.
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

/** Appends changes of task counts for code that writes task rows outside ingest: `by` more rows (fewer when negative) are in `state`. */
export async function appendStateDeltas(
  tx: CounterTx,
  changes: readonly { readonly projectId: string; readonly state: string; readonly by: number }[],
): Promise<void> {
  const rows = changes
    .filter(({ by }) => by !== 0)
    .map(({ projectId, state, by }) => ({
      ...emptyRow,
      project_id: projectId,
      counter: "state",
      kind: state,
      count: by,
    }));
  // The database assigns seq.
  if (rows.length > 0)
    await tx
      .insertInto("counter_deltas")
      .values(rows as unknown as CounterDeltaRow[])
      .execute();
}

/** Deletes the oldest changes and returns them. */
export async function takeDeltas(tx: CounterTx, limit: number): Promise<TakenDelta[]> {
  return tx
    .deleteFrom("counter_deltas")
    .where("seq", "in", (eb) => eb.selectFrom("counter_deltas").select("seq").orderBy("seq").limit(limit))
    .returning(deltaColumns)
    .execute();
}

interface Histograms {
  readonly run: Histogram;
  readonly wait: Histogram;
}
type StoredHistograms = Pick<RollupRow, "run_histogram" | "wait_histogram">;

/** A sum as a row, with the stored histograms that it will replace, merged into its own. */
function withStored<Sum extends Histograms>({ run, wait, ...rest }: Sum, stored: StoredHistograms | undefined) {
  addStored(run, stored?.run_histogram ?? null);
  addStored(wait, stored?.wait_histogram ?? null);
  return { ...rest, run_histogram: encodeHistogram(run), wait_histogram: encodeHistogram(wait) };
}

/** How a row updates the stored one: sums of both, and its own histograms, which include the stored ones already. */
const addedTo = (table: "rollups" | "name_rollups") => {
  const sum = (column: string) => sql<number>`${sql.ref(`${table}.${column}`)} + ${sql.ref(`excluded.${column}`)}`;
  const either = (column: string) =>
    sql<string | null>`coalesce(${sql.ref(`excluded.${column}`)}, ${sql.ref(`${table}.${column}`)})`;
  return {
    count: sum("count"),
    run_ms_sum: sum("run_ms_sum"),
    run_count: sum("run_count"),
    run_histogram: either("run_histogram"),
    wait_histogram: either("wait_histogram"),
  };
};

/** Adds to rollups. Histograms are merged here, because neither database can; `lockCounters` keeps other writers out. */
export async function addRollups(tx: CounterTx, sums: readonly RollupSum[]): Promise<void> {
  const present = await presentHistograms(tx, sums);
  const rows = sums.map((sum): RollupRow => withStored(sum, present.get(rollupKey(sum))));
  for (const some of chunks(rows, rowsPerStatement)) {
    await tx
      .insertInto("rollups")
      .values(some)
      .onConflict((conflict) =>
        conflict
          .columns(["project_id", "bucket_at", "grain_minutes", "kind", "engine", "name", "queue"])
          .doUpdateSet(addedTo("rollups")),
      )
      .execute();
  }
}

type RollupKey = Pick<RollupRow, "project_id" | "bucket_at" | "grain_minutes" | "kind" | "engine" | "name" | "queue">;

const rollupKey = (row: RollupKey): string =>
  [row.project_id, row.bucket_at.getTime(), row.grain_minutes, row.kind, row.engine, row.name, row.queue].join("\0");

/** Stored histograms of the buckets that are about to grow; there are few, such as the current minute. */
async function presentHistograms(tx: CounterTx, sums: readonly RollupSum[]) {
  const present = new Map<string, StoredHistograms>();
  const growing = sums.filter(({ run, wait }) => run.size > 0 || wait.size > 0);
  for (const [projectId, own] of Map.groupBy(growing, ({ project_id }) => project_id)) {
    const buckets = [...new Set(own.map(({ bucket_at }) => bucket_at.getTime()))];
    const kinds = [...new Set(own.map(({ kind }) => kind))];
    for (const starts of chunks(buckets, rowsPerStatement)) {
      const some = starts.map((ms) => new Date(ms));
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
  for (const some of chunks(sums, rowsPerStatement)) {
    await tx
      .insertInto("worker_rollups")
      .values(some)
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

/** The names in a project's rollups, with the approximate day on which each was last counted. */
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
  for (const some of chunks(names, rowsPerStatement)) {
    await tx
      .insertInto("rollup_names")
      .values(some.map((name) => ({ project_id: projectId, name, seen_at: seenAt })))
      .onConflict((conflict) => conflict.columns(["project_id", "name"]).doUpdateSet({ seen_at: seenAt }))
      .execute();
  }
}

/** Deletes at most `limit` of the oldest rollups by the minute that start before `cutoff`, and returns them. */
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

export interface NameSum extends Omit<NameRollupRow, keyof StoredHistograms>, Histograms {}

/** Adds to figures by name. Histograms are merged here, because neither database can; `lockCounters` keeps other writers out. */
export async function addNameRollups(tx: CounterTx, sums: readonly NameSum[]): Promise<void> {
  for (const some of chunks(sums, rowsPerStatement)) {
    const present = await presentNameHistograms(tx, some);
    const rows = some.map((sum): NameRollupRow => withStored(sum, present.get(nameKey(sum))));
    await tx
      .insertInto("name_rollups")
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .columns(["project_id", "grain_minutes", "name", "kind", "bucket_at"])
          .doUpdateSet(addedTo("name_rollups")),
      )
      .execute();
  }
}

type NameRollupKey = Pick<NameRollupRow, "project_id" | "grain_minutes" | "name" | "kind" | "bucket_at">;

const nameKey = ({ project_id, grain_minutes, name, kind, bucket_at }: NameRollupKey): string =>
  [project_id, grain_minutes, name, kind, bucket_at.getTime()].join("\0");

async function presentNameHistograms(tx: CounterTx, sums: readonly NameSum[]) {
  const present = new Map<string, StoredHistograms>();
  const growing = sums.filter(({ run, wait }) => run.size > 0 || wait.size > 0);
  for (const [projectId, own] of Map.groupBy(growing, ({ project_id }) => project_id)) {
    const distinct = <Value>(of: (sum: NameSum) => Value) => [...new Set(own.map(of))];
    const grains = distinct(({ grain_minutes }) => grain_minutes);
    const names = distinct(({ name }) => name);
    const kinds = distinct(({ kind }) => kind);
    const buckets = distinct(({ bucket_at }) => bucket_at.getTime()).map((ms) => new Date(ms));
    const rows = await tx
      .selectFrom("name_rollups")
      .select(["project_id", "grain_minutes", "name", "kind", "bucket_at", "run_histogram", "wait_histogram"])
      .where("project_id", "=", projectId)
      .where("grain_minutes", "in", grains)
      .where("name", "in", names)
      .where("kind", "in", kinds)
      .where("bucket_at", "in", buckets)
      .execute();
    for (const row of rows) present.set(nameKey(row), row);
  }
  return present;
}
