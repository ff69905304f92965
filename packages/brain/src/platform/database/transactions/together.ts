import type { Database, Tx } from "../database.ts";

type Work<Schema, Result> = (tx: Tx<Schema>) => Promise<Result>;

interface Member<Schema> {
  readonly work: Work<Schema, unknown>;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Maximum writes per transaction, and concurrent transactions. */
const maxMembers = 64;
const maxTransactions = 4;

/**
 * Batches small writes that arrive in bursts, such as results of agents: concurrent writes share a transaction, and their statements are
 * sent together. If it fails, each write runs alone, so a write may run twice, the first time without effect. The writes of one
 * transaction run concurrently and must not depend on each other.
 */
export function createTogether<Schema>(database: Pick<Database<Schema>, "write">) {
  const waiting: Member<Schema>[] = [];
  let underWay = 0;
  let isCalled = false;

  async function runAlone({ work, resolve, reject }: Member<Schema>): Promise<void> {
    await database.write(work).then((value) => resolve(value as never), reject);
  }

  async function run(members: readonly Member<Schema>[]): Promise<void> {
    const [only] = members;
    if (only !== undefined && members.length === 1) return runAlone(only);
    const values = await database.write((tx) => runAll(members, tx)).catch(() => null);
    if (values === null) await Promise.all(members.map(runAlone));
    else for (const [index, { resolve }] of members.entries()) resolve(values[index] as never);
  }

  function begin(): void {
    isCalled = false;
    while (waiting.length > 0 && underWay < maxTransactions) {
      underWay += 1;
      void run(waiting.splice(0, maxMembers)).finally(() => {
        underWay -= 1;
        call();
      });
    }
  }

  /** The writes of one burst arrive within one turn of the event loop. */
  function call(): void {
    if (isCalled || waiting.length === 0) return;
    isCalled = true;
    setImmediate(begin);
  }

  return function together<Result>(work: Work<Schema, Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      waiting.push({ work, resolve: resolve as (value: never) => void, reject });
      call();
    });
  };
}

/** No write outlives the transaction: the error of a failed write is thrown when all have ended. */
async function runAll<Schema>(members: readonly Member<Schema>[], tx: Tx<Schema>): Promise<unknown[]> {
  const ended = await Promise.allSettled(members.map(({ work }) => work(tx)));
  return ended.map((each) => {
    if (each.status === "rejected") throw each.reason;
    return each.value;
  });
}
