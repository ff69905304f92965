import { plural } from "@svc/client";
import { duration } from "../../../ui/time/format.ts";
import { minuteText } from "../../../ui/time/instants.ts";
import { type FireGroup, type FireMark, fireStyle } from "./fire-status.ts";

/** What the strip needs of a fire. */
export interface StripFire {
  fire_id: string;
  status: string;
  /** Its slot. */
  scheduled_for: string;
  fired_at: string;
  latency_ms?: number | null;
  error_code?: string | null;
}

/** A cell of the strip: a fire, or a slot without one. */
export interface Cell {
  /** The slot, in milliseconds since 1970. */
  slotMs: number;
  /** Null for a missed slot. */
  fire: StripFire | null;
}

const stripLength = 20;

/** The newest fires and missed slots by slot, oldest first. A slot that was fired after all is not missed. */
export function stripCells(
  fires: readonly StripFire[],
  missedSlots: readonly string[] = [],
  maximum = stripLength,
): Cell[] {
  const fired = fires.map((fire): Cell => ({ slotMs: Date.parse(fire.scheduled_for), fire }));
  const taken = new Set(fired.map(({ slotMs }) => slotMs));
  const oldest = fired.length < maximum ? Number.NEGATIVE_INFINITY : Math.min(...taken);
  const missed = [...new Set(missedSlots.map((slot) => Date.parse(slot)))]
    .filter((slotMs) => slotMs > oldest && !taken.has(slotMs))
    .map((slotMs): Cell => ({ slotMs, fire: null }));
  return [...fired, ...missed].sort((a, b) => a.slotMs - b.slotMs).slice(-maximum);
}

/** The upper bounds of the latency buckets, in milliseconds: below 0.1 s, 1 s, 10 s, a minute, and longer. */
const bucketEnds = [100, 1_000, 10_000, 60_000];
const bucketPx = [8, 11, 14, 17, 20];
/** The height of a fire without a latency. */
const unknownPx = 14;

export const cellPx = 10;
export const stripPx = 24;
const barPx = 8;
const basePx = 22;

/** The bar's height in pixels, by the bucket of its latency. */
export function barHeight({ latency_ms }: Pick<StripFire, "latency_ms">): number {
  if (latency_ms === null || latency_ms === undefined) return unknownPx;
  const bucket = bucketEnds.findIndex((end) => latency_ms < end);
  return bucketPx[bucket === -1 ? bucketEnds.length : bucket] ?? unknownPx;
}

const markPaths: Record<FireMark, string> = {
  none: "",
  cross: "m2 -6 4 4m0 -4 -4 4",
  arrow: "m2 -3 2 -2 2 2",
  waiting: "m2 -5h4m-4 3h4",
  stale: "m2 -2 4 -4",
  expired: "m2 -6 4 4",
  dash: "m1 -8h6",
};

export type StripTone = FireGroup | "missed";

export interface StripPath {
  tone: StripTone;
  d: string;
}

/** One path for the bars of each tone, and one for all marks in the bars of that tone: few elements, however many rows a list has. */
export function stripPaths(cells: readonly Cell[]): { bars: StripPath[]; marks: StripPath[] } {
  const bars = new Map<StripTone, string>();
  const marks = new Map<StripTone, string>();
  const add = (to: Map<StripTone, string>, tone: StripTone, d: string) => to.set(tone, (to.get(tone) ?? "") + d);
  for (const [at, { fire }] of cells.entries()) {
    const x = at * cellPx;
    if (fire === null) {
      add(bars, "missed", `M${x + 0.5} ${basePx - 13.5}h${barPx - 1}v13h${1 - barPx}z`);
      continue;
    }
    const { group, mark } = fireStyle(fire.status);
    if (group !== "skipped") {
      const height = barHeight(fire);
      add(bars, group, `M${x} ${basePx - height}h${barPx}v${height}h${-barPx}z`);
    }
    if (mark !== "none") add(marks, group, `M${x} ${basePx}${markPaths[mark]}`);
  }
  const listed = (paths: Map<StripTone, string>) => [...paths].map(([tone, d]) => ({ tone, d }));
  return { bars: listed(bars), marks: listed(marks) };
}

/** `15 done, 3 failed, 2 missed` */
export function stripCounts(cells: readonly Cell[]): string {
  const counts = new Map<string, number>();
  for (const { fire } of cells) {
    const group = fire === null ? "missed" : fireStyle(fire.status).group;
    counts.set(group, (counts.get(group) ?? 0) + 1);
  }
  return [...counts].map(([group, amount]) => `${amount} ${group}`).join(", ");
}

/** `20 slots, oldest first: 15 done, 3 failed, 2 missed` */
export const stripSummary = (cells: readonly Cell[]): string =>
  `${plural(cells.length, "slot")}, oldest first: ${stripCounts(cells)}`;

/** The text of a cell's tooltip, in lines: planned, status, fired, latency and error code. */
export function cellText({ slotMs, fire }: Cell, zone: string): string {
  const planned = `Planned ${minuteText(slotMs, zone)} ${zone}`;
  if (fire === null) return `${planned}\nMissed: not fired`;
  const { latency_ms, error_code } = fire;
  return [
    planned,
    fireStyle(fire.status).label,
    `Fired ${minuteText(Date.parse(fire.fired_at), zone)}`,
    ...(latency_ms === null || latency_ms === undefined ? [] : [`Latency ${duration(latency_ms)}`]),
    ...(error_code ? [`Error ${error_code}`] : []),
  ].join("\n");
}

/** The latency that 95 of 100 fires stay within, in milliseconds; null without measured fires. */
export function p95Of(fires: readonly Pick<StripFire, "latency_ms">[]): number | null {
  const known = fires.flatMap(({ latency_ms }) => latency_ms ?? []).sort((a, b) => a - b);
  return known[Math.ceil(known.length * 0.95) - 1] ?? null;
}
