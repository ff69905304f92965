import type { Redis } from "ioredis";
import type { QueueNames } from "../names.ts";
import type { CommandContext, CommandHandler } from "./context.ts";
import { readText } from "./parameters.ts";
import type { CommandedQueue } from "./queue-access.ts";

/** Jobs removed by one call of BullMQ's script, so that Redis is never held for long. */
const jobsPerStep = 500;
/** BullMQ spares jobs younger than a grace time by the application's clock; none is to be spared, whatever that clock says. */
const graceMs = -10 * 365 * 24 * 3_600_000;
const defaultStreamCap = 10_000;

/** Where a job stands that could run now; together the depth that is reported for a queue. `paused` is a place of BullMQ 5 alone. */
const places = ["wait", "paused", "prioritized"] as const;
type Place = (typeof places)[number];

/**
 * Removes what waits in a queue: at most as many jobs as waited when it began, the oldest first, in steps. Running, delayed and ended
 * jobs stay, and so do the next jobs of schedulers. `remaining` tells what its time was too short for. BullMQ tells nobody which jobs it removed this way, so each is noted on the queue's
 * event stream in BullMQ's own form, and its task becomes revoked.
 */
export const purgeQueue: CommandHandler = async ({ parameters }, context) => {
  const names = context.addresses.queue(readText(parameters, "queue"));
  const queue = await context.queues.open(names);
  let purged = 0;
  let left = 0;
  for (const place of places) {
    const { removed, waiting } = await purgePlace(queue, names, place, context);
    purged += removed;
    left += waiting - removed;
  }
  return { purged, ...(!context.hasTime() && left > 0 && { remaining: left }) };
};

/** Jobs that could run now, as the snapshot counts them; undefined when there is no such queue. */
export async function depthOf(redis: Redis, { keyBase }: QueueNames): Promise<number | undefined> {
  const [exists, wait, paused, prioritized] = await Promise.all([
    redis.exists(`${keyBase}meta`),
    redis.llen(`${keyBase}wait`),
    redis.llen(`${keyBase}paused`),
    redis.zcard(`${keyBase}prioritized`),
  ]);
  return exists === 1 ? wait + paused + prioritized : undefined;
}

async function purgePlace(
  queue: CommandedQueue,
  names: QueueNames,
  place: Place,
  { redis, hasTime }: CommandContext,
): Promise<{ readonly removed: number; readonly waiting: number }> {
  const key = names.keyBase + place;
  const waiting = place === "prioritized" ? await redis.zcard(key) : await redis.llen(key);
  let removed = 0;
  while (removed < waiting && hasTime()) {
    const ids = await queue.clean(graceMs, Math.min(jobsPerStep, waiting - removed), place as "wait");
    if (ids.length === 0) break;
    removed += ids.length;
    await noteRemoved(ids);
  }
  return { removed, waiting };

  async function noteRemoved(jobIds: readonly string[]): Promise<void> {
    const cap = Number(await redis.hget(`${names.keyBase}meta`, "opts.maxLenEvents")) || defaultStreamCap;
    const pipeline = redis.pipeline();
    for (const jobId of jobIds)
      pipeline.xadd(names.eventsKey, "MAXLEN", "~", cap, "*", "event", "removed", "jobId", jobId, "prev", place);
    await pipeline.exec();
  }
}
