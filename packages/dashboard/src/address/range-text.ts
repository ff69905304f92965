// The time range of a project in the URL: `since` and `until`, each an age such as `-24h` or an instant. range-bounds.ts converts it to
// milliseconds; the hooks are in time-range.ts.

export interface AddressRange {
  since?: string;
  until?: string;
}

/** `-15m`, `-24h`, `-7d`: an amount and its unit. */
export const agePattern = /^-(\d{1,5})(m|h|d)$/;
const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
/** Converts an age to milliseconds; null for anything else. */
export function ageMsOf(text: string): number | null {
  const found = agePattern.exec(text);
  return found ? Number(found[1]) * unitMs[found[2] as keyof typeof unitMs] : null;
}

function isTimeText(value: unknown): value is string {
  if (typeof value !== "string") return false;
  return agePattern.test(value) || /^\d{4}-\d{2}-\d{2}/.test(value) ? !Number.isNaN(timeOf(value, 0)) : false;
}

/** Milliseconds since 1970 of an instant, or of an age relative to `now`. An instant without a zone is UTC. */
export function timeOf(text: string, now: number): number {
  const ageMs = ageMsOf(text);
  if (ageMs !== null) return now - ageMs;
  const hasZone = /(Z|[+-]\d{2}:?\d{2})$/i.test(text);
  return Date.parse(hasZone || !text.includes("T") ? text : `${text}Z`);
}

/** Drops invalid bounds, and a start that is not before the end or the current time. */
export function readRange(raw: Readonly<Record<string, unknown>>, now = Date.now()): AddressRange {
  const until = isTimeText(raw.until) ? raw.until : undefined;
  const endMs = until === undefined ? now : timeOf(until, now);
  return {
    ...(isTimeText(raw.since) && timeOf(raw.since, now) < endMs ? { since: raw.since } : {}),
    ...(until === undefined ? {} : { until }),
  };
}
