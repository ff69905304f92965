import { maxRowsPerEvent, type Topic } from "./topics.ts";

/**
 * What a subscriber has not been told yet, by topic. Bounded: more than 200 rows of a topic become one request to fetch again, so that a
 * change may be summarised but is never lost without a word.
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
    /** The topic that has waited longest, taken out; null when nothing waits. */
    take(): { topic: Topic; ids: readonly string[] | null } | null {
      const first = byTopic.entries().next();
      if (first.done) return null;
      const [topic, ids] = first.value;
      byTopic.delete(topic);
      return { topic, ids: ids === null ? null : [...ids] };
    },
    /** Everything that waits becomes a request to fetch again: the subscriber was too slow. */
    collapse(): void {
      for (const topic of byTopic.keys()) byTopic.set(topic, null);
    },
    /** Forgets what is not asked for any more. */
    keepOnly(topics: ReadonlySet<Topic>): void {
      for (const topic of [...byTopic.keys()]) if (!topics.has(topic)) byTopic.delete(topic);
    },
    isEmpty: () => byTopic.size === 0,
    clear: () => byTopic.clear(),
  };
}

export type PendingChanges = ReturnType<typeof createPendingChanges>;
