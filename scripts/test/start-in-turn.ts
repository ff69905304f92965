/** Starts works in their order, `atOnce` of them at a time; the next one when one has ended. */
export function startInTurn<T>(works: readonly (() => Promise<T>)[], atOnce: number): Promise<T>[] {
  let places = atOnce;
  const waiting: (() => void)[] = [];
  const place = () => {
    if (places === 0) return new Promise<void>((resolve) => waiting.push(resolve));
    places -= 1;
    return Promise.resolve();
  };
  return works.map(async (work) => {
    await place();
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) places += 1;
      else next();
    }
  });
}
