import type { Redis } from "ioredis";
import { readCursor } from "./stored-cursor.ts";
import { compareStreamIds, msOf, streamIdBefore } from "./stream-entry.ts";
import type { CursorRelay } from "./watcher.ts";

/** What a process that crashed may have read and not delivered is read again: the events are the same, the brain drops the doubles. */
const overlapMs = 60_000;
/** Positions that no process has kept for so long go: queues and agents come and go. */
const keptMs = 30 * 24 * 3_600_000;

/**
 * Positions of the reading process, kept in one Redis hash so that the next one does not begin at a cursor of long ago: that would
 * count as lost what others have read.
 */
export function createCursorRelay(redis: Redis, key: string) {
  const noted = new Map<string, string>();
  const relay: CursorRelay = {
    async pick({ cursorKey, eventsKey }, own) {
      const shared = readCursor((await redis.hget(key, cursorKey)) ?? undefined);
      if (!shared || (own && compareStreamIds(own.lastId, shared.lastId) >= 0)) return own;
      const overlapBegins = `${Math.max(msOf(shared.lastId) - overlapMs, 0)}-0`;
      const [first] = await redis.xrange(eventsKey, overlapBegins, "+", "COUNT", 1);
      // Nothing of the overlap is left: entries may be missing, and only the true position can count them.
      if (!first || compareStreamIds(first[0], shared.lastId) > 0) return shared;
      // How many entries the overlap holds is unknown, so the count begins anew at the next checkpoint.
      return { ...shared, lastId: streamIdBefore(first[0]), entriesAdded: null };
    },
    note: (cursorKey, cursor) => void noted.set(cursorKey, cursor),
  };
  /** Writes what was noted since the last time, and keeps what is there. */
  async function flush(): Promise<void> {
    const entries = Object.fromEntries(noted);
    if (noted.size > 0) await redis.hset(key, entries);
    await redis.pexpire(key, keptMs);
    for (const [cursorKey, cursor] of Object.entries(entries))
      if (noted.get(cursorKey) === cursor) noted.delete(cursorKey);
  }
  return { relay, flush };
}
