import { sql } from "kysely";
import type { NameRollupRow } from "../../schema/tables/index.ts";
import type { CounterTx } from "./fold-store.ts";
import { addStored, encodeHistogram, type Histogram } from "./histogram.ts";

export interface NameSum extends Omit<NameRollupRow, "run_histogram" | "wait_histogram"> {
  readonly run: Histogram;
  readonly wait: Histogram;
}

const rowsPerStatement = 200;

/** Adds to figures by name. Histograms are merged here, since neither database can; `lockCounters` keeps other writers away meanwhile. */
export async function addNameRollups(tx: CounterTx, sums: readonly NameSum[]): Promise<void> {
  for (let start = 0; start < sums.length; start += rowsPerStatement) {
    const some = sums.slice(start, start + rowsPerStatement);
    const present = await presentHistograms(tx, some);
    const rows = some.map(({ run, wait, ...rest }): NameRollupRow => {
      const known = present.get(keyOf(rest));
      if (known !== undefined) {
        addStored(run, known.run_histogram);
        addStored(wait, known.wait_histogram);
      }
      return { ...rest, run_histogram: encodeHistogram(run), wait_histogram: encodeHistogram(wait) };
    });
    await tx
      .insertInto("name_rollups")
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(["project_id", "grain_minutes", "name", "kind", "bucket_at"]).doUpdateSet({
          count: sql<number>`name_rollups.count + excluded.count`,
          run_ms_sum: sql<number>`name_rollups.run_ms_sum + excluded.run_ms_sum`,
          run_count: sql<number>`name_rollups.run_count + excluded.run_count`,
          run_histogram: sql<string | null>`coalesce(excluded.run_histogram, name_rollups.run_histogram)`,
          wait_histogram: sql<string | null>`coalesce(excluded.wait_histogram, name_rollups.wait_histogram)`,
        }),
      )
      .execute();
  }
}

type Key = Pick<NameRollupRow, "project_id" | "grain_minutes" | "name" | "kind" | "bucket_at">;

const keyOf = ({ project_id, grain_minutes, name, kind, bucket_at }: Key): string =>
  [project_id, grain_minutes, name, kind, bucket_at.getTime()].join("\0");

async function presentHistograms(tx: CounterTx, sums: readonly NameSum[]) {
  const present = new Map<string, Pick<NameRollupRow, "run_histogram" | "wait_histogram">>();
  const growing = sums.filter(({ run, wait }) => run.size > 0 || wait.size > 0);
  for (const [projectId, own] of Map.groupBy(growing, ({ project_id }) => project_id)) {
    const distinct = <Value>(of: (sum: NameSum) => Value) => [...new Set(own.map(of))];
    const rows = await tx
      .selectFrom("name_rollups")
      .select(["project_id", "grain_minutes", "name", "kind", "bucket_at", "run_histogram", "wait_histogram"])
      .where("project_id", "=", projectId)
      .where(
        "grain_minutes",
        "in",
        distinct(({ grain_minutes }) => grain_minutes),
      )
      .where(
        "name",
        "in",
        distinct(({ name }) => name),
      )
      .where(
        "kind",
        "in",
        distinct(({ kind }) => kind),
      )
      .where(
        "bucket_at",
        "in",
        distinct(({ bucket_at }) => bucket_at.getTime()).map((ms) => new Date(ms)),
      )
      .execute();
    for (const row of rows) present.set(keyOf(row), row);
  }
  return present;
}
