import type { Queue, QueueActivities, QueueActivity } from "@svc/client";
import { instant } from "../../ui/time/instants.ts";

/** Work that waits longer than this is worth a look. */
export const longWaitMs = 5 * 60_000;
/** A report older than this tells of the past. */
export const staleMs = 2 * 60_000;

export type Trouble = "stuck" | "waits long" | "grows" | null;

/** No consumer, said so by an agent: without a report 0 means nothing. */
export function hasNoConsumer(queue: Queue): boolean {
  return (
    queue.consumer_count === 0 && queue.consumers_reported_at !== null && queue.consumers_reported_at !== undefined
  );
}

/** What is wrong with a queue, the worst of it. */
export function troubleOf(queue: Queue, activity: QueueActivity | undefined, now: number): Trouble {
  if (queue.pending_count > 0 && hasNoConsumer(queue)) return "stuck";
  if (queue.pending_count > 0 && now - instant(queue.oldest_waiting_since) > longWaitMs) return "waits long";
  if (activity !== undefined && isGrowing(activity)) return "grows";
  return null;
}

/** Deeper than a quarter of an hour's way back, by a tenth at least, and more entered than ended. */
export function isGrowing({ pending, entered, ended }: QueueActivity): boolean {
  const known = pending.filter((depth) => depth !== null);
  const last = known.at(-1);
  const before = known.at(-8);
  if (last === undefined || before === undefined || entered <= ended) return false;
  return last >= 20 && last > before * 1.1;
}

/** Whether anybody tells what enters: tasks that end were sent once, and of some engines only their receipt is told. */
export function tellsEntries({ entered, ended }: QueueActivity): boolean {
  return entered > 0 || ended === 0;
}

/** Whether the depth was reported so long ago that it may be wrong. */
export function isStale(queue: Queue, now: number): boolean {
  return now - instant(queue.depth_reported_at ?? queue.last_seen_at) > staleMs;
}

const ranks: Record<Exclude<Trouble, null>, number> = { stuck: 0, "waits long": 1, grows: 2 };

/** The worst first; among equals the deepest, then by name. */
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

/** Whether a queue has no figures yet although figures were read: it was first seen since. */
export function lacksFigures(
  queues: readonly Pick<Queue, "id" | "engine" | "name">[],
  read: Pick<QueueActivities, "items" | "truncated"> | undefined,
  only: { engine?: string; name?: string },
): boolean {
  if (read === undefined || read.truncated) return false;
  const known = new Set(read.items.map(({ queue_id }) => queue_id));
  const isAsked = ({ engine, name }: { engine: string; name: string }) =>
    engine === (only.engine ?? engine) && name === (only.name ?? name);
  return queues.some((queue) => !known.has(queue.id) && isAsked(queue));
}

/** A count within a window as a rate: `12.4`, `0.2`, `0`, per minute. */
export function perMinute(count: number, windowMs: number): string {
  if (count === 0 || windowMs <= 0) return "0";
  const rate = count / (windowMs / 60_000);
  if (rate < 0.1) return "<0.1";
  return rate < 100 ? rate.toFixed(1) : String(Math.round(rate));
}
