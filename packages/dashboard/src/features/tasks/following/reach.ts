const hourMs = 3_600_000;
/** Short of the ninety days that the API looks at, so that a clock that is a little off is not refused. */
const furthestMs = 89 * 24 * hourMs;

interface Instants {
  since?: string | undefined;
  until?: string | undefined;
}

/**
 * The last part of a range that the API answers in one call; `lengthMs` is how much of a range without a beginning. What
 * is counted back moves by the hour, so that the answer is read once and not with every drawing.
 */
export function reachedRange({ since, until }: Instants, now: number, lengthMs: number): Instants & { since: string } {
  const endMs = until ? Date.parse(until) : now;
  const back = (ms: number) => Math.floor((endMs - ms) / hourMs) * hourMs;
  const fromMs = since ? Math.max(Date.parse(since), back(furthestMs)) : back(lengthMs);
  return { since: new Date(fromMs).toISOString(), ...(until && { until }) };
}
