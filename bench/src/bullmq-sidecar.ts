import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startRedis, waitFor } from "@svc/testkit";
import { type ChainableCommander, Redis } from "ioredis";
import type { SidecarState } from "./bullmq-sidecar-process.ts";
import { atLeast, atMost, type BenchContext, type BenchMode, type BenchRow, type BenchSuite, note } from "./suite.ts";

const jobsPerSecond = 2000;
const queueCount = 4;
const tickMs = 20;
const secondsOf: Readonly<Record<BenchMode, number>> = { quick: 15, standard: 60, full: 60 };
const prefix = "bench";

/**
 * The side-car beside a busy application: this process writes what BullMQ's scripts write for 2 000 jobs a second in four queues (hashes
 * and stream entries with the cap of the meta hash, no workers), another process runs the adapter. Held to account: every ended job is
 * told, no entry is lost, less than half a core, and how old an event is when it leaves the adapter.
 */
export const suite: BenchSuite = {
  name: "bullmq-sidecar",
  about: `the BullMQ side-car at ${jobsPerSecond} jobs a second: loss, processor share, lag`,
  diskBytes: { quick: 50e6, standard: 50e6, full: 50e6 },
  run,
};

async function run({ mode, signal, log }: BenchContext): Promise<readonly BenchRow[]> {
  const server = await startRedis();
  const redis = new Redis(server.url);
  const sidecar = startSidecar(server.url);
  try {
    await setUpQueues(redis);
    await once(sidecar.process, "message", { signal });
    const seconds = secondsOf[mode];
    // The first seconds compile code; they are part of the work but not of the measurement.
    await writeTraffic(redis, 3, signal);
    const from = await sidecar.settled(3 * jobsPerSecond);
    const beganAt = performance.now();
    const traffic = await writeTraffic(redis, seconds, signal);
    const wroteMs = performance.now() - beganAt;
    const to = await sidecar.settled((3 + seconds) * jobsPerSecond);
    const share = (to.cpuMs - from.cpuMs) / wroteMs;
    const lags = sidecar.lagsMs.slice(from.lagsSeen).sort((a, b) => a - b);
    log(`${traffic.entries} entries in ${Math.round(wroteMs)} ms, ${to.events - from.events} events`);
    return [
      atLeast({
        name: "jobs ended a second, seen through the side-car",
        figure: (to.ended - from.ended) / (wroteMs / 1000),
        unit: "jobs/s",
        limit: jobsPerSecond,
        target: 0.95,
      }),
      note({ name: "stream entries written a second", figure: traffic.entries / (wroteMs / 1000), unit: "entries/s" }),
      atMost({
        name: "entries lost or told twice (limit 1, so any fails)",
        figure: to.lost,
        unit: "entries",
        limit: 1,
        target: 0,
      }),
      atMost({ name: "processor time of the side-car", figure: share, unit: "cores", limit: 0.5, target: 1 }),
      atMost({ name: "age of an event at p95", figure: quantile(lags, 0.95), unit: "ms", limit: 1000, target: 1 }),
      note({ name: "age of an event at p50", figure: quantile(lags, 0.5), unit: "ms" }),
      note({ name: "resident memory of the side-car", figure: to.residentBytes / 1e6, unit: "MB" }),
    ];
  } finally {
    sidecar.stop();
    redis.disconnect();
    await server.stop();
  }
}

type Settled = SidecarState & { readonly lagsSeen: number };

function startSidecar(redisUrl: string) {
  const entry = join(import.meta.dirname, "bullmq-sidecar-process.ts");
  const child: ChildProcess = fork(entry, [JSON.stringify({ redis: redisUrl, prefix })], {
    execArgv: ["--conditions=source"],
  });
  let state: SidecarState | undefined;
  const lagsMs: number[] = [];
  child.on("message", (message) => {
    state = message as SidecarState;
    lagsMs.push(...state.lagsMs);
  });
  return {
    process: child,
    lagsMs,
    /** State once so many jobs have ended. */
    settled: (ended: number): Promise<Settled> =>
      waitFor(() => state && state.ended >= ended && { ...state, lagsSeen: lagsMs.length }, {
        withinMs: 20_000,
        that: `${ended} ended jobs in the side-car`,
      }),
    stop: () => void child.kill("SIGKILL"),
  };
}

async function setUpQueues(redis: Redis): Promise<void> {
  for (let queue = 0; queue < queueCount; queue += 1)
    await redis.hset(`${prefix}:q${queue}:meta`, { version: "bullmq:6.7.0", "opts.maxLenEvents": 10_000 });
}

interface Job {
  readonly base: string;
  readonly id: string;
  readonly removesItself: boolean;
  readonly fails: boolean;
}

let lastJobId = 0;

/** Adds jobs tick by tick at the stated rate; each starts one tick after it was added and ends one tick later. */
async function writeTraffic(redis: Redis, seconds: number, signal: AbortSignal): Promise<{ readonly entries: number }> {
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
    await pipeline.exec();
    active = added;
    added = fresh;
    const dueMs = beganAt + (tick + 1) * tickMs - performance.now();
    if (dueMs > 0) await pause(dueMs);
  }
  return { entries };
}

function newJob(): Job {
  lastJobId += 1;
  const base = `${prefix}:q${lastJobId % queueCount}`;
  return { base, id: String(lastJobId), removesItself: lastJobId % 3 === 0, fails: lastJobId % 20 === 0 };
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
  // BullMQ tells when the last attempt is used up, and now and then that a queue ran empty.
  if (fails) pipeline.xadd(`${base}:events`, "*", "event", "retries-exhausted", "jobId", id, "attemptsMade", "3");
  const isDrained = Number(id) % 2 === 0;
  if (isDrained) pipeline.xadd(`${base}:events`, "*", "event", "drained");
  return 1 + (fails ? 1 : 0) + (isDrained ? 1 : 0);
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0;
}
