import type { Pool } from "pg";
import { createPartitions, dayOf, listPartitions } from "./daily-partitions.ts";

/** Days created in advance, in addition to today. */
const daysAhead = 14;

/** Caches which daily partitions of a table exist, so that a batch queries the database only for a new day. */
export function createPartitionKeeper(pool: Pool, table: string) {
  let known: Promise<Set<number>> | null = null;

  async function ensure(days: readonly number[]): Promise<void> {
    known ??= listPartitions(pool, table).then((found) => new Set(found));
    const reading = known;
    try {
      const present = await reading;
      const missing = days.filter((day) => !present.has(day));
      if (missing.length === 0) return;
      await createPartitions(pool, table, missing);
      for (const day of missing) present.add(day);
    } catch (error) {
      if (known === reading) known = null;
      throw error;
    }
  }

  return {
    /** Makes sure that each day of these instants (in milliseconds, within retention) has a partition. */
    async ensureFor(instants: Iterable<number>) {
      const days = new Set<number>();
      for (const at of instants) days.add(dayOf(at));
      await ensure([...days]);
    },
    /** Creates the partitions of today and the next two weeks. */
    makeAhead(now: Date) {
      const today = dayOf(now.getTime());
      return ensure(Array.from({ length: daysAhead + 1 }, (_, index) => today + index));
    },
    /** Clears the cache, after another process dropped a partition. */
    forget() {
      known = null;
    },
  };
}

export type Partitions = ReturnType<typeof createPartitionKeeper>;
