import { maxRowsPerEvent, type Topic } from "./topics.ts";

/**
 * Changes that a subscriber has not been sent yet, by topic. Bounded: more than 200 rows of a topic become one request to fetch again, so
 * that a change may be summarised but is never lost silently.
 */
export function createPendingChanges() {
  const byTopic = new Map<Topic, Set<string> | null>();
  return {
    add(topic: Topic, ids: readonly string[] | null): void {
      const known = byTopic.get(topic);
      if (ids === null || known === null) {
        byTopic.set(topic, null);
        return;
      }
      const set = known ?? new Set<string>();
      for (const id of ids) set.add(id);
      byTopic.set(topic, set.size > maxRowsPerEvent ? null : set);
    },
    /** Removes and returns the topic that has waited longest; null when nothing waits. */
    take(): { topic: Topic; ids: readonly string[] | null } | null {
      const first = byTopic.entries().next();
      if (first.done) return null;
      const [topic, ids] = first.value;
      byTopic.delete(topic);
      return { topic, ids: ids === null ? null : [...ids] };
    },
    /** Everything pending becomes a request to fetch again: the subscriber was too slow. */
    collapse(): void {
      for (const topic of byTopic.keys()) byTopic.set(topic, null);
    },
    /** Drops topics that are no longer subscribed to. */
    keepOnly(topics: ReadonlySet<Topic>): void {
      for (const topic of [...byTopic.keys()]) if (!topics.has(topic)) byTopic.delete(topic);
    },
    isEmpty: () => byTopic.size === 0,
    clear: () => byTopic.clear(),
  };
}

export type PendingChanges = ReturnType<typeof createPendingChanges>;
