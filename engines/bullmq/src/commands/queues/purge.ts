import type { Redis } from "ioredis";
import type { QueueNames } from "../../redis/names.ts";
import { askEach } from "../../redis/pipeline.ts";
import type { CommandContext, CommandHandler } from "../context/command-context.ts";
import { readText } from "../context/parameters.ts";
import type { CommandedQueue } from "../context/queue-access.ts";

/** Jobs removed by one call of BullMQ's script, so that Redis is never blocked for long. */
const jobsPerStep = 500;
/** BullMQ spares jobs younger than a grace period by the application's clock. This value spares none, whatever that clock shows. */
const graceMs = -10 * 365 * 24 * 3_600_000;
const defaultStreamCap = 10_000;

/** Where Redis keeps jobs that are ready to run; together they are a queue's reported depth. Only BullMQ 5 has `paused`. */
const places = ["wait", "paused", "prioritized"] as const;
type Place = (typeof places)[number];

/** Maximum number of waiting parents to check. */
const mostParents = 100_000;

/**
 * Removes the waiting jobs of a queue in steps, oldest first: at most as many as waited at the start and as were confirmed. Running,
 * delayed and finished jobs stay, and so do the next jobs of schedulers. `remaining` counts the jobs that its time did not allow for.
 * With its last child BullMQ also removes a parent in the same queue; `parents` counts those. BullMQ emits no event for these jobs, so
 * each is written to the queue's event stream in BullMQ's own form, and its task becomes revoked.
 */
export const purgeQueue: CommandHandler = async (
  { parameters, confirmedDepth = Number.POSITIVE_INFINITY },
  context,
) => {
  const names = context.addresses.queue(readText(parameters, "queue"));
  const queue = await context.queues.open(names);
  const waiting = await countWaiting(context.redis, names);
  const parents = await context.redis.zrange(`${names.keyBase}waiting-children`, "0", String(mostParents - 1));
  let purged = 0;
  let left = 0;
  let confirmed = confirmedDepth;
  for (const place of places) {
    const most = Math.min(waiting[place], confirmed);
    const removed = await purgePlace(queue, names, { place, most }, context);
    purged += removed;
    left += most - removed;
    confirmed -= most;
  }
  const removedParents = purged > 0 ? await missingOf(context.redis, names, parents) : [];
  await noteRemoved(context.redis, names, removedParents, "waiting-children");
  return {
    purged,
    ...(removedParents.length > 0 && { parents: removedParents.length }),
    ...(!context.hasTime() && left > 0 && { remaining: left }),
  };
};

/** Jobs that are ready to run, as the snapshot counts them; undefined when the queue does not exist. */
export async function depthOf(redis: Redis, names: QueueNames): Promise<number | undefined> {
  const [exists, waiting] = await Promise.all([redis.exists(`${names.keyBase}meta`), countWaiting(redis, names)]);
  return exists === 1 ? places.reduce((sum, place) => sum + waiting[place], 0) : undefined;
}

async function countWaiting(redis: Redis, { keyBase }: QueueNames): Promise<Readonly<Record<Place, number>>> {
  const [wait, paused, prioritized] = await Promise.all([
    redis.llen(`${keyBase}wait`),
    redis.llen(`${keyBase}paused`),
    redis.zcard(`${keyBase}prioritized`),
  ]);
  return { wait, paused, prioritized };
}

/** @returns the number of removed jobs. */
async function purgePlace(
  queue: CommandedQueue,
  names: QueueNames,
  { place, most }: { readonly place: Place; readonly most: number },
  { redis, hasTime }: CommandContext,
): Promise<number> {
  let removed = 0;
  while (removed < most && hasTime()) {
    const ids = await queue.clean(graceMs, Math.min(jobsPerStep, most - removed), place as "wait");
    if (ids.length === 0) break;
    removed += ids.length;
    await noteRemoved(redis, names, ids, place);
  }
  return removed;
}

async function missingOf(redis: Redis, { keyBase }: QueueNames, jobIds: readonly string[]): Promise<readonly string[]> {
  const found = await askEach(redis, jobIds, (pipeline, jobId) => pipeline.exists(keyBase + jobId));
  return jobIds.filter((_, index) => found[index] === 0);
}

async function noteRemoved(redis: Redis, names: QueueNames, jobIds: readonly string[], prev: string): Promise<void> {
  if (jobIds.length === 0) return;
  const cap = Number(await redis.hget(`${names.keyBase}meta`, "opts.maxLenEvents")) || defaultStreamCap;
  for (let from = 0; from < jobIds.length; from += jobsPerStep) {
    const pipeline = redis.pipeline();
    for (const jobId of jobIds.slice(from, from + jobsPerStep))
      pipeline.xadd(names.eventsKey, "MAXLEN", "~", cap, "*", "event", "removed", "jobId", jobId, "prev", prev);
    await pipeline.exec();
  }
}
