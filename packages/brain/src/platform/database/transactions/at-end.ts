export interface Ending {
  readonly run: (items: readonly never[]) => Promise<void>;
  readonly items: unknown[];
}

/** Endings of the transactions that have several members. */
export const endings = new WeakMap<object, Map<string, Ending>>();

/**
 * Does something as the last thing of a transaction: at once where the transaction has one member, else at its end, once, with the items of
 * all members that did not fail, in their order.
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
