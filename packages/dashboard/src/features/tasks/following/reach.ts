const hourMs = 3_600_000;
/** Less than the API's limit of 90 days, to allow for clock skew. */
const furthestMs = 89 * 24 * hourMs;

interface Instants {
  since?: string | undefined;
  until?: string | undefined;
}

/**
 * The last part of a range that one API call covers; `lengthMs` is the length for a range without a start. Computed starts
 * are rounded to the hour, so that the response is not fetched again on every render.
 */
export function reachedRange({ since, until }: Instants, now: number, lengthMs: number): Instants & { since: string } {
  const endMs = until ? Date.parse(until) : now;
  const back = (ms: number) => Math.floor((endMs - ms) / hourMs) * hourMs;
  const fromMs = since ? Math.max(Date.parse(since), back(furthestMs)) : back(lengthMs);
  return { since: new Date(fromMs).toISOString(), ...(until && { until }) };
}
