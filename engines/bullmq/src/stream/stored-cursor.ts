import type { StreamPosition } from "./stream-position.ts";

/**
 * The agent buffer's state for one stream. Besides the position it holds the number of starts of tasks that are in a later attempt: a job
 * that is removed on completion loses its counter, and an end event with attempt 0 could not end a task that was seen in attempt 2. An
 * agent that stops adds the jobs whose end it reported in the last seconds, with their starts: after a gap the next agent cannot
 * distinguish them by time from jobs that ended in the gap.
 */
export interface StoredCursor extends StreamPosition {
  readonly starts?: Readonly<Record<string, number>>;
  readonly ended?: Readonly<Record<string, number>>;
}

const mostStarts = 200;
/** A cursor may be 64 KiB long. */
const mostEndedChars = 32_768;

export function writeCursor(
  { lastId, entriesAdded }: StreamPosition,
  starts: ReadonlyMap<string, number>,
  ended: ReadonlyMap<string, number> = new Map(),
): string {
  return JSON.stringify({
    lastId,
    entriesAdded,
    ...(starts.size > 0 && { starts: Object.fromEntries(starts) }),
    ...(ended.size > 0 && { ended: Object.fromEntries(newestFitting(ended)) }),
  });
}

function newestFitting(ended: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  let leftBytes = mostEndedChars;
  return [...ended].reverse().filter(([jobId]) => {
    leftBytes -= Buffer.byteLength(jobId) + 12;
    return leftBytes >= 0;
  });
}

/** Undefined when the text is not a stored cursor. */
export function readCursor(text: string | undefined): StoredCursor | undefined {
  if (text === undefined) return undefined;
  try {
    const { lastId, entriesAdded, starts, ended } = JSON.parse(text) as Record<string, unknown>;
    if (typeof lastId !== "string" || !/^\d{1,20}-\d{1,20}$/.test(lastId)) return undefined;
    return {
      lastId,
      entriesAdded: Number.isSafeInteger(entriesAdded) ? (entriesAdded as number) : null,
      ...(isRecord(starts) && { starts }),
      ...(isRecord(ended) && { ended }),
    };
  } catch {
    return undefined;
  }
}

/** Records how often an unfinished job has started, for second and later attempts only; evicts the oldest records. */
export function noteStarts(starts: Map<string, number>, jobId: string, count: number, ended: boolean): void {
  if (count < 2) return;
  starts.delete(jobId);
  if (ended || jobId.length > 100) return;
  starts.set(jobId, count);
  if (starts.size <= mostStarts) return;
  const oldest = starts.keys().next();
  if (!oldest.done) starts.delete(oldest.value);
}

function isRecord(value: unknown): value is Readonly<Record<string, number>> {
  return typeof value === "object" && value !== null;
}
