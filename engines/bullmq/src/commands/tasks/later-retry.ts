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
 * Field of the failed job's hash that names the job which runs it at a later time, because that one may leave Redis when it ends. An age
 * or a count among its own options would not keep it: BullMQ also removes every other ended job of the queue that is beyond them.
 */
const noteField = "svcRetriedAs";

/** Field that counts those which were cancelled: the next one has another id, because a task that was revoked stays so. */
const cancelledField = "svcCancelledRetries";

/** A job that is gone is not brought back to life by a note. */
const noteScript = `
if redis.call("EXISTS", KEYS[1]) == 1 then redis.call("HSET", KEYS[1], ARGV[1], ARGV[2]) end
return 1`;

const forgetScript = `
if redis.call("HGET", KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call("HDEL", KEYS[1], ARGV[1])
return redis.call("HINCRBY", KEYS[1], ARGV[3], 1)`;

/**
 * The id of the job that runs a failed one at a later time, the same for everybody who asks after the same failure, so that BullMQ itself
 * takes it once. It holds the times of the failed job, because an application may use a job id again, and is a digest, because a job id
 * may hold colons, which the id of a new job may not.
 */
export async function readLaterId(redis: Redis, { names, jobId }: AddressedJob, failed: Job): Promise<string> {
  const { timestamp, finishedOn, attemptsStarted } = failed;
  const cancelled = await redis.hget(names.keyBase + jobId, cancelledField);
  const failure = JSON.stringify([jobId, timestamp, finishedOn, cancelled]);
  return `${idFront}${createHash("sha256").update(failure).digest("hex").slice(0, 32)}-${attemptsStarted}`;
}

/** Notes it on the failed job, for as long as Redis holds that. */
export async function noteLater(redis: Redis, { names, jobId }: AddressedJob, laterId: string): Promise<void> {
  await redis.eval(noteScript, 1, names.keyBase + jobId, noteField, laterId);
}

/** Adding it once more would change nothing while Redis holds it, and run the task again when it is gone. */
export async function requireNotEnded(redis: Redis, queue: CommandedQueue, job: AddressedJob, laterId: string) {
  const { names, jobId, taskId } = job;
  // Looked at first: somebody who asks for it in the same moment adds the job, and then notes it.
  const wasNoted = (await redis.hget(names.keyBase + jobId, noteField)) === laterId;
  const state = await queue.getJobState(laterId);
  const was = `${taskId} was retried already, as ${taskIdOf(names, laterId)}, which`;
  if (state === "completed") throw new Refusal(`${was} has succeeded`);
  if (state === "failed") throw new Refusal(`${was} has failed: retry that one`);
  if (state !== "unknown" || !wasNoted) return;
  throw new Refusal(`${was} has left Redis since, as jobs may when they end: without a later time it is retried again`);
}

/** Both would run. */
export async function requireNonePending(queue: CommandedQueue, { names, taskId }: AddressedJob, laterId: string) {
  const later = await queue.getJob(laterId);
  const state = later && (await queue.getJobState(laterId));
  if (!state || !isPending(state)) return;
  const due = new Date(later.timestamp + (later.opts.delay ?? 0)).toISOString();
  const laterTaskId = taskIdOf(names, laterId);
  throw new Refusal(
    `${taskId} has a retry for ${due} already, ${laterTaskId}, which is ${state}: cancel that one first`,
  );
}

/** For a failed job that was retried by reference in the same moment: one of the two runs. */
export async function takeBack(queue: CommandedQueue, laterId: string): Promise<void> {
  if (isPending(await queue.getJobState(laterId))) await queue.remove(laterId);
}

function isPending(state: string): boolean {
  return state !== "completed" && state !== "failed" && state !== "unknown";
}

/** Looks at a job before it is cancelled. Gives what lets its failed job be retried at a later time again; nothing for any other job. */
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
