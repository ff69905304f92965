import type { Command } from "@svc/agent";
import type { Redis } from "ioredis";
import type { AddressedJob } from "../context/addresses.ts";
import type { CommandContext } from "../context/command-context.ts";
import { addJob, dataOf, optionsLike } from "../context/new-job.ts";
import { readInstant, readOptionalText, readText } from "../context/parameters.ts";
import type { CommandedQueue } from "../context/queue-access.ts";
import { Refusal } from "../context/refusal.ts";
import { noteLater, readLaterId, requireNonePending, requireNotEnded, takeBack } from "./later-retry.ts";

type Result = Readonly<Record<string, unknown>>;

/**
 * Runs a failed job once more. By reference the job itself goes back to wait, with its id, its place in a flow and all its attempts;
 * with other inputs, or at a later time, a new job is made of it and the failed one stays. A time that has passed is none.
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
  if (name === undefined) throw gone(job);
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
  if (!original) throw gone(job);
  if ((await queue.getJobState(job.jobId)) !== "failed") throw await notFailed(queue, job);
  const laterId = await readLaterId(redis, job, original);
  await requireNotEnded(redis, queue, job, laterId);
  const { name, data, opts } = original;
  const options = optionsLike(opts);
  const added = await addJob(queue, job.names, { jobId: laterId, name, data, options, etaMs, retriedFrom: job.taskId });
  await noteLater(redis, job, laterId);
  const now = await findJob(queue, job);
  if (!now || (await readLaterId(redis, job, now)) !== laterId) {
    await takeBack(queue, laterId);
    throw new Refusal(`${job.taskId} was retried at once, or removed, in the same moment: nothing runs later`);
  }
  return { task_id: job.taskId, new_task_id: added.task_id };
}

/** A dead letter of BullMQ is a failed job. */
export async function requeueDeadLetter({ parameters }: Command, context: CommandContext): Promise<Result> {
  const job = await context.addresses.job(readText(parameters, "task_id"));
  return await retryByReference(context.redis, await context.queues.open(job.names), job);
}

/**
 * BullMQ's own script moves the job only out of `failed`: of several retries at the same time one wins. It wins as well over one at a
 * later time that is asked for in the same moment.
 */
export async function retryByReference(redis: Redis, queue: CommandedQueue, job: AddressedJob): Promise<Result> {
  const found = await findJob(queue, job);
  if (!found) throw gone(job);
  const laterId = await readLaterId(redis, job, found);
  await requireNonePending(queue, job, laterId);
  try {
    // The count of starts goes on, because the attempt number of events is made of it and may only rise.
    await found.retry("failed", { resetAttemptsMade: true });
  } catch (fault) {
    const { code } = fault as { readonly code?: unknown };
    if (typeof code !== "number") throw fault;
    throw await notFailed(queue, job);
  }
  await takeBack(queue, laterId);
  return { task_id: job.taskId };
}

async function findJob(queue: CommandedQueue, { jobId }: AddressedJob) {
  try {
    return (await queue.getJob(jobId)) ?? undefined;
  } catch (fault) {
    // A job id such as `delayed` names a key of the queue itself.
    if (fault instanceof Error && fault.message.startsWith("WRONGTYPE")) return undefined;
    throw fault;
  }
}

async function notFailed(queue: CommandedQueue, job: AddressedJob): Promise<Refusal> {
  const state = await queue.getJobState(job.jobId);
  if (state === "unknown") return gone(job);
  return new Refusal(`${job.taskId} is not in the failed state but ${state}: only a failed job is retried`);
}

function gone({ taskId }: AddressedJob): Refusal {
  return new Refusal(`Redis holds no job for ${taskId}: it was removed when it ended, or later`);
}

interface Overrides {
  readonly args: readonly unknown[];
  readonly kwargs: Readonly<Record<string, unknown>>;
}

/** Both or none, as the brain lets them through. */
function readOverrides({ override_args: args, override_kwargs: kwargs }: Command["parameters"]): Overrides | undefined {
  const isAbsent = (value: unknown) => value === undefined || value === null;
  if (isAbsent(args) && isAbsent(kwargs)) return undefined;
  if (!Array.isArray(args) || typeof kwargs !== "object" || kwargs === null || Array.isArray(kwargs))
    throw new Refusal("override_args: a list, and override_kwargs: an object, both or none");
  return { args, kwargs: kwargs as Overrides["kwargs"] };
}
