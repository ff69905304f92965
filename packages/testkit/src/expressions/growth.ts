/** Between linear cost, which grows about fourfold with four times the length, and quadratic cost, which grows sixteenfold. */
export const mostGrowth = 9;

const longest = 32_768;
/** The longer of the two texts that are compared; short ones first, so that exponential cost ends soon. */
const lengths = [512, 4_096, longest];
/** Below this, four times the length cannot have been expensive, and the clock says little. */
const clearMs = 4;
/** Enough for each text to meet a moment in which no garbage is collected. */
const rounds = 3;
/** Growth counts when this many measurements show it: code that is compiled between the long text and the short one makes linear cost look quadratic. */
const measurements = 5;

/**
 * How much more processor time four times the length takes, by the best of some rounds. Cost that is too small to be measured counts as
 * linear; a greater length is tried only where a quadratic cost would be large enough there. Cost that grows less over sixteen times the
 * length is linear as well: there the collection of garbage was measured.
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

/** At least what the processor takes, and quick to find out. */
function timeOf(run: (text: string) => unknown, text: string): number {
  const before = performance.now();
  run(text);
  return performance.now() - before;
}

/** What the processor takes, in milliseconds, however much else runs on the machine. */
function processorTimeOf(run: (text: string) => unknown, text: string): number {
  const before = processorMs();
  run(text);
  return processorMs() - before;
}

const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

function processorMs(): number {
  // The system counts a thread's time to the microsecond when the thread gives the processor away, and else every few milliseconds.
  Atomics.wait(never, 0, 0, 0.01);
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
