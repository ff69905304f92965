import type { AgentLog } from "@svc/agent";
import type { Redis } from "ioredis";
import type { Settings } from "../options.ts";
import type { FoundQueue } from "../redis/client-list.ts";
import { type QueueNames, queueNames } from "../redis/names.ts";
import { createDiscovery } from "./discovery.ts";

/** The queues that a process knows that watches none: the configured ones, or the result of one scan. */
export async function findQueues(
  { prefixes, queues, namespace }: Settings,
  scan: () => Promise<readonly FoundQueue[]>,
): Promise<readonly QueueNames[]> {
  const found = queues?.flatMap((queue) => prefixes.map((prefix) => ({ prefix, queue }))) ?? (await scan());
  const names = found.map(({ prefix, queue }) => queueNames(prefix, queue, namespace));
  return [...new Map(names.map((one) => [one.source, one])).values()];
}

/** All queues that exist now. Scans all keys, which takes about a second per million. */
export async function findEveryQueue(redis: Redis, settings: Settings, log: AgentLog): Promise<readonly QueueNames[]> {
  const scan = createDiscovery(redis, settings.prefixes, log);
  return await findQueues(settings, async () => {
    const found: FoundQueue[] = [];
    do found.push(...(await scan()));
    while (!scan.hasSeenAll());
    return found;
  });
}
