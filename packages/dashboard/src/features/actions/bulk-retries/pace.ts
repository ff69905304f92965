/** The number of tasks with an outcome at a time in epoch milliseconds. */
export interface Sample {
  at: number;
  done: number;
}

/** The pace is measured over the last 30 s. */
const windowMs = 30_000;
const shortestMs = 2_000;

/** Adds a sample. Drops those before the window, except for the last of them. */
export function withSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  const last = samples.at(-1);
  // Data that was set without a read has no time.
  if (sample.at <= 0) return samples;
  if (last !== undefined && (last.at >= sample.at || last.done > sample.done)) return samples;
  const kept = [...samples, sample];
  const firstNew = kept.findIndex(({ at }) => at >= sample.at - windowMs);
  return kept.slice(Math.max(0, firstNew - 1));
}

/** Tasks per minute; null while there is too little data. */
export function paceOf(samples: readonly Sample[]): number | null {
  const first = samples[0];
  const last = samples.at(-1);
  if (first === undefined || last === undefined || last.at - first.at < shortestMs || last.done === first.done)
    return null;
  return ((last.done - first.done) / (last.at - first.at)) * 60_000;
}
