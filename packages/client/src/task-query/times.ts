import type { Moment } from "./language.ts";

const unitsMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
type Unit = keyof typeof unitsMs;

/** A hundred years. */
const longestMs = 36_525 * unitsMs.d;

export const durationRule = "must be a duration of whole milliseconds, such as 200ms, 1.5s, 10m, 2h or 7d";
export const momentRule = "must be a time such as 2026-11-01 or 2026-11-01T12:30Z, or a duration ago such as 2h";

/** Milliseconds of a duration with a unit, or of 0. Null for any other text. */
export function readDuration(text: string): number | null {
  if (text === "0") return 0;
  const found = /^([0-9]{1,13})(?:\.([0-9]{1,6}))?(ms|s|m|h|d)$/.exec(text);
  if (found === null) return null;
  const [, whole = "", fraction = "", unit = "ms"] = found;
  const unitMs = unitsMs[unit as Unit];
  const scale = 10 ** fraction.length;
  const parts = Number(whole) * scale + Number(fraction === "" ? 0 : fraction);
  const durationMs = (parts * unitMs) / scale;
  return Number.isSafeInteger(durationMs) && (parts * unitMs) % scale === 0 && durationMs <= longestMs
    ? durationMs
    : null;
}

/** A duration in the largest unit that gives a whole number. */
export function printDuration(durationMs: number): string {
  if (durationMs === 0) return "0";
  const unit = (["d", "h", "m", "s"] as const).find((name) => durationMs % unitsMs[name] === 0) ?? "ms";
  return `${durationMs / unitsMs[unit]}${unit}`;
}

const instantPattern =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[Tt]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?([Zz]|[+-][0-9]{2}:?[0-9]{2})?)?$/;

/** An RFC 3339 instant (default UTC, truncated to milliseconds), or a duration before now. Null for any other text. */
export function readMoment(text: string): Moment | null {
  const agoMs = readDuration(text);
  if (agoMs !== null) return { kind: "ago", agoMs };
  const found = instantPattern.exec(text);
  if (found === null) return null;
  const [, year, month, day, hour = "00", minute = "00", second = "00", fraction = "", zone = "Z"] = found;
  const offset = zone.length === 1 ? "Z" : zone.includes(":") ? zone : `${zone.slice(0, 3)}:${zone.slice(3)}`;
  const millis = fraction.slice(0, 3).padEnd(3, "0");
  const epochMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${millis}${offset}`);
  // Date turns February 30 into March 2 instead of refusing it.
  const isDay = Number(day) <= new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return Number.isNaN(epochMs) || epochMs < earliestMs || epochMs > latestMs || !isDay ? null : { kind: "at", epochMs };
}

const earliestMs = Date.parse("0000-01-01T00:00:00Z");
const latestMs = Date.parse("9999-12-31T23:59:59.999Z");

export const printMoment = (moment: Moment): string =>
  moment.kind === "ago" ? printDuration(moment.agoMs) : new Date(moment.epochMs).toISOString();
