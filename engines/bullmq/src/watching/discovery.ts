import type { AgentLog } from "@svc/agent";
import type { Redis } from "ioredis";
import { createClientList, type FoundQueue } from "../redis/client-list.ts";
import { queueOfMetaKey } from "../redis/names.ts";

/** Keys per SCAN call. */
const keysPerScan = 1000;
/** SCAN calls per round, so that the cost for Redis does not depend on the number of keys. */
const scansPerRound = 10;

/**
 * Finds queues by their meta keys. A round is bounded, so scanning a million keys takes most of a minute; a queue with a connected worker
 * is found immediately by the name of that connection.
 */
export function createDiscovery(redis: Redis, prefixes: readonly string[], log: AgentLog) {
  /** Prefixes of which all keys have been scanned once. */
  const seen = new Set<string>();
  const cursors = new Map(prefixes.map((prefix) => [prefix, "0"]));
  const listWorkers = createClientList(redis, prefixes, () =>
    log.info("Redis does not allow listing clients; new queues are discovered only by their keys"),
  );

  async function scan(): Promise<readonly FoundQueue[]> {
    const found: FoundQueue[] = [];
    let isPartial = false;
    let budget = scansPerRound;
    for (const prefix of prefixes) {
      do {
        const [next, keys] = await redis.scan(
          cursors.get(prefix) ?? "0",
          "MATCH",
          `${escapeGlob(prefix)}:*:meta`,
          "COUNT",
          keysPerScan,
        );
        cursors.set(prefix, next);
        if (next === "0") seen.add(prefix);
        for (const key of keys) {
          const queue = queueOfMetaKey(key, prefix);
          if (queue !== undefined) found.push({ prefix, queue });
        }
        budget -= 1;
      } while (cursors.get(prefix) !== "0" && budget > 0);
      isPartial ||= cursors.get(prefix) !== "0";
    }
    if (isPartial) found.push(...((await listWorkers()) ?? []));
    return found;
  }

  /** `hasSeenAll`: whether all keys have been scanned at least once. */
  return Object.assign(scan, { hasSeenAll: () => seen.size === cursors.size });
}

function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]]/g, "\\$&");
}
