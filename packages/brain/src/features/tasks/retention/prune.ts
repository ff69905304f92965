import { chunks } from "../../../platform/chunks.ts";
import type { BrainDatabase } from "../../../schema/tables/index.ts";
import { expiredTaskIds, lockExpired } from "./delete-store.ts";
import { removeTasks } from "./remove.ts";
import { deleteUnusedTerms, type TermPosition, unusedTerms } from "./terms-sqlite-store.ts";

/** Rows of one transaction: about a tenth of a second of the embedded database's writer, for which a batch of events may wait. */
const rowsPerTransaction = 1000;

export interface PruneOptions {
  /** Tasks whose newest event lies before this go. */
  readonly cutoff: Date;
  readonly limit: number;
  readonly signal: AbortSignal;
}

/**
 * Deletes one batch of expired tasks, with their links, what searches find them by, and their share of the counts by state.
 *
 * @returns how many were looked at and how many went; fewer looked at than `limit` means that nothing is left.
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

/** Alone in its transaction: beside the locks of other work, the order of its own would not keep it out of deadlocks. */
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

/** Deletes from the search dictionary of the embedded database what no task carries any more, and tells how many terms went. */
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
