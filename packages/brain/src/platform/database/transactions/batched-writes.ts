import type { Database, Tx } from "../database.ts";

type Work<Schema, Result> = (tx: Tx<Schema>) => Promise<Result>;

interface BatchedWrite<Schema> {
  readonly work: Work<Schema, unknown>;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Maximum writes per transaction, and concurrent transactions. */
const maxWrites = 64;
const maxTransactions = 4;

/**
 * Batches small writes that arrive in bursts, such as results of agents: concurrent writes share a transaction, and their statements are
 * sent together. If it fails, each write runs alone, so a write may run twice, the first time without effect. The writes of one
 * transaction run concurrently and must not depend on each other.
 */
export function createBatchedWrites<Schema>(database: Pick<Database<Schema>, "write">) {
  const waiting: BatchedWrite<Schema>[] = [];
  let running = 0;
  let isScheduled = false;

  async function runAlone({ work, resolve, reject }: BatchedWrite<Schema>): Promise<void> {
    await database.write(work).then((value) => resolve(value as never), reject);
  }

  async function run(writes: readonly BatchedWrite<Schema>[]): Promise<void> {
    const [only] = writes;
    if (only !== undefined && writes.length === 1) return runAlone(only);
    const values = await database.write((tx) => runAll(writes, tx)).catch(() => null);
    if (values === null) await Promise.all(writes.map(runAlone));
    else for (const [index, { resolve }] of writes.entries()) resolve(values[index] as never);
  }

  function begin(): void {
    isScheduled = false;
    while (waiting.length > 0 && running < maxTransactions) {
      running += 1;
      void run(waiting.splice(0, maxWrites)).finally(() => {
        running -= 1;
        schedule();
      });
    }
  }

  /** The writes of one burst arrive within one turn of the event loop. */
  function schedule(): void {
    if (isScheduled || waiting.length === 0) return;
    isScheduled = true;
    setImmediate(begin);
  }

  return function writeBatched<Result>(work: Work<Schema, Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      waiting.push({ work, resolve: resolve as (value: never) => void, reject });
      schedule();
    });
  };
}

/** No write outlives the transaction: the error of a failed write is thrown when all have ended. */
async function runAll<Schema>(writes: readonly BatchedWrite<Schema>[], tx: Tx<Schema>): Promise<unknown[]> {
  const ended = await Promise.allSettled(writes.map(({ work }) => work(tx)));
  return ended.map((each) => {
    if (each.status === "rejected") throw each.reason;
    return each.value;
  });
}
