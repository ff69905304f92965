import type { Redis } from "ioredis";
import { readCursor, type StoredCursor } from "./stored-cursor.ts";
import { compareStreamIds, msOf } from "./stream-entry.ts";
import type { CursorRelay } from "./watcher.ts";

/** What a process that crashed may have read and not delivered is read again: the events are the same, the brain drops the doubles. */
const overlapMs = 60_000;

/**
 * Positions of the reading process, kept in one Redis hash so that the next one does not begin at a cursor of long ago: that would
 * count as lost what others have read.
 */
export function createCursorRelay(redis: Redis, key: string) {
  const noted = new Map<string, string>();
  const relay: CursorRelay = {
    async pick(cursorKey, own) {
      const shared = readCursor((await redis.hget(key, cursorKey)) ?? undefined);
      if (!shared || (own && compareStreamIds(own.lastId, shared.lastId) >= 0)) return own;
      return stepBack(shared);
    },
    note: (cursorKey, cursor) => void noted.set(cursorKey, cursor),
  };
  /** Writes what was noted since the last time. */
  async function flush(): Promise<void> {
    if (noted.size === 0) return;
    const entries = Object.fromEntries(noted);
    await redis.hset(key, entries);
    for (const [cursorKey, cursor] of Object.entries(entries))
      if (noted.get(cursorKey) === cursor) noted.delete(cursorKey);
  }
  return { relay, flush };
}

/** How many entries lie in the overlap is unknown, so the count begins anew at the next checkpoint. */
function stepBack(cursor: StoredCursor): StoredCursor {
  const ms = msOf(cursor.lastId) - overlapMs;
  return ms <= 0 ? cursor : { ...cursor, lastId: `${ms}-0`, entriesAdded: null };
}
