/** Starts jobs in order, at most `atOnce` at a time. */
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
