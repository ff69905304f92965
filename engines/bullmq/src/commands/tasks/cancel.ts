import { setTimeout as pause } from "node:timers/promises";
import type { AddressedJob } from "../context/addresses.ts";
import type { CommandContext, CommandHandler } from "../context/command-context.ts";
import { readText } from "../context/parameters.ts";
import type { CommandedQueue } from "../context/queue-access.ts";
import { Refusal } from "../context/refusal.ts";
import { readLater } from "./later-retry.ts";

/** Replies of BullMQ's script; 0 means locked. */
const removed = 1;
const ofScheduler = -8;
const checkEveryMs = 50;
const checksPerRequest = 20;
const requestBoundMs = 5000;
const cannotStop = "It can't be stopped: its process accepts no commands, or its processor takes no signal.";

/**
 * Removes a job that has not started from its queue, with the children that it waits for. The state is checked first, because BullMQ
 * would also remove the record of a finished job; its script refuses a job that started in between. A running job is stopped by its
 * own process, if that process listens.
 */
export const cancelTask: CommandHandler = async ({ parameters }, context) => {
  const job = await context.addresses.job(readText(parameters, "task_id"));
  const queue = await context.queues.open(job.names);
  let state = await queue.getJobState(job.jobId);
  if (state === "unknown") throw new Refusal(`Redis holds no job for ${job.taskId}.`);
  if (isEnd(state)) throw new Refusal(`${job.taskId} has already finished: it is ${state}.`);
  if (state !== "active") {
    if (await remove(queue, job, context)) return {};
    state = await queue.getJobState(job.jobId);
    if (state === "waiting-children")
      throw new Refusal(`${job.taskId} waits for its children, and one of them is running.`);
    if (state !== "active")
      throw new Refusal(`${job.taskId} changed while it was being cancelled: it is now ${state}.`);
  }
  await stopRunning(queue, job, context);
  return {};
};

/** False when the job is locked because it is running. */
async function remove(queue: CommandedQueue, job: AddressedJob, { redis }: CommandContext): Promise<boolean> {
  const forgetLater = await readLater(redis, job);
  try {
    if ((await queue.remove(job.jobId)) !== removed) return false;
    await forgetLater();
    return true;
  } catch (fault) {
    if ((fault as { readonly code?: unknown }).code !== ofScheduler) throw fault;
    throw new Refusal(`${job.taskId} is the next job of a job scheduler. Disable the scheduler instead.`);
  }
}

/**
 * BullMQ aborts the processor's signal, and an error that the processor then throws counts as an ordinary failure. So a job with attempts
 * left goes back to waiting and is removed there, and one that restarted immediately is asked to stop again. A job marked as running that
 * no worker holds is removed as well.
 */
async function stopRunning(queue: CommandedQueue, job: AddressedJob, context: CommandContext): Promise<void> {
  const { jobId, taskId } = job;
  let state: string = "active";
  let isRequested = false;
  let silent = 0;
  while (context.hasTime()) {
    if (state === "active") {
      const asked = await requestStop(job, context);
      isRequested ||= asked.concerned.length > 0;
      silent = asked.silent;
      state = await queue.getJobState(jobId);
    }
    for (
      let check = 0;
      check < checksPerRequest && state === "active" && isRequested && context.hasTime();
      check += 1
    ) {
      await pause(checkEveryMs);
      state = await queue.getJobState(jobId);
    }
    if (state === "failed" || state === "unknown") return;
    if (state === "completed") throw new Refusal(`${taskId} completed before it could be stopped.`);
    if ((state !== "active" || !isRequested) && (await remove(queue, job, context))) return;
    await pause(checkEveryMs);
    state = await queue.getJobState(jobId); // it started again, or a worker holds it
    if (state === "active" && !isRequested && silent === 0) throw new Refusal(`${taskId} is running. ${cannotStop}`);
  }
  if (isRequested) throw new Refusal(`${taskId} is still running: its processor ignored the request to stop.`);
  throw new Refusal(`${taskId} is running. ${silentProcesses(silent)} with workers did not answer.`);
}

const silentProcesses = (count: number): string => `${count} ${count === 1 ? "process" : "processes"}`;

function requestStop({ jobId, names }: AddressedJob, { askProcesses, hasTime }: CommandContext) {
  const until = performance.now() + requestBoundMs;
  const request = { action: "cancel", queue: names.queue, jobId } as const;
  return askProcesses(request, [names.prefix], () => hasTime() && performance.now() < until);
}

function isEnd(state: string): boolean {
  return state === "completed" || state === "failed";
}
