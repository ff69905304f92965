import type { Leadership } from "./leadership.ts";

export interface ReadinessOptions {
  readonly leadership: Pick<Leadership, "ledSince" | "isLeader">;
  /** Projects of the table. */
  readonly projectIds: () => Iterable<string>;
  /** When the last applied snapshot began, on the same count as `ledSince`; null before the first. */
  snapshotBegan(): number | null;
  requestSnapshot(): void;
  /** Called when the projects that may be fired changed. */
  onChange(): void;
}

/**
 * The projects that may be fired: led by this process, and with a snapshot that began after leadership did. Earlier rows may have cursors
 * that the last leader has moved, because cursors move without a revision.
 */
export function createReadiness({ leadership, projectIds, ...options }: ReadinessOptions) {
  /** Led projects wait for their first snapshot. */
  let isWaiting = true;

  const isReady = (projectId: string): boolean => {
    const since = leadership.ledSince(projectId);
    return since !== null && since < (options.snapshotBegan() ?? -1);
  };

  const isLacking = (): boolean => {
    const ids = [...projectIds()];
    // A leader without any projects may get some later, without another snapshot.
    return ids.length === 0
      ? leadership.isLeader()
      : ids.some((id) => leadership.ledSince(id) !== null && !isReady(id));
  };

  return {
    isReady,
    /** Leadership was gained or lost. */
    onLeadership(): void {
      options.onChange();
      if (!isLacking()) return;
      isWaiting = true;
      options.requestSnapshot();
    },
    /** A snapshot was applied. It may have begun before leadership; then the requested one follows. */
    onSnapshot(): void {
      if (!isWaiting) return;
      isWaiting = isLacking();
      options.onChange();
    },
  };
}
