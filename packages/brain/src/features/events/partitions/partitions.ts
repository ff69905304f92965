import type { Pool } from "pg";
import { createPartitions, dayOf, listPartitions } from "./partitions-store.ts";

/** Days made ahead, today not counted. */
const daysAhead = 14;

export interface Partitions {
  /** Makes sure that every day of these instants (milliseconds, within retention) has its partition. */
  ensureFor(instants: Iterable<number>): Promise<void>;
  /** Makes today's partition and the next two weeks'. */
  makeAhead(now: Date): Promise<void>;
  /** Looks again at what exists: another process has dropped something. */
  forget(): void;
}

/** The partitions of events as this process knows them, so that a batch asks the database only for a day it never saw. */
export function createPartitionKeeper(pool: Pool): Partitions {
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
    async ensureFor(instants) {
      const days = new Set<number>();
      for (const at of instants) days.add(dayOf(at));
      await ensure([...days]);
    },
    makeAhead(now) {
      const today = dayOf(now.getTime());
      return ensure(Array.from({ length: daysAhead + 1 }, (_, index) => today + index));
    },
    forget() {
      known = null;
    },
  };
}
