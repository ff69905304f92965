import type { Queue, QueueActivities } from "@svc/client";

/** How late in the hour a queue's first report may be to count as the depth at its start. */
const beginningShare = 0.25;

/**
 * Tasks that were waiting an hour ago, from reported depths; null unless every non-empty queue was reported, because a partial
 * sum would show as growth.
 */
export function backlogAnHourAgo(queues: readonly Queue[], activities: QueueActivities | undefined): number | null {
  if (activities === undefined || activities.truncated) return null;
  const pendingOf = new Map(activities.items.map(({ queue_id, pending }) => [queue_id, pending]));
  const depths = queues.map((queue) => {
    const pending = pendingOf.get(queue.id) ?? [];
    const known = pending.slice(0, Math.ceil(pending.length * beginningShare)).find((depth) => depth !== null);
    const isSilent = queue.pending_count === 0 && pending.every((depth) => depth === null);
    return known ?? (isSilent ? 0 : null);
  });
  return depths.reduce<number | null>(
    (sum, depth) => (sum === null || depth === null ? null : sum + depth),
    queues.length === 0 ? null : 0,
  );
}
