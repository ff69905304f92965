import { hours, minutes } from "../../../platform/durations.ts";
import { bucketStart, type TimeRange } from "../../stats/index.ts";

/** A task of a sample and the time by which it is sampled. */
export interface SampledPlace {
  readonly id: string;
  readonly name: string;
  readonly at: Date;
}

/** The newest tasks of a set in one part of a range. */
export interface PartSample {
  readonly tasks: readonly SampledPlace[];
  /** Whether these are all tasks of the set in the part. */
  readonly isWhole: boolean;
}

/** Reads at most `limit` tasks of each part. Null when the deadline was reached. */
export type ReadParts = (
  parts: readonly TimeRange[],
  limit: number,
  deadlineMs: number,
) => Promise<PartSample[] | null>;

export interface SampleLimits {
  readonly most: number;
  /** Tasks of one hour. */
  readonly perHour: number;
}

/** Tasks in no particular order. */
export interface TaskSample {
  readonly tasks: readonly SampledPlace[];
  /** Whether the set has no other tasks in the range. */
  readonly isWhole: boolean;
}

/** Tasks read at once, to read a small set completely. */
const fewTasks = 200;
/** Maximum number of rows that one statement returns, and of parts that it covers. */
const rowsPerStatement = 500;
const partsPerStatement = 60;

/**
 * A sample of a set of tasks, spread evenly over the hours of a range. The newest tasks alone would share one hour, one release and a few
 * workers, and a comparison would show these as what they have in common. So each part of the range contributes the same number; when most
 * parts have fewer, a second pass reads more from the others. Parts are visited in an order that covers the range at any time, because the
 * deadline can come after any of them.
 */
export async function sampleOf(
  read: ReadParts,
  range: TimeRange,
  { most, perHour, deadlineMs }: SampleLimits & { readonly deadlineMs: number },
): Promise<TaskSample> {
  const few = Math.min(most, fewTasks);
  const [whole] = (await read([range], few, shareOf(deadlineMs, 2))) ?? [];
  if (whole?.isWhole === true) {
    const tasks = withinHours(whole.tasks, perHour);
    return { tasks, isWhole: tasks.length === whole.tasks.length };
  }
  const parts = spread(partsOf(range));
  const found = new Map<TimeRange, PartSample>();

  async function visit(visited: readonly TimeRange[], limit: number, untilMs: number): Promise<void> {
    const size = Math.max(1, Math.min(partsPerStatement, Math.floor(rowsPerStatement / limit)));
    for (let start = 0; start < visited.length; start += size) {
      if (start > 0 && performance.now() >= untilMs) return;
      const some = visited.slice(start, start + size);
      const samples = await read(some, limit, untilMs);
      for (const [index, sample] of samples?.entries() ?? []) found.set(some[index] as TimeRange, sample);
    }
  }
  const tasks = () =>
    withinHours(
      [...found.values()].flatMap((part) => part.tasks),
      perHour,
    );

  const wanted = Math.min(most, perHour * hoursIn(range));
  const limit = Math.min(Math.ceil(wanted / parts.length), perHour);
  await visit(parts, limit, shareOf(deadlineMs, 2));
  const missing = wanted - tasks().length;
  const open = parts.filter((part) => found.get(part)?.isWhole === false);
  if (missing > wanted / 2 && open.length > 0 && performance.now() < deadlineMs) {
    await visit(open, Math.min(limit + Math.ceil(missing / open.length), perHour), deadlineMs);
  }
  const kept = spread(tasks()).slice(0, most);
  const total = [...found.values()].reduce((sum, part) => sum + part.tasks.length, 0);
  const isWhole = parts.every((part) => found.get(part)?.isWhole === true) && kept.length === total;
  return { tasks: kept, isWhole };
}

/** UTC hours that a range overlaps. */
const hoursIn = ({ from, to }: TimeRange): number =>
  1 + (bucketStart(to, hours(1)).getTime() - bucketStart(from, hours(1)).getTime()) / hours(1);

/**
 * Widths of parts: divisors of an hour, or a number of hours that does not divide a day: with parts of six or twelve hours, the newest tasks
 * would always be from the same times of day.
 */
const partWidths = [...[1, 2, 5, 10, 15, 30].map(minutes), ...[1, 5, 11].map(hours)];
const maxParts = 300;
/** Each part costs an index search, so an hour is divided into at most this many. */
const maxShortParts = 150;

/** Splits a range into at most 300 parts of equal width, except that the first and last may be shorter. Both ends of a part are inclusive. */
export function partsOf({ from, to }: TimeRange): TimeRange[] {
  const lengthMs = to.getTime() - from.getTime();
  const mostOf = (widthMs: number) => (widthMs < hours(1) ? maxShortParts : maxParts);
  const widthMs =
    partWidths.find((width) => lengthMs / width < mostOf(width) - 1) ?? Math.ceil(lengthMs / (maxParts - 2));
  const parts: TimeRange[] = [];
  for (let startMs = bucketStart(from, widthMs).getTime(); startMs <= to.getTime(); startMs += widthMs) {
    const endMs = Math.min(startMs + widthMs - 1, to.getTime());
    parts.push({ from: new Date(Math.max(startMs, from.getTime())), to: new Date(endMs) });
  }
  return parts;
}

/** Hour by hour, with at most `perHour` tasks of each UTC hour, spread over it. */
function withinHours(tasks: readonly SampledPlace[], perHour: number): SampledPlace[] {
  const byHour = Map.groupBy(inTimeOrder(tasks), ({ at }) => bucketStart(at, hours(1)).getTime());
  return [...byHour.values()].flatMap((some) => (some.length <= perHour ? some : spread(some).slice(0, perHour)));
}

/** Oldest first. */
export const inTimeOrder = (tasks: readonly SampledPlace[]): SampledPlace[] =>
  tasks.toSorted((a, b) => a.at.getTime() - b.at.getTime() || (a.id < b.id ? -1 : 1));

/** When the first of `parts` equal shares of the time until a deadline ends. */
export function shareOf(deadlineMs: number, parts: number): number {
  const nowMs = performance.now();
  return nowMs + (deadlineMs - nowMs) / parts;
}

/** The same elements in an order of which every prefix is spread evenly: each is a golden section after the previous one. */
export function spread<T>(elements: readonly T[]): T[] {
  const places = elements.map((element, index) => ({ element, at: (index * goldenSection) % 1 }));
  // The rank of an element's fraction in this sequence is when it is visited.
  const order = places.map(({ at }) => at).sort((a, b) => a - b);
  const byPlace = new Map(order.map((at, rank) => [at, elements[rank] as T]));
  return places.map(({ at }) => byPlace.get(at) as T);
}

const goldenSection = (Math.sqrt(5) - 1) / 2;
