import type { Queue, QueueActivities, QueueActivity } from "@svc/client";
import { instant } from "../../ui/time/instants.ts";

/** Tasks that wait longer than this count as a long wait. */
export const longWaitMs = 5 * 60_000;
/** A report older than this is stale. */
export const staleMs = 2 * 60_000;

export type Trouble = "stuck" | "long wait" | "growing" | null;

/** Whether an agent reported that the queue has no consumers. A count of 0 without a report means nothing. */
export function hasNoConsumer(queue: Queue): boolean {
  return (
    queue.consumer_count === 0 && queue.consumers_reported_at !== null && queue.consumers_reported_at !== undefined
  );
}

/** The most serious problem of a queue. */
export function troubleOf(queue: Queue, activity: QueueActivity | undefined, now: number): Trouble {
  if (queue.pending_count > 0 && hasNoConsumer(queue)) return "stuck";
  if (queue.pending_count > 0 && now - instant(queue.oldest_waiting_since) > longWaitMs) return "long wait";
  if (activity !== undefined && isGrowing(activity)) return "growing";
  return null;
}

/** What kept the queue from starting tasks at the last report. */
export function holdOf({ metadata }: Queue): "paused" | "rate limited" | null {
  if (metadata.paused === true) return "paused";
  return typeof metadata.limited_until === "string" ? "rate limited" : null;
}

/** At least 20 deep and over 10% deeper than 15 minutes ago, with more tasks added than finished. */
export function isGrowing({ pending, entered, ended }: QueueActivity): boolean {
  const known = pending.filter((depth) => depth !== null);
  const last = known.at(-1);
  const before = known.at(-8);
  if (last === undefined || before === undefined || entered <= ended) return false;
  return last >= 20 && last > before * 1.1;
}

/** Whether added tasks are reported: some engines report only when a task is received or finishes. */
export function reportsEntries({ entered, ended }: QueueActivity): boolean {
  return entered > 0 || ended === 0;
}

/** Whether the last depth report is too old to rely on. */
export function isStale(queue: Queue, now: number): boolean {
  return now - instant(queue.depth_reported_at ?? queue.last_seen_at) > staleMs;
}

const ranks: Record<Exclude<Trouble, null>, number> = { stuck: 0, "long wait": 1, growing: 2 };

/** Most serious problem first, then deepest, then by name. */
export function byTrouble<Row extends { queue: Queue; trouble: Trouble }>(rows: readonly Row[]): Row[] {
  const rank = ({ trouble }: Row) => (trouble === null ? 3 : ranks[trouble]);
  return rows.toSorted(
    (a, b) =>
      rank(a) - rank(b) ||
      b.queue.pending_count - a.queue.pending_count ||
      a.queue.name.localeCompare(b.queue.name) ||
      a.queue.engine.localeCompare(b.queue.engine),
  );
}

/** Whether a requested queue is missing from the loaded figures because it was first seen after they were read. */
export function lacksFigures(
  queues: readonly Pick<Queue, "id" | "engine" | "name">[],
  read: Pick<QueueActivities, "items" | "truncated"> | undefined,
  only: { engine?: string; name?: string },
): boolean {
  if (read === undefined || read.truncated) return false;
  const known = new Set(read.items.map(({ queue_id }) => queue_id));
  const isRequested = ({ engine, name }: { engine: string; name: string }) =>
    engine === (only.engine ?? engine) && name === (only.name ?? name);
  return queues.some((queue) => !known.has(queue.id) && isRequested(queue));
}

/** A count within a window as a rate: `12.4`, `0.2`, `0`, per minute. */
export function perMinute(count: number, windowMs: number): string {
  if (count === 0 || windowMs <= 0) return "0";
  const rate = count / (windowMs / 60_000);
  if (rate < 0.1) return "<0.1";
  return rate < 100 ? rate.toFixed(1) : String(Math.round(rate));
}
