import type { Database, Tx } from "../database.ts";

type Work<Schema, Result> = (tx: Tx<Schema>) => Promise<Result>;

interface Member<Schema> {
  readonly work: Work<Schema, unknown>;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Works of one transaction at most, and transactions at once. */
const maxMembers = 64;
const maxTransactions = 4;

/**
 * Small writes that come in bursts, as the results of agents do: those of one moment share a transaction, and their statements travel
 * together. When it fails, each runs alone, so that none suffers for another; a work may therefore run twice, the first time without effect.
 * The works of one transaction run beside each other: they must not depend on what another one of them does.
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

  /** What the same burst brings is there by the end of this turn of the event loop. */
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

/** None of them goes on after the transaction: what one of them fails with is thrown when all have ended. */
async function runAll<Schema>(members: readonly Member<Schema>[], tx: Tx<Schema>): Promise<unknown[]> {
  const ended = await Promise.allSettled(members.map(({ work }) => work(tx)));
  return ended.map((each) => {
    if (each.status === "rejected") throw each.reason;
    return each.value;
  });
}
