import type { JobsOptions } from "bullmq6";
import type { Redis } from "ioredis";
import { retriedFromOption } from "../../jobs/job-hash.ts";
import { type QueueNames, taskIdOf } from "../../redis/names.ts";
import type { CommandedQueue } from "./queue-access.ts";
import { Refusal } from "./refusal.ts";

export interface NewJob {
  /** Derived from the request, so that a repeated request adds one job only. */
  readonly jobId: string;
  readonly name: string;
  readonly data: unknown;
  readonly options: JobsOptions;
  readonly etaMs?: number | undefined;
  readonly retriedFrom?: string;
}

export async function addJob(queue: CommandedQueue, names: QueueNames, job: NewJob): Promise<{ task_id: string }> {
  const { jobId, name, data, options, etaMs, retriedFrom } = job;
  const delay = etaMs === undefined ? 0 : Math.max(etaMs - Date.now(), 0);
  await queue.add(name, data, {
    ...options,
    jobId,
    ...(delay > 0 && { delay }),
    ...(retriedFrom !== undefined && { [retriedFromOption]: retriedFrom }),
  });
  return { task_id: taskIdOf(names, jobId) };
}

/** A command is sent again until its time is over, and its time starts again with each delivery. */
const rememberedTimeouts = 2;
const leastRememberedSeconds = 600;

/**
 * Adds the job of a command that may be delivered again. BullMQ adds no second job while it keeps the first. A key that expires when no
 * further delivery can follow covers a first job that finished and was removed. Only when this process stops between the two writes can
 * a job that was removed within that time run again.
 */
export async function addJobOnce(
  redis: Redis,
  queue: CommandedQueue,
  names: QueueNames,
  { job, timeoutSeconds }: { readonly job: NewJob; readonly timeoutSeconds: number },
): Promise<{ task_id: string }> {
  const addedKey = `${names.keyBase}svc-added:${job.jobId}`;
  if ((await redis.exists(addedKey)) === 1) return { task_id: taskIdOf(names, job.jobId) };
  const added = await addJob(queue, names, job);
  await redis.set(addedKey, "1", "EX", Math.max(timeoutSeconds * rememberedTimeouts, leastRememberedSeconds));
  return added;
}

/** A BullMQ job carries one value: an object appears as `kwargs`, any other value as the only entry of `args`. */
export function dataOf(args: readonly unknown[], kwargs: Readonly<Record<string, unknown>>): unknown {
  if (args.length === 0) return kwargs;
  if (args.length > 1 || Object.keys(kwargs).length > 0)
    throw new Refusal("A BullMQ job carries one value: pass it as the only entry of args, or as kwargs.");
  return args[0];
}

/** The options of a job that a new job may copy: all but its id, delay, place in a flow, schedule and deduplication. */
export function optionsLike(options: JobsOptions | undefined): JobsOptions {
  const kept: Record<string, unknown> = { ...options };
  for (const name of ownOptions) delete kept[name];
  return kept;
}

const ownOptions = [
  ...["jobId", "delay", "timestamp", "deduplication", "debounce"],
  ...["repeat", "repeatJobKey", "prevMillis"],
  ...["parent", "failParentOnFailure", "ignoreDependencyOnFailure", "removeDependencyOnFailure"],
  ...["continueParentOnFailure", retriedFromOption],
];
