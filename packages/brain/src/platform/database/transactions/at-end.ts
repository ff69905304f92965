export interface Ending {
  readonly run: (items: readonly never[]) => Promise<void>;
  readonly items: unknown[];
}

/** Endings of the transactions that have several members. */
export const endings = new WeakMap<object, Map<string, Ending>>();

/**
 * Runs work at the end of a transaction: immediately if the transaction has one member, else once at its end, with the items of all
 * successful members in order.
 */
export async function atEnd<Item>(
  tx: object,
  name: string,
  items: readonly Item[],
  run: (items: readonly Item[]) => Promise<void>,
): Promise<void> {
  const ofTransaction = endings.get(tx);
  if (ofTransaction === undefined) return run(items);
  const known = ofTransaction.get(name);
  if (known !== undefined) known.items.push(...items);
  else ofTransaction.set(name, { run, items: [...items] });
}
