import { type RawBuilder, sql } from "kysely";
import { byDialect } from "./by-dialect.ts";

/**
 * Group commit on the server database. A transaction that holds a contended lock would keep it while its commit is flushed to disk, which
 * limits such commits to one per flush. Instead it commits without a flush, which releases the lock, and `write` answers its caller only
 * after a later flush, shared by all waiting callers, has covered it.
 *
 * The log has the order of the commits: a commit that builds on another one is never durable before it.
 */
const joined = new WeakSet<object>();

/** Makes `write` of this transaction wait for the shared flush; a statement of the transaction must select this expression. */
export function commitTogether(tx: object): RawBuilder<string> {
  joined.add(tx);
  return byDialect({ postgres: sql`set_config('synchronous_commit', 'off', true)`, sqlite: sql`''` });
}

export const commitsTogether = (tx: object): boolean => joined.has(tx);

/**
 * Callers that arrive during a flush share the next one, because the current one may have begun before their commit.
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
