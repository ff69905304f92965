import { chunks } from "../../../platform/chunks.ts";
import type { BrainDatabase } from "../../../schema/tables/index.ts";
import { expiredTaskIds, lockExpired } from "./delete-store.ts";
import { removeTasks } from "./remove.ts";
import { deleteUnusedTerms, type TermPosition, unusedTerms } from "./terms-sqlite-store.ts";

/** Rows of one transaction: about 100 ms of SQLite's writer, during which a batch of events may wait. */
const rowsPerTransaction = 1000;

export interface PruneOptions {
  /** Tasks whose newest event is older than this are deleted. */
  readonly cutoff: Date;
  readonly limit: number;
  readonly signal: AbortSignal;
}

/**
 * Deletes one batch of expired tasks, with their links, search entries and counts by state.
 *
 * @returns the numbers of scanned and deleted tasks; fewer scanned than `limit` means that none is left.
 */
export async function pruneTaskBatch(
  database: BrainDatabase,
  { cutoff, limit, signal }: PruneOptions,
): Promise<{ seen: number; deleted: number }> {
  const ids = await expiredTaskIds(database, cutoff, limit);
  let deleted = 0;
  for (const some of chunks(ids, rowsPerTransaction)) {
    if (signal.aborted) break;
    deleted += await deleteExpired(database, some, cutoff);
  }
  return { seen: ids.length, deleted };
}

/** In its own transaction: its lock order prevents deadlocks only when no other work holds locks. */
const deleteExpired = (database: BrainDatabase, ids: readonly string[], cutoff: Date): Promise<number> =>
  database.write(
    async (tx) => {
      const expired = await lockExpired(tx, ids, cutoff);
      await removeTasks(tx, expired);
      return expired.length;
    },
    { alone: true },
  );

const termsPerPage = 1000;

/** Deletes unused terms from the search dictionary of SQLite, and returns how many. */
export async function pruneTerms(database: BrainDatabase, signal: AbortSignal): Promise<number> {
  if (database.dialect !== "sqlite") return 0;
  let deleted = 0;
  let after: TermPosition | null = null;
  while (!signal.aborted) {
    const { unused, next }: Awaited<ReturnType<typeof unusedTerms>> = await unusedTerms(database, after, termsPerPage);
    if (unused.length > 0) deleted += await deleteUnusedTerms(database, unused);
    if (next === null) break;
    after = next;
  }
  return deleted;
}
