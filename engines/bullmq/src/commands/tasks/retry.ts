import type { Command } from "@svc/agent";
import type { Redis } from "ioredis";
import type { AddressedJob } from "../context/addresses.ts";
import type { CommandContext } from "../context/command-context.ts";
import { addJob, dataOf, optionsLike } from "../context/new-job.ts";
import { readInstant, readOptionalText, readText } from "../context/parameters.ts";
import type { CommandedQueue } from "../context/queue-access.ts";
import { Refusal } from "../context/refusal.ts";
import { noteLater, readLaterId, removeLater, requireNonePending, requireNotEnded } from "./later-retry.ts";

type Result = Readonly<Record<string, unknown>>;

/**
 * Runs a failed job again. By reference, the job itself goes back to waiting, with its id, its place in a flow and all its attempts. With
 * other inputs or at a later time, a new job is created and the failed one stays. A time in the past means now.
 */
export async function retryTask(command: Command, { addresses, queues, redis }: CommandContext): Promise<Result> {
  const { parameters } = command;
  const job = await addresses.job(readText(parameters, "task_id"));
  const queue = await queues.open(job.names);
  const overrides = readOverrides(parameters);
  const etaMs = laterOrNone(readInstant(parameters, "eta"));
  if (overrides) return await retryWithInputs(queue, job, { command, overrides, etaMs });
  return etaMs === undefined ? await retryByReference(redis, queue, job) : await retryLater(redis, queue, job, etaMs);
}

const laterOrNone = (etaMs: number | undefined) => (etaMs !== undefined && etaMs > Date.now() ? etaMs : undefined);

async function retryWithInputs(
  queue: CommandedQueue,
  job: AddressedJob,
  { command, overrides, etaMs }: { command: Command; overrides: Overrides; etaMs: number | undefined },
): Promise<Result> {
  const original = await findJob(queue, job);
  if (original && (await queue.getJobState(job.jobId)) !== "failed") throw await notFailed(queue, job);
  const name = original?.name ?? readOptionalText(command.parameters, "task_name");
  if (name === undefined) throw missing(job);
  const added = await addJob(queue, job.names, {
    jobId: `svc-${command.id}`,
    name,
    data: dataOf(overrides.args, overrides.kwargs),
    options: optionsLike(original?.opts),
    etaMs,
    retriedFrom: job.taskId,
  });
  return { task_id: job.taskId, new_task_id: added.task_id };
}

async function retryLater(redis: Redis, queue: CommandedQueue, job: AddressedJob, etaMs: number): Promise<Result> {
  const original = await findJob(queue, job);
  if (!original) throw missing(job);
  if ((await queue.getJobState(job.jobId)) !== "failed") throw await notFailed(queue, job);
  const laterId = await readLaterId(redis, job, original);
  await requireNotEnded(redis, queue, job, laterId);
  const { name, data, opts } = original;
  const options = optionsLike(opts);
  const added = await addJob(queue, job.names, { jobId: laterId, name, data, options, etaMs, retriedFrom: job.taskId });
  await noteLater(redis, job, laterId);
  const now = await findJob(queue, job);
  if (!now || (await readLaterId(redis, job, now)) !== laterId) {
    await removeLater(queue, laterId);
    throw new Refusal(
      `${job.taskId} was retried immediately or removed at the same time. The delayed retry was dropped.`,
    );
  }
  return { task_id: job.taskId, new_task_id: added.task_id };
}

/** BullMQ's dead letters are its failed jobs. */
export async function requeueDeadLetter({ parameters }: Command, context: CommandContext): Promise<Result> {
  const job = await context.addresses.job(readText(parameters, "task_id"));
  return await retryByReference(context.redis, await context.queues.open(job.names), job);
}

/**
 * BullMQ's script moves the job only out of `failed`, so only one of several concurrent retries wins. It also wins over a concurrent
 * retry at a later time.
 */
export async function retryByReference(redis: Redis, queue: CommandedQueue, job: AddressedJob): Promise<Result> {
  const found = await findJob(queue, job);
  if (!found) throw missing(job);
  const laterId = await readLaterId(redis, job, found);
  await requireNonePending(queue, job, laterId);
  try {
    // The count of starts is not reset: events derive the attempt number from it, which may only rise.
    await found.retry("failed", { resetAttemptsMade: true });
  } catch (fault) {
    const { code } = fault as { readonly code?: unknown };
    if (typeof code !== "number") throw fault;
    throw await notFailed(queue, job);
  }
  await removeLater(queue, laterId);
  return { task_id: job.taskId };
}

async function findJob(queue: CommandedQueue, { jobId }: AddressedJob) {
  try {
    return (await queue.getJob(jobId)) ?? undefined;
  } catch (fault) {
    // A job id such as `delayed` is a key of the queue itself.
    if (fault instanceof Error && fault.message.startsWith("WRONGTYPE")) return undefined;
    throw fault;
  }
}

async function notFailed(queue: CommandedQueue, job: AddressedJob): Promise<Refusal> {
  const state = await queue.getJobState(job.jobId);
  if (state === "unknown") return missing(job);
  return new Refusal(`${job.taskId} is ${state}. Only failed jobs can be retried.`);
}

function missing({ taskId }: AddressedJob): Refusal {
  return new Refusal(`Redis holds no job for ${taskId}. It was removed when it finished or later.`);
}

interface Overrides {
  readonly args: readonly unknown[];
  readonly kwargs: Readonly<Record<string, unknown>>;
}

/** Both or neither, as the brain requires. */
function readOverrides({ override_args: args, override_kwargs: kwargs }: Command["parameters"]): Overrides | undefined {
  const isAbsent = (value: unknown) => value === undefined || value === null;
  if (isAbsent(args) && isAbsent(kwargs)) return undefined;
  if (!Array.isArray(args) || typeof kwargs !== "object" || kwargs === null || Array.isArray(kwargs))
    throw new Refusal("Specify both override_args (a list) and override_kwargs (an object), or neither.");
  return { args, kwargs: kwargs as Overrides["kwargs"] };
}
