import type { AgentLog } from "@svc/agent";
import type { Redis } from "ioredis";
import { createClientList, type FoundQueue } from "../redis/client-list.ts";
import { queueOfMetaKey } from "../redis/names.ts";

/** Keys that one SCAN call looks at. */
const keysPerScan = 1000;
/** SCAN calls of one look, so that a key space of any size costs Redis the same. */
const scansPerLook = 10;

/**
 * Finds queues by their meta keys. A look is bounded, so in a key space of a million a full round takes most of a minute; a queue whose
 * worker is connected is found at once by the name of that connection.
 */
export function createDiscovery(redis: Redis, prefixes: readonly string[], log: AgentLog) {
  const cursors = new Map(prefixes.map((prefix) => [prefix, "0"]));
  const listWorkers = createClientList(redis, prefixes, () =>
    log.info("this Redis does not list its clients; new queues are found by their keys alone"),
  );

  return async function look(): Promise<readonly FoundQueue[]> {
    const found: FoundQueue[] = [];
    let isPartial = false;
    let budget = scansPerLook;
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
  };
}

function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]]/g, "\\$&");
}
