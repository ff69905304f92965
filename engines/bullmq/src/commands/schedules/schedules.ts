import type { JobSchedulerJson } from "bullmq6";
import { parseObject } from "../../jobs/job-hash.ts";
import { type QueueNames, taskIdOf } from "../../redis/names.ts";
import type { CommandContext, CommandHandler } from "../context/command-context.ts";
import { addJob, optionsLike } from "../context/new-job.ts";
import { readText } from "../context/parameters.ts";
import type { CommandedQueue } from "../context/queue-access.ts";
import { Refusal } from "../context/refusal.ts";
import { describeSchedule, isTellable } from "./stream.ts";

/**
 * BullMQ's job schedulers cannot be switched off, so a disabled one is taken out and its definition kept in a hash of the queue, until it
 * is enabled or deleted. It is kept before it is taken out: a crash in between leaves a scheduler that still runs, never one that is lost.
 * A scheduler is called `<queue>:<its id>`.
 */
export const disabledKey = ({ keyBase }: QueueNames) => `${keyBase}svc-disabled-schedulers`;

export const disableSchedule: CommandHandler = async ({ id, parameters }, context) => {
  const { names, queue, key } = await find(parameters, context);
  const running = await readScheduler(queue, key);
  if (running) {
    await context.redis.hset(disabledKey(names), key, JSON.stringify(running));
    await queue.removeJobScheduler(key);
  }
  const scheduler = running ?? (await readDisabled(names, key, context));
  if (!scheduler) throw unknown(parameters);
  await tellChanged(id, { names, scheduler, isEnabled: false }, context);
  return {};
};

/**
 * Its next run is the next one of its rhythm; runs that were due meanwhile are not made up for. One that the application has made anew in
 * the meantime, as it does when it starts, stays as it is.
 */
export const enableSchedule: CommandHandler = async ({ id, parameters }, context) => {
  const { names, queue, key } = await find(parameters, context);
  if (!(await readScheduler(queue, key))) {
    const kept = await readDisabled(names, key, context);
    if (!kept) throw unknown(parameters);
    const { name, template } = kept;
    await queue.upsertJobScheduler(key, rhythmOf(kept), { name, data: template?.data, opts: template?.opts ?? {} });
  }
  await context.redis.hdel(disabledKey(names), key);
  const scheduler = await readScheduler(queue, key);
  if (scheduler) await tellChanged(id, { names, scheduler, isEnabled: true }, context);
  return {};
};

/** One run beside the rhythm, which goes on as it was. Carried out twice, the same command makes one run. */
export const triggerSchedule: CommandHandler = async ({ id, parameters }, context) => {
  const { names, queue, key } = await find(parameters, context);
  const scheduler = (await readScheduler(queue, key)) ?? (await readDisabled(names, key, context));
  if (!scheduler) throw unknown(parameters);
  const { name, template } = scheduler;
  const job = { jobId: `svc-${id}`, name, data: template?.data ?? {}, options: optionsLike(template?.opts) };
  return await addJob(queue, names, job);
};

export const deleteSchedule: CommandHandler = async ({ id, parameters }, context) => {
  const { names, queue, key } = await find(parameters, context);
  const wasRunning = (await readScheduler(queue, key)) !== undefined && (await queue.removeJobScheduler(key));
  const wasKept = await context.redis.hdel(disabledKey(names), key);
  if (!wasRunning && wasKept === 0) throw unknown(parameters);
  if (isTellable(names, key))
    await context.tellSchedules(id, [{ kind: "schedule.deleted", data: { name: taskIdOf(names, key) } }]);
  return {};
};

interface ChangedSchedule {
  readonly names: QueueNames;
  readonly scheduler: JobSchedulerJson;
  readonly isEnabled: boolean;
}

async function tellChanged(commandId: string, changed: ChangedSchedule, context: CommandContext): Promise<void> {
  const { names, scheduler, isEnabled } = changed;
  if (!isTellable(names, scheduler.key)) return;
  const schedule = describeSchedule(names, scheduler, isEnabled);
  await context.tellSchedules(commandId, [{ kind: "schedule.updated", data: { schedule } }]);
}

async function find(parameters: Parameters<CommandHandler>[0]["parameters"], { addresses, queues }: CommandContext) {
  const { names, jobId: key } = await addresses.job(readText(parameters, "name"));
  return { names, key, queue: await queues.open(names) };
}

async function readScheduler(queue: CommandedQueue, key: string): Promise<JobSchedulerJson | undefined> {
  const scheduler = await queue.getJobScheduler(key);
  return scheduler && isJobScheduler(scheduler) ? scheduler : undefined;
}

/** BullMQ 5 keeps its older repeatable jobs in the same place, and those can neither be put back nor told by their id alone. */
export function isJobScheduler({ iterationCount }: JobSchedulerJson): boolean {
  return iterationCount !== undefined;
}

/** The definition of a scheduler that was disabled here. */
export function readKept(text: string): JobSchedulerJson | undefined {
  const kept = parseObject(text);
  return typeof kept.key === "string" && typeof kept.name === "string"
    ? (kept as unknown as JobSchedulerJson)
    : undefined;
}

async function readDisabled(names: QueueNames, key: string, { redis }: CommandContext) {
  const text = await redis.hget(disabledKey(names), key);
  return text === null ? undefined : readKept(text);
}

function rhythmOf(kept: JobSchedulerJson): Parameters<CommandedQueue["upsertJobScheduler"]>[1] {
  const { pattern, every, tz, endDate, limit, iterationCount = 0 } = kept;
  const startDate = kept.startDate !== undefined && kept.startDate > Date.now() ? kept.startDate : undefined;
  if (limit !== undefined && iterationCount >= limit)
    throw new Refusal(`this scheduler has run ${limit} times, its limit`);
  return {
    ...(pattern !== undefined && { pattern }),
    ...(tz !== undefined && { tz }),
    // With an offset BullMQ waits for the next slot; without one it would run at once.
    ...(every !== undefined && { every, offset: kept.offset || every }),
    ...(startDate !== undefined && { startDate }),
    ...(endDate !== undefined && { endDate }),
    ...(limit !== undefined && { limit: limit - iterationCount }),
  };
}

function unknown(parameters: Parameters<CommandHandler>[0]["parameters"]): Refusal {
  return new Refusal(`there is no job scheduler ${String(parameters.name)}`);
}
