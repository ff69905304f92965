import { setTimeout as pause } from "node:timers/promises";
import type { ChainableCommander, Redis } from "ioredis";

export const jobsPerSecond = 2000;
export const prefix = "bench";
const queueCount = 4;
const tickMs = 20;

/** Creates the four queues as BullMQ does. */
export async function setUpQueues(redis: Redis): Promise<void> {
  for (let queue = 0; queue < queueCount; queue += 1)
    await redis.hset(`${prefix}:q${queue}:meta`, { version: "bullmq:6.7.0", "opts.maxLenEvents": 10_000 });
}

interface Job {
  readonly queue: string;
  readonly base: string;
  readonly id: string;
  readonly removesItself: boolean;
  readonly fails: boolean;
}

let lastJobId = 0;

export interface Traffic {
  readonly seconds: number;
  readonly signal: AbortSignal;
  /** Called with one job per tick whose end is being written. */
  readonly onEnd?: (taskId: string, tick: number) => void;
}

/**
 * Simulates the writes of BullMQ's scripts for `jobsPerSecond` jobs, tick by tick: each job starts one tick after it was added and ends
 * one tick later.
 */
export async function writeTraffic(
  redis: Redis,
  { seconds, signal, onEnd }: Traffic,
): Promise<{ readonly entries: number; readonly jobs: number }> {
  const ticks = (seconds * 1000) / tickMs;
  const jobsPerTick = (jobsPerSecond * tickMs) / 1000;
  const beganAt = performance.now();
  let entries = 0;
  let added: readonly Job[] = [];
  let active: readonly Job[] = [];
  for (let tick = 0; tick < ticks + 2; tick += 1) {
    signal.throwIfAborted();
    const cap = (await redis.hget(`${prefix}:q0:meta`, "opts.maxLenEvents")) ?? "10000";
    const fresh = tick < ticks ? Array.from({ length: jobsPerTick }, newJob) : [];
    const pipeline = redis.pipeline();
    for (const job of active) entries += writeEnd(pipeline, job);
    for (const job of added) entries += writeStart(pipeline, job);
    for (const job of fresh) entries += writeAdded(pipeline, job, cap);
    const [ending] = active;
    if (ending) onEnd?.(`${prefix}:${ending.queue}:${ending.id}`, tick);
    await pipeline.exec();
    active = added;
    added = fresh;
    const dueMs = beganAt + (tick + 1) * tickMs - performance.now();
    if (dueMs > 0) await pause(dueMs);
  }
  return { entries, jobs: ticks * jobsPerTick };
}

function newJob(): Job {
  lastJobId += 1;
  const queue = `q${lastJobId % queueCount}`;
  return {
    queue,
    base: `${prefix}:${queue}`,
    id: String(lastJobId),
    removesItself: lastJobId % 3 === 0,
    fails: lastJobId % 20 === 0,
  };
}

const jobData = JSON.stringify({ to: "someone", template: "welcome", parameters: { name: "A", items: [1, 2, 3] } });
const jobOptions = JSON.stringify({ attempts: 3, backoff: { type: "exponential", delay: 1000 } });

function writeAdded(pipeline: ChainableCommander, { base, id }: Job, cap: string): number {
  const key = `${base}:${id}`;
  const fields = { name: "send", data: jobData, opts: jobOptions, timestamp: Date.now(), delay: 0, priority: 0 };
  pipeline.hset(key, fields).xadd(`${base}:events`, "*", "event", "added", "jobId", id, "name", "send");
  pipeline.xadd(`${base}:events`, "MAXLEN", "~", cap, "*", "event", "waiting", "jobId", id);
  return 2;
}

function writeStart(pipeline: ChainableCommander, { base, id }: Job): number {
  pipeline.xadd(`${base}:events`, "*", "event", "active", "jobId", id, "prev", "waiting");
  pipeline.hset(`${base}:${id}`, { processedOn: Date.now(), pb: "worker-1" }).hincrby(`${base}:${id}`, "ats", 1);
  return 1;
}

function writeEnd(pipeline: ChainableCommander, { base, id, removesItself, fails }: Job): number {
  const key = `${base}:${id}`;
  const [event, field, value] = fails
    ? ["failed", "failedReason", "no answer"]
    : ["completed", "returnvalue", '{"accepted":["someone"],"ms":12}'];
  if (removesItself) pipeline.del(key);
  else pipeline.hset(key, { [field]: value, finishedOn: Date.now(), atm: 1 }).expire(key, 20);
  pipeline.xadd(`${base}:events`, "*", "event", event, "jobId", id, field, value, "prev", "active");
  // BullMQ also writes an entry after the last attempt, and sometimes one for an empty queue.
  if (fails) pipeline.xadd(`${base}:events`, "*", "event", "retries-exhausted", "jobId", id, "attemptsMade", "3");
  const isDrained = Number(id) % 2 === 0;
  if (isDrained) pipeline.xadd(`${base}:events`, "*", "event", "drained");
  return 1 + (fails ? 1 : 0) + (isDrained ? 1 : 0);
}
