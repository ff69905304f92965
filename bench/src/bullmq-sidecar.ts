import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { startRedis, waitFor } from "@svc/testkit";
import { Redis } from "ioredis";
import type { SidecarState } from "./bullmq-sidecar-process.ts";
import { jobsPerSecond, prefix, setUpQueues, writeTraffic } from "./bullmq-traffic.ts";
import { quantile } from "./quantile.ts";
import { atLeast, atMost, type BenchContext, type BenchMode, type BenchRow, type BenchSuite, note } from "./suite.ts";

const secondsOf: Readonly<Record<BenchMode, number>> = { quick: 6, standard: 60, full: 60 };

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
    await writeTraffic(redis, { seconds: 3, signal });
    const from = await sidecar.settled(3 * jobsPerSecond);
    const beganAt = performance.now();
    const traffic = await writeTraffic(redis, { seconds, signal });
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
