/** Between linear cost, which grows about fourfold with four times the length, and quadratic cost, which grows sixteenfold. */
export const mostGrowth = 9;

/** The longer of the two texts that are compared; short ones first, so that exponential cost ends soon. */
const lengths = [512, 4_096, 32_768];
/** Below this, four times the length cannot have been expensive, and the clock says little. */
const clearMs = 4;
/** Enough for both texts to meet a moment in which nothing else runs, however busy the machine is. */
const rounds = 40;

/**
 * How much more time four times the length takes, by the best of many rounds. Cost that is too small to be measured counts as linear. So
 * does cost that grows less over sixteen times the length: there the collection of garbage was measured.
 */
export function growthOf(run: (text: string) => unknown, textOf: (length: number) => string): number {
  for (const length of lengths) {
    const long = textOf(length);
    let longMs = timeOf(run, long);
    if (longMs < clearMs) continue;
    const [short, shortest] = [textOf(length / 4), textOf(length / 16)];
    let [shortMs, shortestMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    const isSteep = () => longMs >= mostGrowth * shortMs && longMs >= mostGrowth ** 2 * shortestMs;
    for (let round = 0; round < rounds && longMs >= clearMs; round += 1) {
      shortestMs = Math.min(shortestMs, timeOf(run, shortest));
      shortMs = Math.min(shortMs, timeOf(run, short));
      longMs = Math.min(longMs, timeOf(run, long));
      if (round >= 2 && !isSteep()) break;
      // Far beyond any doubt, and too slow to be asked again and again.
      if (round >= 2 && longMs >= 100 * clearMs) break;
    }
    if (longMs >= clearMs && isSteep()) return longMs / shortMs;
  }
  return 1;
}

function timeOf(run: (text: string) => unknown, text: string): number {
  const before = performance.now();
  run(text);
  return performance.now() - before;
}
