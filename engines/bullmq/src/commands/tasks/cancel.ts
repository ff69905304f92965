import { setTimeout as pause } from "node:timers/promises";
import type { AddressedJob } from "../context/addresses.ts";
import type { CommandContext, CommandHandler } from "../context/command-context.ts";
import { readText } from "../context/parameters.ts";
import type { CommandedQueue } from "../context/queue-access.ts";
import { Refusal } from "../context/refusal.ts";
import { readLater } from "./later-retry.ts";

/** What BullMQ's script answers; 0 means locked. */
const removed = 1;
const ofScheduler = -8;
const lookEveryMs = 50;
const looksBetweenTellings = 20;
const longestTellingMs = 5000;
const whyNotTold = "its process takes no commands, or its processor takes no signal, so it cannot be stopped";

/**
 * Takes a job that has not begun out of its queue, with the children that it waits for. The state is looked at first, because BullMQ
 * would also remove the record of a job that has ended; its own script refuses the job that began in between. A running job is stopped
 * by its own process, when that one listens.
 */
export const cancelTask: CommandHandler = async ({ parameters }, context) => {
  const job = await context.addresses.job(readText(parameters, "task_id"));
  const queue = await context.queues.open(job.names);
  let state = await queue.getJobState(job.jobId);
  if (state === "unknown") throw new Refusal(`Redis holds no job for ${job.taskId}`);
  if (isEnd(state)) throw new Refusal(`${job.taskId} has ended: it is ${state}`);
  if (state !== "active") {
    if (await remove(queue, job, context)) return {};
    state = await queue.getJobState(job.jobId);
    if (state === "waiting-children") throw new Refusal(`${job.taskId} waits for children, and one of them is running`);
    if (state !== "active") throw new Refusal(`${job.taskId} moved on meanwhile: it is ${state}`);
  }
  await stopRunning(queue, job, context);
  return {};
};

/** False when it is locked, because it runs. */
async function remove(queue: CommandedQueue, job: AddressedJob, { redis }: CommandContext): Promise<boolean> {
  const forgetLater = await readLater(redis, job);
  try {
    if ((await queue.remove(job.jobId)) !== removed) return false;
    await forgetLater();
    return true;
  } catch (fault) {
    if ((fault as { readonly code?: unknown }).code !== ofScheduler) throw fault;
    throw new Refusal(`${job.taskId} is the next job of a job scheduler: disable the scheduler instead`);
  }
}

/**
 * BullMQ tells the processor by its signal; what the processor then throws counts as an ordinary failure. So a job with attempts left
 * goes back to wait and is taken out there, and one that began again at once is told again. A job that counts as running but that no
 * worker holds any more is taken out as well.
 */
async function stopRunning(queue: CommandedQueue, job: AddressedJob, context: CommandContext): Promise<void> {
  const { jobId, taskId } = job;
  let state: string = "active";
  let isTold = false;
  let silent = 0;
  while (context.hasTime()) {
    if (state === "active") {
      const asked = await tell(job, context);
      isTold ||= asked.concerned.length > 0;
      silent = asked.silent;
      state = await queue.getJobState(jobId);
    }
    for (let look = 0; look < looksBetweenTellings && state === "active" && isTold && context.hasTime(); look += 1) {
      await pause(lookEveryMs);
      state = await queue.getJobState(jobId);
    }
    if (state === "failed" || state === "unknown") return;
    if (state === "completed")
      throw new Refusal(`${taskId} ran to its end before it could be stopped: it is completed`);
    if ((state !== "active" || !isTold) && (await remove(queue, job, context))) return;
    await pause(lookEveryMs);
    state = await queue.getJobState(jobId); // it began again, or a worker holds it
    if (state === "active" && !isTold && silent === 0) throw new Refusal(`${taskId} is running: ${whyNotTold}`);
  }
  if (isTold) throw new Refusal(`${taskId} was told to stop and still runs: its processor does not heed the signal`);
  throw new Refusal(`${taskId} is running: ${silent} processes with workers have not answered`);
}

function tell({ jobId, names }: AddressedJob, { askProcesses, hasTime }: CommandContext) {
  const until = performance.now() + longestTellingMs;
  const request = { action: "cancel", queue: names.queue, jobId } as const;
  return askProcesses(request, [names.prefix], () => hasTime() && performance.now() < until);
}

function isEnd(state: string): boolean {
  return state === "completed" || state === "failed";
}
