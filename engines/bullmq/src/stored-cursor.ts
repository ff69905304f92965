import type { StreamPosition } from "./stream-position.ts";

/**
 * What the agent's buffer keeps for one stream. Beside the position it holds the starts of the tasks that are in a later attempt now:
 * a job that is removed when it completes takes its counter along, and a terminal event of attempt 0 could not end a task that was
 * seen in attempt 2.
 */
export interface StoredCursor extends StreamPosition {
  readonly starts?: Readonly<Record<string, number>>;
}

const mostStarts = 200;

export function writeCursor(position: StreamPosition, starts: ReadonlyMap<string, number>): string {
  const { lastId, entriesAdded } = position;
  return JSON.stringify(
    starts.size === 0 ? { lastId, entriesAdded } : { lastId, entriesAdded, starts: Object.fromEntries(starts) },
  );
}

/** Undefined when the text is not a stored cursor. */
export function readCursor(text: string | undefined): StoredCursor | undefined {
  if (text === undefined) return undefined;
  try {
    const { lastId, entriesAdded, starts } = JSON.parse(text) as Record<string, unknown>;
    if (typeof lastId !== "string" || !/^\d{1,20}-\d{1,20}$/.test(lastId)) return undefined;
    const position = { lastId, entriesAdded: Number.isSafeInteger(entriesAdded) ? (entriesAdded as number) : null };
    return typeof starts === "object" && starts !== null
      ? { ...position, starts: starts as Readonly<Record<string, number>> }
      : position;
  } catch {
    return undefined;
  }
}

/** Notes how often an unfinished job has started; only later attempts are worth the room, the oldest notes go first. */
export function noteStarts(starts: Map<string, number>, jobId: string, count: number, ended: boolean): void {
  if (count < 2) return;
  starts.delete(jobId);
  if (ended || jobId.length > 100) return;
  starts.set(jobId, count);
  if (starts.size <= mostStarts) return;
  const oldest = starts.keys().next();
  if (!oldest.done) starts.delete(oldest.value);
}
