import type { EventSink } from "@svc/agent";
import type { Redis } from "ioredis";
import { readCursor } from "../stream/stored-cursor.ts";
import { compareStreamIds } from "../stream/stream-entry.ts";
import type { CursorRelay } from "./watcher.ts";

/** Positions expire when no process has renewed them for this long, since queues and agents come and go. */
const keptMs = 30 * 24 * 3_600_000;

/**
 * Shares the reading process's positions through a Redis hash. Otherwise the next process would begin at its own old cursor and count
 * entries as lost that others have read. A position is shared only after the events before it have left this process's buffer, which may
 * be lost with its disk; the next process reads the rest again, and the brain drops duplicates.
 */
export function createCursorRelay(redis: Redis, key: string, sink: Pick<EventSink, "follow">) {
  let noted = new Map<string, string>();
  let leaving: { readonly positions: Map<string, string>; readonly haveLeft: () => boolean } | undefined;
  const relay: CursorRelay = {
    async pick({ cursorKey }, own) {
      const shared = readCursor((await redis.hget(key, cursorKey)) ?? undefined);
      return shared && own && compareStreamIds(own.lastId, shared.lastId) >= 0 ? own : (shared ?? own);
    },
    note: (cursorKey, cursor) => void noted.set(cursorKey, cursor),
  };
  /** Writes the noted positions once their events have left the buffer, and extends the hash's expiry. */
  async function flush(): Promise<void> {
    if (!leaving && noted.size > 0) {
      leaving = { positions: noted, haveLeft: sink.follow() };
      noted = new Map();
    }
    if (leaving?.haveLeft()) {
      const [removed, kept] = [new Set<string>(), new Map<string, string>()];
      for (const [cursorKey, cursor] of leaving.positions)
        if (cursor === "") removed.add(cursorKey);
        else kept.set(cursorKey, cursor);
      if (kept.size > 0) await redis.hset(key, kept);
      if (removed.size > 0) await redis.hdel(key, ...removed);
      leaving = undefined;
    }
    await redis.pexpire(key, keptMs);
  }
  return { relay, flush };
}
