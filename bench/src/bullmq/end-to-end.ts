import { join } from "node:path";
import type { BrainDatabase } from "@svc/brain/storage";
import { startRedis } from "@svc/testkit";
import { Redis } from "ioredis";
import { bothDialects, onDatabases, type Place, withStorage } from "../harness/databases.ts";
import { type BenchBrain, startBenchBrain } from "../harness/processes.ts";
import { quantile } from "../harness/quantile.ts";
import {
  atLeast,
  atMost,
  type BenchContext,
  type BenchMode,
  type BenchRow,
  type BenchSuite,
  note,
} from "../harness/suite.ts";
import { startSidecarOf } from "./bench-sidecar.ts";
import { jobsPerSecond, prefix, setUpQueues, writeTraffic } from "./traffic.ts";
import { watchBrain } from "./watcher.ts";

const secondsOf: Readonly<Record<BenchMode, number>> = { quick: 6, standard: 60, full: 60 };
const warmUpSeconds = 3;
/** Events per job: sent, received, started and an end. */
const eventsPerJob = 4;
const latencyLimitMs = 1000;

/**
 * The complete chain for a busy application, each part in a separate process: BullMQ's writes for 2 000 jobs per second in Redis, the real
 * side-car, a real brain, and a user who reads over REST and the hub. Limits: the age of a task's end when it is first seen, lost or
 * duplicate events, and the cost of the side-car. Writer and watcher share the cores with the measured processes.
 */
export const suite: BenchSuite = {
  name: "end-to-end",
  about: `from BullMQ to REST and hub at ${jobsPerSecond} jobs/s: age, loss, CPU share of the side-car`,
  diskBytes: { quick: 600e6, standard: 2e9, full: 2e9 },
  run: (context) =>
    onDatabases(context, context.mode === "quick" ? ["sqlite"] : bothDialects, (place) => measure(context, place)),
};

async function measure(context: BenchContext, { label, home, databaseUrl }: Place): Promise<readonly BenchRow[]> {
  const redisServer = await startRedis();
  const redis = new Redis(redisServer.url);
  const brain = await startBenchBrain({ home, databaseUrl, agents: 1 });
  try {
    await setUpQueues(redis);
    const run = await runChain(context, { brain, redis, redisUrl: redisServer.url, home });
    await brain.stop();
    const stored = await withStorage(databaseUrl, storedEvents);
    return rowsOf(label, run, stored - run.jobs * eventsPerJob);
  } finally {
    redis.disconnect();
    await redisServer.stop();
  }
}

interface ChainRun {
  readonly jobs: number;
  readonly jobsASecond: number;
  readonly restMs: readonly number[];
  readonly hubMs: readonly number[];
  readonly sidecarCores: number;
  readonly brainCores: number;
  readonly residentBytes: number;
  readonly lost: number;
}

interface Chain {
  readonly brain: BenchBrain;
  readonly redis: Redis;
  readonly redisUrl: string;
  readonly home: string;
}

async function runChain(
  { mode, signal, log }: BenchContext,
  { brain, redis, redisUrl, home }: Chain,
): Promise<ChainRun> {
  const sidecar = await startSidecarOf(brain, { redis: redisUrl, prefix, bufferPath: join(home, "agent") });
  const watcher = await watchBrain(brain, signal);
  try {
    // Warm-up: the first seconds compile code and fill caches, so they are not measured.
    const warmUp = await writeTraffic(redis, { seconds: warmUpSeconds, signal });
    await sidecar.drained();
    const [from, brainFrom] = [await sidecar.state(), await brain.usage()];
    const beganAt = performance.now();
    const traffic = await writeTraffic(redis, {
      seconds: secondsOf[mode],
      signal,
      onEnd: (taskId, tick) => void (tick % 5 === 0 && watcher.follow(taskId)),
    });
    const wroteMs = performance.now() - beganAt;
    const [to, brainTo] = [await sidecar.state(), await brain.usage()];
    const seen = await watcher.settled();
    const last = await sidecar.drained();
    log(`${traffic.jobs} jobs in ${Math.round(wroteMs)} ms, ${seen.restMs.length} of them followed`);
    return {
      ...seen,
      jobs: warmUp.jobs + traffic.jobs,
      jobsASecond: traffic.jobs / (wroteMs / 1000),
      sidecarCores: (to.cpuMs - from.cpuMs) / wroteMs,
      brainCores: (brainTo.cpuSeconds - brainFrom.cpuSeconds) / (wroteMs / 1000),
      residentBytes: last.residentBytes,
      lost: last.lost,
    };
  } finally {
    watcher.close();
    sidecar.stop();
  }
}

async function storedEvents({ read }: BrainDatabase): Promise<number> {
  const row = await read
    .selectFrom("events")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

function rowsOf(database: string, run: ChainRun, surplus: number): readonly BenchRow[] {
  const age = (name: string, valuesMs: readonly number[]): BenchRow[] => [
    atMost(`${database}: event to ${name} at p95`, quantile(valuesMs, 0.95), "ms", { stated: latencyLimitMs }),
    note(`${database}: event to ${name} at p50`, quantile(valuesMs, 0.5), "ms"),
  ];
  return [
    atLeast(`${database}: jobs per second through the chain`, run.jobsASecond, "jobs/s", {
      limit: jobsPerSecond,
      target: 0.95,
    }),
    ...age("REST", run.restMs),
    ...age("hub", run.hubMs),
    atMost(`${database}: events lost or duplicated (limit 1, so any fails)`, Math.abs(surplus) + run.lost, "events", {
      limit: 1,
      target: 0,
    }),
    atMost(`${database}: CPU time of the side-car`, run.sidecarCores, "cores", { stated: 0.5 }),
    note(`${database}: CPU time of the brain`, run.brainCores, "cores"),
    note(`${database}: resident memory of the side-car`, run.residentBytes / 1e6, "MB"),
  ];
}
