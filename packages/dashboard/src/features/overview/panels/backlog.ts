import type { Queue, QueueActivities } from "@svc/client";

/** How much of the hour may have passed before a queue's first report, for it to stand for the hour's beginning. */
const beginningShare = 0.25;

/**
 * Tasks that waited an hour ago, of the depths that agents reported since; null when they do not tell it of every queue that has any:
 * a sum of some of them would make the others look like growth.
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
