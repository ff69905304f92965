import { type RawBuilder, sql } from "kysely";
import { byDialect } from "./by-dialect.ts";

/**
 * Commits that wait for the disk together, on the server database. A transaction that holds a lock which all others want would hold it
 * while its commit is written through to the disk, so that no more than one such commit fits into each write. It rather commits at once,
 * gives the lock on, and `write` answers its caller only when a later write-through, shared with all who wait by then, has covered it.
 *
 * The order of the log is the order of the commits: whatever was built on such a commit is not durable before it is.
 */
const joined = new WeakSet<object>();

/** Lets `write` of this transaction wait for the shared write-through; the statement that selects this expression must be part of it. */
export function commitTogether(tx: object): RawBuilder<string> {
  joined.add(tx);
  return byDialect({ postgres: sql`set_config('synchronous_commit', 'off', true)`, sqlite: sql`''` });
}

export const commitsTogether = (tx: object): boolean => joined.has(tx);

/**
 * Shares one write-through among all who ask while another is under way: that one may have begun before their commit, the next has not.
 *
 * @param writeThrough resolves when everything committed before it began is durable.
 */
export function createSharedFlush(writeThrough: () => Promise<unknown>): () => Promise<void> {
  let underWay: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | null = null;
  return () => {
    next ??= underWay.then(async () => {
      next = null;
      const flush = writeThrough();
      underWay = flush.catch(() => {});
      await flush;
    });
    return next;
  };
}
