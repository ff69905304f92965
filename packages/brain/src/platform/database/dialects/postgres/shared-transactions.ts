/**
 * Write transactions of one process on the server database. As long as a lane is free each has its own. When they come faster than lanes
 * get free, those that wait share the next transaction, each in a savepoint (as in the embedded database): a member that fails is undone
 * alone, and no caller is answered before the commit. Work that takes a lock which every transaction needs is done last, once for all of
 * them (`atEnd`).
 *
 * Sharing must not cause failures: members of a transaction that lost a deadlock run again alone, and so do all members when the work at
 * the end fails permanently. A member's work may therefore run twice, the first time without effect on the database.
 */
import { sql, type Transaction } from "kysely";
import { isLostLockRace, isTransient } from "../../errors.ts";
import { endings } from "../../transactions/at-end.ts";

type Work<Schema> = (tx: Transaction<Schema>) => Promise<unknown>;

interface Member<Schema> {
  readonly work: Work<Schema>;
  readonly alone: boolean;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export interface SharedTransactionLimits {
  /** Concurrent transactions; the rest of the pool is for reads. */
  readonly lanes: number;
  /** Maximum members of one transaction. */
  readonly maxMembers: number;
}

export const sharedTransactionLimits: SharedTransactionLimits = { lanes: 8, maxMembers: 16 };

/** @param begin opens one transaction, runs the given work in it and commits durably. */
export function createSharedTransactions<Schema>(
  begin: <T>(work: (tx: Transaction<Schema>) => Promise<T>) => Promise<T>,
  { lanes, maxMembers }: SharedTransactionLimits = sharedTransactionLimits,
) {
  const waiting: Member<Schema>[] = [];
  let busyLanes = 0;

  async function runGroup(members: readonly Member<Schema>[]): Promise<void> {
    const [only] = members;
    if (members.length === 1 && only !== undefined) return begin(only.work).then(only.resolve, only.reject);
    const outcomes: Outcome[] = [];
    let endingFault: unknown = null;
    try {
      await begin(async (tx) => {
        endings.set(tx, new Map());
        for (const member of members) outcomes.push(await runMember(tx, member.work));
        try {
          for (const { run, items } of endings.get(tx)?.values() ?? []) {
            // The members that requested it may have failed since.
            if (items.length > 0) await run(items as never[]);
          }
        } catch (error) {
          endingFault = error;
          throw error;
        }
      });
    } catch (error) {
      // Only what failed before the commit is known to be undone.
      if (error === endingFault && !isTransient(error)) return runEachAlone(members);
      for (const member of members) member.reject(error);
      return;
    }
    const again: Member<Schema>[] = [];
    for (const [index, member] of members.entries()) {
      const outcome = outcomes[index]!;
      if (!("error" in outcome)) member.resolve(outcome.value);
      else if (isLostLockRace(outcome.error)) again.push(member);
      else member.reject(outcome.error);
    }
    await runEachAlone(again);
  }

  async function runEachAlone(members: readonly Member<Schema>[]): Promise<void> {
    for (const member of members) await runGroup([member]);
  }

  function sizeOfNext(): number {
    const firstAlone = waiting.slice(0, maxMembers).findIndex(({ alone }) => alone);
    return firstAlone === -1 ? maxMembers : Math.max(1, firstAlone);
  }

  async function runLane(): Promise<void> {
    busyLanes += 1;
    try {
      while (waiting.length > 0) await runGroup(waiting.splice(0, sizeOfNext()));
    } finally {
      busyLanes -= 1;
    }
  }

  return <T>(work: (tx: Transaction<Schema>) => Promise<T>, { alone = false } = {}): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      waiting.push({ work, alone, resolve: resolve as (value: unknown) => void, reject });
      if (busyLanes < lanes) void runLane();
    });
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** One member in its savepoint. @throws when the transaction itself is lost */
async function runMember<Schema>(tx: Transaction<Schema>, work: Work<Schema>): Promise<Outcome> {
  const ofTransaction = endings.get(tx);
  const before = new Map([...(ofTransaction ?? [])].map(([name, { items }]) => [name, items.length]));
  await sql`SAVEPOINT member`.execute(tx);
  try {
    const value = await work(tx);
    await sql`RELEASE SAVEPOINT member`.execute(tx);
    return { value };
  } catch (error) {
    await sql`ROLLBACK TO SAVEPOINT member`.execute(tx);
    await sql`RELEASE SAVEPOINT member`.execute(tx);
    for (const [name, { items }] of ofTransaction ?? []) items.length = before.get(name) ?? 0;
    return { error };
  }
}
