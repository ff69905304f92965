/** Starts works in their order, `atOnce` of them at a time; the next one when one has ended. */
export function startInTurn<T>(works: readonly (() => Promise<T>)[], atOnce: number): Promise<T>[] {
  const turns = works.map((work) => ({ work, ...Promise.withResolvers<T>() }));
  const waiting = turns.values();
  const takeTurns = async () => {
    for (const { work, promise, resolve } of waiting) {
      resolve(work());
      await promise.catch(() => {});
    }
  };
  for (let lane = 0; lane < atOnce; lane += 1) void takeTurns();
  return turns.map(({ promise }) => promise);
}
