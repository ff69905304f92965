/** How many tasks had their outcome at a moment, epoch milliseconds. */
export interface Sample {
  at: number;
  done: number;
}

/** The pace is that of the last half minute. */
const windowMs = 30_000;
const shortestMs = 2_000;

/** With one sample more; those that are too old go, all but the last of them. */
export function withSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  const last = samples.at(-1);
  // What was put there without a reading has no time.
  if (sample.at <= 0) return samples;
  if (last !== undefined && (last.at >= sample.at || last.done > sample.done)) return samples;
  const kept = [...samples, sample];
  const firstNew = kept.findIndex(({ at }) => at >= sample.at - windowMs);
  return kept.slice(Math.max(0, firstNew - 1));
}

/** Tasks a minute; null while that cannot be told. */
export function paceOf(samples: readonly Sample[]): number | null {
  const first = samples[0];
  const last = samples.at(-1);
  if (first === undefined || last === undefined || last.at - first.at < shortestMs || last.done === first.done)
    return null;
  return ((last.done - first.done) / (last.at - first.at)) * 60_000;
}
