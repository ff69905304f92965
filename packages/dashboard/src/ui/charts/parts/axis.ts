import { count } from "../../time/format.ts";
import { fullText, shortClockText, zoneOffsetMs } from "../../time/instants.ts";
import { timeTicks } from "./scales.ts";

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const days = new Map<string, Intl.DateTimeFormat>();

/** `20 Nov` */
function dayText(at: number, zone: string): string {
  const known = days.get(zone) ?? new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: zone });
  days.set(zone, known);
  return known.format(at);
}

export interface TimeLabel {
  readonly atMs: number;
  readonly text: string;
}

/** Labels at round times of the zone's clock: hours, or days where the range is longer than one. */
export function timeLabels(range: { fromMs: number; toMs: number }, atMost: number, zone: string): TimeLabel[] {
  const { at, stepMs } = timeTicks(range, atMost, (one) => zoneOffsetMs(one, zone));
  const isLong = range.toMs - range.fromMs > 26 * hourMs;
  return at.map((atMs) => {
    const clock = shortClockText(atMs, zone);
    return { atMs, text: stepMs >= dayMs || (isLong && clock === "00:00") ? dayText(atMs, zone) : clock };
  });
}

/** A decade of a latency axis: `100 ms`, `10 s`, `1,000 s`. */
export function decadeText(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${count(ms / 1000)} s`;
}

/** A duration in one unit, for a line label: `480 ms`, `4.8 s`, `30 s`, `3.9 min`, `2.5 h`. */
export function shortDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < minuteMs) return `${short(ms / 1000)} s`;
  if (ms < hourMs) return `${short(ms / minuteMs)} min`;
  return `${short(ms / hourMs)} h`;
}

// Truncated, not rounded: 59.9 s must not be shown as 60 s.
function short(value: number): string {
  return value < 10 ? (Math.trunc(value * 10) / 10).toFixed(1) : String(Math.trunc(value));
}

/** `2026-11-20 15:00 to 15:15`; with a second date if the end is a day or more later. */
export function bucketText(fromMs: number, toMs: number, zone: string): string {
  const from = fullText(fromMs, zone).slice(0, 16);
  const to = fullText(toMs, zone).slice(0, 16);
  return `${from} to ${toMs - fromMs < dayMs ? to.slice(11) : to}`;
}

/** The width of a bucket as text: `15 min`, `1 h`, `1 d`. */
export function widthText(widthMs: number): string {
  if (widthMs % dayMs === 0) return `${widthMs / dayMs} d`;
  if (widthMs % hourMs === 0) return `${widthMs / hourMs} h`;
  return `${Math.round(widthMs / minuteMs)} min`;
}
