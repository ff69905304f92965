import { createHash } from "node:crypto";
import type { Job } from "bullmq6";
import type { Redis } from "ioredis";
import { parseObject, retriedFromOption } from "../../jobs/job-hash.ts";
import { taskIdOf } from "../../redis/names.ts";
import type { AddressedJob } from "../context/addresses.ts";
import type { CommandedQueue } from "../context/queue-access.ts";
import { Refusal } from "../context/refusal.ts";

const idFront = "svc-retry-";

/**
 * Field of the failed job's hash with the id of its later retry, because that job may be removed from Redis when it ends. Keeping the
 * retry by an age or count in its own options is no alternative: BullMQ would apply them to every other finished job of the queue.
 */
const noteField = "svcRetriedAs";

/** Field that counts cancelled retries: the next retry needs another id, because a revoked task stays revoked. */
const cancelledField = "svcCancelledRetries";

/** Writes only to an existing hash, so that a removed job does not reappear. */
const noteScript = `
if redis.call("EXISTS", KEYS[1]) == 1 then redis.call("HSET", KEYS[1], ARGV[1], ARGV[2]) end
return 1`;

const forgetScript = `
if redis.call("HGET", KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call("HDEL", KEYS[1], ARGV[1])
return redis.call("HINCRBY", KEYS[1], ARGV[3], 1)`;

/**
 * The id of the job that retries a failed one at a later time. It is the same for all requests after the same failure, so that BullMQ
 * adds the job once. It covers the failed job's times, because an application may reuse a job id, and is a digest, because a job id may
 * contain colons, which the id of a new job may not.
 */
export async function readLaterId(redis: Redis, { names, jobId }: AddressedJob, failed: Job): Promise<string> {
  const { timestamp, finishedOn, attemptsStarted } = failed;
  const cancelled = await redis.hget(names.keyBase + jobId, cancelledField);
  const failure = JSON.stringify([jobId, timestamp, finishedOn, cancelled]);
  return `${idFront}${createHash("sha256").update(failure).digest("hex").slice(0, 32)}-${attemptsStarted}`;
}

/** Stores the id on the failed job, if Redis still holds that job. */
export async function noteLater(redis: Redis, { names, jobId }: AddressedJob, laterId: string): Promise<void> {
  await redis.eval(noteScript, 1, names.keyBase + jobId, noteField, laterId);
}

/** Adding a finished retry again would change nothing while Redis holds it, and run the task again after Redis removed it. */
export async function requireNotEnded(redis: Redis, queue: CommandedQueue, job: AddressedJob, laterId: string) {
  const { names, jobId, taskId } = job;
  // Read before the state: a concurrent request adds the job first and stores its id afterwards.
  const wasNoted = (await redis.hget(names.keyBase + jobId, noteField)) === laterId;
  const state = await queue.getJobState(laterId);
  const was = `${taskId} was already retried as ${taskIdOf(names, laterId)}, which`;
  if (state === "completed") throw new Refusal(`${was} succeeded.`);
  if (state === "failed") throw new Refusal(`${was} failed. Retry that task instead.`);
  if (state !== "unknown" || !wasNoted) return;
  throw new Refusal(`${was} has since been removed from Redis. To run it again, retry it without a delay.`);
}

/** Otherwise both retries would run. */
export async function requireNonePending(queue: CommandedQueue, { names, taskId }: AddressedJob, laterId: string) {
  const later = await queue.getJob(laterId);
  const state = later && (await queue.getJobState(laterId));
  if (!state || !isPending(state)) return;
  const due = new Date(later.timestamp + (later.opts.delay ?? 0)).toISOString();
  const laterTaskId = taskIdOf(names, laterId);
  throw new Refusal(`${taskId} already has a retry due at ${due}: ${laterTaskId} is ${state}. Cancel that task first.`);
}

/** Removes the later retry of a job that was retried by reference at the same time, so that only one of them runs. */
export async function removeLater(queue: CommandedQueue, laterId: string): Promise<void> {
  if (isPending(await queue.getJobState(laterId))) await queue.remove(laterId);
}

function isPending(state: string): boolean {
  return state !== "completed" && state !== "failed" && state !== "unknown";
}

/** Reads a job before it is cancelled. Returns a function that allows another later retry of its failed job; it does nothing for other jobs. */
export async function readLater(redis: Redis, { names, jobId }: AddressedJob): Promise<() => Promise<void>> {
  const opts = jobId.startsWith(idFront) ? await redis.hget(names.keyBase + jobId, "opts") : null;
  const retriedFrom = String(parseObject(opts ?? undefined)[retriedFromOption] ?? "");
  const front = taskIdOf(names, "");
  return async () => {
    if (!retriedFrom.startsWith(front)) return;
    await redis.eval(
      forgetScript,
      1,
      names.keyBase + retriedFrom.slice(front.length),
      noteField,
      jobId,
      cancelledField,
    );
  };
}
