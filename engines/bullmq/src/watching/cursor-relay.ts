import type { EventSink } from "@svc/agent";
import type { Redis } from "ioredis";
import { readCursor } from "../stream/stored-cursor.ts";
import { compareStreamIds } from "../stream/stream-entry.ts";
import type { CursorRelay } from "./watcher.ts";

/** Positions that no process has kept for so long go: queues and agents come and go. */
const keptMs = 30 * 24 * 3_600_000;

/**
 * Positions of the reading process, kept in one Redis hash so that the next one does not begin at a cursor of long ago: that would
 * count as lost what others have read. A position is told only when the events before it have left this process's buffer, which may
 * die with its disk; the next process reads the others again, and the brain drops the doubles.
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
  /** Writes what was noted as soon as its events have left the buffer, and keeps what is there. */
  async function flush(): Promise<void> {
    if (!leaving && noted.size > 0) {
      leaving = { positions: noted, haveLeft: sink.follow() };
      noted = new Map();
    }
    if (leaving?.haveLeft()) {
      const [gone, kept] = [new Set<string>(), new Map<string, string>()];
      for (const [cursorKey, cursor] of leaving.positions)
        if (cursor === "") gone.add(cursorKey);
        else kept.set(cursorKey, cursor);
      if (kept.size > 0) await redis.hset(key, kept);
      if (gone.size > 0) await redis.hdel(key, ...gone);
      leaving = undefined;
    }
    await redis.pexpire(key, keptMs);
  }
  return { relay, flush };
}
