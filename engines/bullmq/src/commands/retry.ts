import { createHash } from "node:crypto";
import type { Command } from "@svc/agent";
import { taskIdOf } from "../names.ts";
import type { AddressedJob } from "./addresses.ts";
import type { CommandContext } from "./context.ts";
import { addJob, dataOf, optionsLike } from "./new-job.ts";
import { readInstant, readOptionalText, readText } from "./parameters.ts";
import type { CommandedQueue } from "./queue-access.ts";
import { Refusal } from "./refusal.ts";

type Result = Readonly<Record<string, unknown>>;

/**
 * Runs a failed job once more. By reference the job itself goes back to wait, with its id, its place in a flow and all its attempts;
 * with other inputs, or at a later time, a new job is made of it and the failed one stays. A time that has passed is none.
 */
export async function retryTask(command: Command, { addresses, queues }: CommandContext): Promise<Result> {
  const { parameters } = command;
  const job = await addresses.job(readText(parameters, "task_id"));
  const queue = await queues.open(job.names);
  const overrides = readOverrides(parameters);
  const etaMs = laterOrNone(readInstant(parameters, "eta"));
  if (!overrides && etaMs === undefined) return await retryByReference(queue, job);
  const { jobId, taskId } = job;
  const original = await findJob(queue, job);
  if (original && (await queue.getJobState(jobId)) !== "failed") throw await notFailed(queue, job);
  if (!original && !overrides) throw gone(job);
  const name = original?.name ?? readOptionalText(parameters, "task_name");
  if (name === undefined) throw gone(job);
  const newId = original && !overrides ? laterId(jobId, original.attemptsStarted) : `svc-${command.id}`;
  if (!overrides) await requireNotEnded(queue, job, newId);
  return await addJob(queue, job.names, {
    jobId: newId,
    name,
    data: overrides ? dataOf(overrides.args, overrides.kwargs) : original?.data,
    options: optionsLike(original?.opts),
    etaMs,
    retriedFrom: taskId,
  }).then(({ task_id: newTaskId }) => ({ task_id: taskId, new_task_id: newTaskId }));
}

const laterOrNone = (etaMs: number | undefined) => (etaMs !== undefined && etaMs > Date.now() ? etaMs : undefined);

/**
 * The job that runs a failed one at a later time, the same for everybody who asks after the same failure, so that BullMQ itself takes it
 * once. A digest, because a job id may hold colons, which the id of a new job may not.
 */
function laterId(jobId: string, starts: number): string {
  return `svc-retry-${createHash("sha256").update(jobId).digest("hex").slice(0, 32)}-${starts}`;
}

/** Adding it once more would change nothing, and nothing would run. */
async function requireNotEnded(queue: CommandedQueue, { names, taskId }: AddressedJob, laterJobId: string) {
  const state = await queue.getJobState(laterJobId);
  if (state !== "completed" && state !== "failed") return;
  throw new Refusal(`${taskId} was retried already, as ${taskIdOf(names, laterJobId)}, which has ${endWords[state]}`);
}

const endWords = { completed: "succeeded", failed: "failed: retry that one" } as const;

/** A dead letter of BullMQ is a failed job. */
export async function requeueDeadLetter({ parameters }: Command, context: CommandContext): Promise<Result> {
  const job = await context.addresses.job(readText(parameters, "task_id"));
  return await retryByReference(await context.queues.open(job.names), job);
}

/** BullMQ's own script moves the job only out of `failed`: of several retries at the same time one wins. */
export async function retryByReference(queue: CommandedQueue, job: AddressedJob): Promise<Result> {
  const found = await findJob(queue, job);
  if (!found) throw gone(job);
  try {
    // The count of starts goes on, because the attempt number of events is made of it and may only rise.
    await found.retry("failed", { resetAttemptsMade: true });
  } catch (fault) {
    const { code } = fault as { readonly code?: unknown };
    if (typeof code !== "number") throw fault;
    throw await notFailed(queue, job);
  }
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
