/** Between linear cost (about 4 for four times the length) and quadratic cost (16). */
export const mostGrowth = 9;

const longest = 32_768;
/** The longer of the two compared texts; short ones first, so that exponential cost is detected early. */
const lengths = [512, 4_096, longest];
/** Below this time, four times the length cannot be expensive, and the clock is too coarse. */
const clearMs = 4;
/** Enough rounds for each text to run once without a garbage collection. */
const rounds = 3;
/** Growth counts after this many measurements show it: a compilation between the two texts can make linear cost appear quadratic. */
const measurements = 5;

/**
 * The ratio of processor time for four times the length, from the best of several rounds. Cost that is too small to measure counts as
 * linear; a greater length is tried only if a quadratic cost would be measurable there. Cost that grows less over sixteen times the length
 * is also linear: the measurement included garbage collection.
 */
export function growthOf(run: (text: string) => unknown, textOf: (length: number) => string): number {
  const leastMs = (text: string) => Math.min(...Array.from({ length: rounds }, () => processorTimeOf(run, text)));
  for (const length of lengths) {
    const long = textOf(length);
    const onceMs = timeOf(run, long);
    if (onceMs * (longest / length) ** 2 < clearMs) break;
    if (onceMs < clearMs) continue;
    const growthNow = () => {
      const longMs = leastMs(long);
      if (longMs < clearMs || longMs < mostGrowth ** 2 * leastMs(textOf(length / 16))) return 1;
      return longMs / leastMs(textOf(length / 4));
    };
    let growth = growthNow();
    for (let done = 1; done < measurements && growth >= mostGrowth; done += 1) growth = growthNow();
    if (growth >= mostGrowth) return growth;
  }
  return 1;
}

/** At least the processor time, and quick to measure. */
function timeOf(run: (text: string) => unknown, text: string): number {
  const before = performance.now();
  run(text);
  return performance.now() - before;
}

/** Processor time in milliseconds, independent of other load on the machine. */
function processorTimeOf(run: (text: string) => unknown, text: string): number {
  const before = processorMs();
  run(text);
  return processorMs() - before;
}

const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

function processorMs(): number {
  // The system updates a thread's time to the microsecond when the thread yields, otherwise only every few milliseconds.
  Atomics.wait(never, 0, 0, 0.01);
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
