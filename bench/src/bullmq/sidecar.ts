import { once } from "node:events";
import { join } from "node:path";
import { startRedis, waitFor } from "@svc/testkit";
import { Redis } from "ioredis";
import { startFile } from "../harness/processes.ts";
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
import type { SidecarState } from "./sidecar-process.ts";
import { jobsPerSecond, prefix, setUpQueues, writeTraffic } from "./traffic.ts";

const secondsOf: Readonly<Record<BenchMode, number>> = { quick: 6, standard: 60, full: 60 };

/**
 * The side-car with a busy application: this process simulates the writes of BullMQ's scripts for 2 000 jobs per second in four queues
 * (hashes and stream entries with the cap of the meta hash, no workers), another process runs the adapter. Limits: all finished jobs are
 * reported, no entry is lost, less than half a core, and the age of an event when it leaves the adapter.
 */
export const suite: BenchSuite = {
  name: "bullmq-sidecar",
  about: `the BullMQ side-car at ${jobsPerSecond} jobs/s: loss, CPU share, lag`,
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
    // Warm-up: the first seconds compile code, so they are not measured.
    await writeTraffic(redis, { seconds: 3, signal });
    const from = await sidecar.settled(3 * jobsPerSecond);
    const beganAt = performance.now();
    const traffic = await writeTraffic(redis, { seconds, signal });
    const wroteMs = performance.now() - beganAt;
    const to = await sidecar.settled((3 + seconds) * jobsPerSecond);
    const share = (to.cpuMs - from.cpuMs) / wroteMs;
    const lags = sidecar.lagsMs.slice(from.lagsSeen);
    log(`${traffic.entries} entries in ${Math.round(wroteMs)} ms, ${to.events - from.events} events`);
    return [
      atLeast(
        "finished jobs per second reported by the side-car",
        (to.ended - from.ended) / (wroteMs / 1000),
        "jobs/s",
        {
          limit: jobsPerSecond,
          target: 0.95,
        },
      ),
      note("stream entries written per second", traffic.entries / (wroteMs / 1000), "entries/s"),
      atMost("entries lost or reported twice (limit 1, so any fails)", to.lost, "entries", { limit: 1, target: 0 }),
      atMost("CPU time of the side-car", share, "cores", { stated: 0.5 }),
      atMost("age of an event at p95", quantile(lags, 0.95), "ms", { stated: 1000 }),
      note("age of an event at p50", quantile(lags, 0.5), "ms"),
      note("resident memory of the side-car", to.residentBytes / 1e6, "MB"),
    ];
  } finally {
    sidecar.stop();
    redis.disconnect();
    await server.stop();
  }
}

type Settled = SidecarState & { readonly lagsSeen: number };

function startSidecar(redisUrl: string) {
  const child = startFile(join(import.meta.dirname, "sidecar-process.ts"), { redis: redisUrl, prefix });
  let state: SidecarState | undefined;
  const lagsMs: number[] = [];
  child.on("message", (message) => {
    state = message as SidecarState;
    lagsMs.push(...state.lagsMs);
  });
  return {
    process: child,
    lagsMs,
    /** The state once this number of jobs has ended. */
    settled: (ended: number): Promise<Settled> =>
      waitFor(() => state && state.ended >= ended && { ...state, lagsSeen: lagsMs.length }, {
        withinMs: 20_000,
        that: `${ended} ended jobs in the side-car`,
      }),
    stop: () => void child.kill("SIGKILL"),
  };
}
