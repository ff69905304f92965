import { setTimeout as pause } from "node:timers/promises";
import { bothDialects, onDatabases, type Place } from "../harness/databases.ts";
import { type BenchBrain, startBenchBrain } from "../harness/processes.ts";
import { atMost, type BenchContext, type BenchMode, type BenchRow, type BenchSuite, note } from "../harness/suite.ts";
import { anyAddress, beat, connectAll } from "./fleet.ts";

/**
 * The cost of idle agents: each is connected over WebSocket and sends heartbeats at the service's interval. Memory and CPU are those of
 * `svc serve` alone.
 */
const agents: Record<BenchMode, number> = { quick: 2000, standard: 5000, full: 5000 };
/** Pause after the last connect. */
const settlingMs: Record<BenchMode, number> = { quick: 10_000, standard: 10_000, full: 10_000 };
/** Multiples of the heartbeat interval. */
const measuredMs: Record<BenchMode, number> = { quick: 10_000, standard: 30_000, full: 60_000 };
/** For 5000 agents. Fewer agents get a proportional share of the limit, after subtracting the process without connections. */
const limitBytes = 400e6;
const limitOfOneCore = 0.25;
const statedFor = 5000;
const samplesEveryMs = 1000;
const restingMs = 4000;

/** The process's maximum memory in bytes and mean CPU in cores. */
async function watch(brain: BenchBrain, forMs: number, signal: AbortSignal) {
  const startedMs = performance.now();
  const first = await brain.usage();
  let last = first;
  let rssBytes = first.rssBytes;
  while (performance.now() - startedMs < forMs) {
    await pause(samplesEveryMs, undefined, { signal });
    last = await brain.usage();
    rssBytes = Math.max(rssBytes, last.rssBytes);
  }
  return { rssBytes, cores: (last.cpuSeconds - first.cpuSeconds) / ((performance.now() - startedMs) / 1000) };
}

async function measure(context: BenchContext, { home, databaseUrl, dialect }: Place): Promise<BenchRow[]> {
  const { mode, signal } = context;
  const count = agents[mode];
  const brain = await startBenchBrain({ home, databaseUrl, agents: count, env: anyAddress });
  const resting = await watch(brain, restingMs, signal);
  const connectStartedMs = performance.now();
  const connected = await connectAll(brain, signal);
  const connectMs = performance.now() - connectStartedMs;
  const stopBeating = beat(connected);
  let closed = 0;
  for (const agent of connected) void agent.closed.then(() => (closed += 1));
  try {
    await pause(settlingMs[mode], undefined, { signal });
    const { rssBytes, cores } = await watch(brain, measuredMs[mode], signal);
    if (closed > 0) throw new Error(`${closed} of ${count} agents lost their connection`);
    const shareOf = (limit: number, atRest: number) => atRest + (limit - atRest) * (count / statedFor);
    const what = `${count} idle agents, ${dialect}`;
    context.log(`${what}: ${Math.round(rssBytes / 1e6)} MB, ${(cores * 100).toFixed(1)} % of a core`);
    return [
      atMost(`resident memory, ${what}`, rssBytes, "bytes", { limit: shareOf(limitBytes, resting.rssBytes) }),
      atMost(`of one core, ${what}`, cores, "cores", { stated: shareOf(limitOfOneCore, resting.cores) }),
      note(`memory before they connected, ${dialect}`, resting.rssBytes, "bytes"),
      note(`of one core before they connected, ${dialect}`, resting.cores, "cores"),
      note(`connects per second, ${dialect}`, count / (connectMs / 1000), "agents/s"),
    ];
  } finally {
    stopBeating();
    for (const { socket } of connected) socket.terminate();
    await brain.stop();
  }
}

export const suite: BenchSuite = {
  name: "idle-agents",
  about: "memory and CPU of svc serve while idle agents are connected",
  diskBytes: { quick: 1e9, standard: 1e9, full: 1e9 },
  run: (context) =>
    onDatabases(context, context.mode === "quick" ? ["sqlite"] : bothDialects, (place) => measure(context, place)),
};
