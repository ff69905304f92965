import type { Pool } from "pg";
import { createPartitions, dayOf, listPartitions } from "./partitions-store.ts";

/** Days made ahead, today not counted. */
const daysAhead = 14;

/** The partitions of events as this process knows them, so that a batch asks the database only for a day it never saw. */
export function createPartitionKeeper(pool: Pool) {
  let known: Promise<Set<number>> | null = null;

  async function ensure(days: readonly number[]): Promise<void> {
    known ??= listPartitions(pool).then((found) => new Set(found));
    const reading = known;
    try {
      const present = await reading;
      const missing = days.filter((day) => !present.has(day));
      if (missing.length === 0) return;
      await createPartitions(pool, missing);
      for (const day of missing) present.add(day);
    } catch (error) {
      if (known === reading) known = null;
      throw error;
    }
  }

  return {
    /** Makes sure that every day of these instants (milliseconds, within retention) has its partition. */
    async ensureFor(instants: Iterable<number>) {
      const days = new Set<number>();
      for (const at of instants) days.add(dayOf(at));
      await ensure([...days]);
    },
    /** Makes today's partition and the next two weeks'. */
    makeAhead(now: Date) {
      const today = dayOf(now.getTime());
      return ensure(Array.from({ length: daysAhead + 1 }, (_, index) => today + index));
    },
    /** Looks again at what exists: another process has dropped something. */
    forget() {
      known = null;
    },
  };
}

export type Partitions = ReturnType<typeof createPartitionKeeper>;
