import { days, hours } from "../../../platform/durations.ts";
import type { BrainDatabase } from "../../../schema/tables/index.ts";
import { bucketStart, countsOfName, hoursBegin, type TimeRange } from "../../stats/index.ts";

/** Ids of tasks that stand for a set of them. */
export interface TaskSample {
  readonly ids: readonly string[];
  /** Whether the set holds more. */
  readonly hasMore: boolean;
}

/** The newest tasks of a set in a range, both ends inclusive, `limit` at most, and as many as are found by the deadline. */
export type Newest = (range: TimeRange, limit: number, deadlineMs: number) => Promise<TaskSample>;

/** Longer ranges are parted by the day, shorter ones by the hour. */
const byHourMs = days(2);

/**
 * At most `most` tasks of a set. Of a larger one each hour or day gives as many as it has a share in all, as counted events of the kind
 * tell: the newest alone would all be of one hour, one release and a few workers, and that would look like what they have in common. So
 * would those of the newest hours, which is why the parts are visited all over the range: the time may end with any of them.
 */
export async function sampleOf(
  newest: Newest,
  range: TimeRange,
  { most, deadlineMs, weights }: { most: number; deadlineMs: number; weights: () => Promise<readonly Weight[]> },
): Promise<TaskSample> {
  const first = await newest(range, most, shareOf(deadlineMs, 2));
  if (!first.hasMore) return first;
  const parts = await weights();
  const quotas = quotasOf(
    most,
    parts.map(({ count }) => count),
  );
  const filled = parts.map((part, index) => ({ ...part, quota: quotas[index] ?? 0 })).filter(({ quota }) => quota > 0);
  const ids: string[] = [];
  for (const [place, { from, to, quota }] of spread(filled).entries()) {
    if (performance.now() >= deadlineMs) break;
    ids.push(...(await newest({ from, to }, quota, shareOf(deadlineMs, filled.length - place))).ids);
  }
  return ids.length === 0 ? first : { ids, hasMore: true };
}

/** When the first of so many equal parts of the time until a deadline ends. */
export function shareOf(deadlineMs: number, parts: number): number {
  const nowMs = performance.now();
  return nowMs + (deadlineMs - nowMs) / parts;
}

/** The same elements in an order of which every beginning is spread over all of them: each lies a golden section further on. */
export function spread<T>(elements: readonly T[]): T[] {
  const places = elements.map((element, index) => ({ element, at: (index * goldenSection) % 1 }));
  // An element's place among these fractions is where the sequence of them visits it.
  const order = places.map(({ at }) => at).sort((a, b) => a - b);
  const byPlace = new Map(order.map((at, rank) => [at, elements[rank] as T]));
  return places.map(({ at }) => byPlace.get(at) as T);
}

const goldenSection = (Math.sqrt(5) - 1) / 2;

/** A part of a range and how much of a set lies in it. */
export interface Weight extends TimeRange {
  readonly count: number;
}

/** The hours or days of a range with what events of a kind they hold, newest first; their ends are the range's own where they cross them. */
export async function weightsOf(
  db: BrainDatabase,
  of: { projectId: string; name: string; kind: string },
  { from, to }: TimeRange,
  now: Date,
): Promise<Weight[]> {
  const isByHour = to.getTime() - from.getTime() <= byHourMs && from >= hoursBegin(now);
  const widthMs = isByHour ? hours(1) : days(1);
  const rows = await countsOfName(db, of, isByHour ? 60 : 1440, { from: bucketStart(from, widthMs), to });
  return rows.map(({ bucket_at, count }) => {
    const endMs = Math.min(bucket_at.getTime() + widthMs - 1, to.getTime());
    return { from: bucket_at < from ? from : bucket_at, to: new Date(endMs), count };
  });
}

/** Whole shares of `most` in proportion to the counts; none when there is nothing to share by. */
export function quotasOf(most: number, counts: readonly number[]): number[] {
  const total = counts.reduce((sum, count) => sum + Math.max(0, count), 0);
  if (total === 0) return counts.map(() => 0);
  const exact = counts.map((count) => (most * Math.max(0, count)) / total);
  const quotas = exact.map(Math.floor);
  let left = most - quotas.reduce((sum, quota) => sum + quota, 0);
  const byRest = exact.map((share, index) => ({ index, rest: share % 1 })).sort((a, b) => b.rest - a.rest);
  for (const { index } of byRest) {
    if (left <= 0) break;
    quotas[index] = (quotas[index] ?? 0) + 1;
    left -= 1;
  }
  return quotas;
}
