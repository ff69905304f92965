import type { JobSchedulerJson } from "bullmq6";
import type { QueueNames } from "../../redis/names.ts";
import { disabledKey, type KeptScheduler, readKept } from "../../schedules/stored-scheduler.ts";
import type { CommandContext, CommandHandler } from "../context/command-context.ts";
import { addJobOnce, optionsLike } from "../context/new-job.ts";
import { readText } from "../context/parameters.ts";
import type { CommandedQueue } from "../context/queue-access.ts";
import { Refusal } from "../context/refusal.ts";

/**
 * BullMQ cannot pause a job scheduler, so disabling removes it and keeps its definition in a hash of the queue until it is enabled or
 * deleted. The definition is saved first: after a crash in between, the scheduler still runs and is not lost. A scheduler's name is
 * `<queue>:<its id>`.
 */
export const disableSchedule: CommandHandler = async ({ parameters }, context) => {
  const { names, queue, key } = await find(parameters, context);
  const running = await readScheduler(queue, key);
  if (running) {
    const kept: KeptScheduler = { ...running, iterationCount: await runsOf(queue, running) };
    await context.redis.hset(disabledKey(names), key, JSON.stringify(kept));
    await queue.removeJobScheduler(key);
  } else if (!(await readDisabled(names, key, context))) throw unknown(parameters);
  await context.schedules.report(names, key);
  return {};
};

/**
 * It next runs at its next regular time; runs that were due while it was disabled are skipped. A scheduler that the application has
 * created again, as it does at its start, stays unchanged.
 */
export const enableSchedule: CommandHandler = async ({ parameters }, context) => {
  const { names, queue, key } = await find(parameters, context);
  if (!(await readScheduler(queue, key))) {
    const kept = await readDisabled(names, key, context);
    if (!kept) throw unknown(parameters);
    const { name, template } = kept;
    await queue.upsertJobScheduler(key, rhythmOf(kept), { name, data: template?.data, opts: template?.opts ?? {} });
  }
  await context.redis.hdel(disabledKey(names), key);
  await context.schedules.report(names, key);
  return {};
};

/** One extra run; the schedule is unchanged. The same command makes one run even when it is carried out twice. */
export const triggerSchedule: CommandHandler = async ({ id, parameters, timeoutSeconds }, context) => {
  const { names, queue, key } = await find(parameters, context);
  const scheduler = (await readScheduler(queue, key)) ?? (await readDisabled(names, key, context));
  if (!scheduler) throw unknown(parameters);
  const { name, template } = scheduler;
  const job = { jobId: `svc-${id}`, name, data: template?.data ?? {}, options: optionsLike(template?.opts) };
  return await addJobOnce(context.redis, queue, names, { job, timeoutSeconds });
};

export const deleteSchedule: CommandHandler = async ({ parameters }, context) => {
  const { names, queue, key } = await find(parameters, context);
  const wasRunning = (await readScheduler(queue, key)) !== undefined && (await queue.removeJobScheduler(key));
  const wasKept = await context.redis.hdel(disabledKey(names), key);
  if (!wasRunning && wasKept === 0) throw unknown(parameters);
  await context.schedules.report(names, key);
  return {};
};

async function find(parameters: Parameters<CommandHandler>[0]["parameters"], { addresses, queues }: CommandContext) {
  const { names, jobId: key } = await addresses.job(readText(parameters, "name"));
  return { names, key, queue: await queues.open(names) };
}

async function readScheduler(queue: CommandedQueue, key: string): Promise<JobSchedulerJson | undefined> {
  const scheduler = await queue.getJobScheduler(key);
  return scheduler && isJobScheduler(scheduler) ? scheduler : undefined;
}

/** False for the older repeatable jobs of BullMQ 5. */
function isJobScheduler({ iterationCount }: JobSchedulerJson): boolean {
  return iterationCount !== undefined;
}

/** BullMQ counts a job as an iteration when it adds it. One that has not started yet is removed with the scheduler. */
async function runsOf(queue: CommandedQueue, { key, next, iterationCount = 0 }: JobSchedulerJson): Promise<number> {
  const state = await queue.getJobState(`repeat:${key}:${next}`);
  return Math.max(unstarted.has(state) ? iterationCount - 1 : iterationCount, 0);
}

const unstarted: ReadonlySet<string> = new Set(["delayed", "waiting", "prioritized"]);

async function readDisabled(names: QueueNames, key: string, { redis }: CommandContext) {
  const text = await redis.hget(disabledKey(names), key);
  return text === null ? undefined : readKept(text);
}

function rhythmOf(kept: KeptScheduler): Parameters<CommandedQueue["upsertJobScheduler"]>[1] {
  const { pattern, every, tz, endDate, limit, iterationCount = 0 } = kept;
  const startDate = kept.startDate !== undefined && kept.startDate > Date.now() ? kept.startDate : undefined;
  if (limit !== undefined && iterationCount >= limit)
    throw new Refusal(`This scheduler has reached its limit of ${limit} runs.`);
  return {
    ...(pattern !== undefined && { pattern }),
    ...(tz !== undefined && { tz }),
    // Without an offset, BullMQ would run the job immediately instead of at the next slot.
    ...(every !== undefined && { every, offset: kept.offset || every }),
    ...(startDate !== undefined && { startDate }),
    ...(endDate !== undefined && { endDate }),
    ...(limit !== undefined && { limit: limit - iterationCount }),
  };
}

function unknown(parameters: Parameters<CommandHandler>[0]["parameters"]): Refusal {
  return new Refusal(`Job scheduler ${String(parameters.name)} does not exist.`);
}
