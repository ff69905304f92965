import { futureToleranceMs } from "@svc/protocol";
import type { Database } from "../../platform/database/database.ts";
import { migratedAt } from "../../platform/database/migrate.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";
import { nextBucketStart } from "./time-range.ts";

const hourMs = 3_600_000;

/** The migration that brought rollups, and those since which more is summed up from them. */
const rollupsMade = "0003_tasks";
const totalsMade = { project: "0005_overview", queue: "0009_queue_totals" } as const;

/**
 * The hour from which the wide totals of projects (`name_rollups`), or the totals of queues, hold everything that rollups hold. That is
 * always so where both were there from the start. A database that was upgraded has older rollups by name alone, to which its totals hold
 * no more than what came late.
 */
export async function totalsBegin(database: BrainDatabase, of: keyof typeof totalsMade): Promise<Date> {
  const made = totalsMade[of];
  const appliedAt = await migratedAt(database as unknown as Database<unknown>, [rollupsMade, made]);
  const first = appliedAt.get(rollupsMade)?.getTime() ?? 0;
  const then = appliedAt.get(made)?.getTime() ?? 0;
  if (then <= first) return new Date(0);
  // A whole hour, because older rollups are kept by it. The clock of a machine with tasks may have been ahead.
  return nextBucketStart(new Date(then + futureToleranceMs), hourMs);
}
