import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { AgentStatusPayload, HeartbeatPayload, TelemetryLoss } from "@svc/protocol";
import { createTestDatabase } from "@svc/testkit";
import { connectRaw, type RawAgent, rawHello } from "@svc/testkit/raw-agent";
import { type BenchBrain, startBenchBrain } from "./brain-client.ts";
import { atMost, type BenchContext, type BenchMode, type BenchRow, type BenchSuite, note } from "./suite.ts";

/**
 * What agents cost that have nothing to tell: each is connected over WebSocket, and says in the interval that the service asks for that it
 * lives and how it is. Memory and CPU are those of `svc serve` alone.
 */
const agents: Record<BenchMode, number> = { quick: 500, standard: 5000, full: 5000 };
/** Whole intervals of the heartbeats. */
const measuredMs: Record<BenchMode, number> = { quick: 10_000, standard: 30_000, full: 60_000 };
/** For 5000 agents. Of fewer, each has the same share of what is left beside a process that nobody is connected to. */
const limitBytes = 400e6;
const limitOfOneCore = 0.25;
const statedFor = 5000;
const connectedAtOnce = 16;
const samplesEveryMs = 1000;
const restingMs = 3000;

/** What an agent of a queue system says of a process that idles. */
function vitalsOf(agent: number, ageSeconds: number) {
  const telemetry_loss: TelemetryLoss = {
    buffer_id: `buffer-${agent}`,
    runtime_id: `runtime-${agent}`,
    capacity_evicted_frames: 0,
    content_rejected_frames: 0,
    event_records: 0,
    command_results: 0,
    other_frames: 0,
    unclassified_frames: 0,
    adapter_events: {},
  };
  const heartbeat: HeartbeatPayload = {
    buffer_size: 0,
    last_flush_at: null,
    dropped_events: 0,
    telemetry_loss,
    adapter_health: {},
  };
  const agent_status: AgentStatusPayload = {
    telemetry_loss,
    auth_failure_streak: 0,
    protocol_failure_streak: 0,
    connection_failure_streak: 0,
    last_successful_connect_at: new Date().toISOString(),
    current_session_age_seconds: ageSeconds,
    buffer_depth: 0,
    buffer_oldest_age_seconds: null,
    agent_version: "0.1.0",
    protocol_version: "2",
    engines: ["bullmq"],
    schedulers: [],
  };
  return { heartbeat, agent_status };
}

/** Each from an address of its own, so that the budget of connects does not hold them up. */
async function connectAll(brain: BenchBrain, signal: AbortSignal): Promise<RawAgent[]> {
  const connected: RawAgent[] = [];
  const waiting = [...brain.agents.entries()];
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      signal.throwIfAborted();
      const [index, credentials] = next;
      const headers = { "x-forwarded-for": `10.1.${index >> 8}.${index & 255}` };
      const hello = rawHello({
        worker_id: `host-${index}-1-main`,
        worker_role: "task",
        capabilities: { bullmq: ["retry_task", "cancel_task", "retry_contract_v1"] },
      });
      connected.push(await connectRaw({ url: brain.url, ...credentials }, { headers, hello }));
    }
  };
  await Promise.all(Array.from({ length: connectedAtOnce }, worker));
  return connected;
}

/** Lets every agent beat, spread over the interval as agents are that started at different times. */
function beat(connected: readonly RawAgent[]): () => void {
  const timers = new Set<NodeJS.Timeout>();
  for (const [index, agent] of connected.entries()) {
    const everyMs = agent.hello.heartbeat_interval_seconds * 1000;
    const startedMs = performance.now();
    const say = () => {
      const { heartbeat, agent_status } = vitalsOf(index, (performance.now() - startedMs) / 1000);
      agent.sendFrame("heartbeat", heartbeat);
      agent.sendFrame("agent_status", agent_status);
    };
    const begin = setTimeout(
      () => {
        timers.delete(begin);
        say();
        timers.add(setInterval(say, everyMs));
      },
      (index / connected.length) * everyMs,
    );
    timers.add(begin);
  }
  return () => {
    for (const timer of timers) clearTimeout(timer);
  };
}

/** The greatest memory and the mean CPU of the process, in bytes and cores. */
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

async function measure(
  context: BenchContext,
  { name, databaseUrl }: { name: string; databaseUrl?: string },
): Promise<BenchRow[]> {
  const { mode, signal } = context;
  const count = agents[mode];
  const home = join(context.scratchDir, name);
  await mkdir(home, { recursive: true });
  const brain = await startBenchBrain({
    home,
    agents: count,
    env: { SVC_TRUSTED_PROXIES: "127.0.0.1/32" },
    ...(databaseUrl !== undefined && { databaseUrl }),
  });
  const resting = await watch(brain, restingMs, signal);
  const connectStartedMs = performance.now();
  const connected = await connectAll(brain, signal);
  const connectMs = performance.now() - connectStartedMs;
  const stopBeating = beat(connected);
  let closed = 0;
  for (const agent of connected) void agent.closed.then(() => (closed += 1));
  try {
    // The first interval is that of the connects themselves.
    await pause((connected[0]?.hello.heartbeat_interval_seconds ?? 0) * 1000, undefined, { signal });
    const { rssBytes, cores } = await watch(brain, measuredMs[mode], signal);
    if (closed > 0) throw new Error(`${closed} of ${count} agents lost their connection`);
    const shareOf = (limit: number, atRest: number) => atRest + (limit - atRest) * (count / statedFor);
    const what = `${count} idle agents, ${name}`;
    context.log(`${what}: ${Math.round(rssBytes / 1e6)} MB, ${(cores * 100).toFixed(1)} % of a core`);
    return [
      atMost({
        name: `resident memory, ${what}`,
        figure: rssBytes,
        unit: "bytes",
        limit: shareOf(limitBytes, resting.rssBytes),
        target: 1,
      }),
      atMost({
        name: `of one core, ${what}`,
        figure: cores,
        unit: "cores",
        limit: shareOf(limitOfOneCore, resting.cores),
        target: 1,
      }),
      note({ name: `memory before they connected, ${name}`, figure: resting.rssBytes, unit: "bytes" }),
      note({ name: `of one core before they connected, ${name}`, figure: resting.cores, unit: "cores" }),
      note({ name: `connects a second, ${name}`, figure: count / (connectMs / 1000), unit: "agents/s" }),
    ];
  } finally {
    stopBeating();
    for (const { socket } of connected) socket.terminate();
    await brain.stop();
  }
}

async function measureBoth(context: BenchContext): Promise<readonly BenchRow[]> {
  const rows = await measure(context, { name: "sqlite" });
  const { url, drop } = await createTestDatabase(await context.postgres());
  try {
    rows.push(...(await measure(context, { name: "postgres", databaseUrl: url })));
  } finally {
    await drop();
  }
  return rows;
}

export const suite: BenchSuite = {
  name: "idle-agents",
  about: "memory and CPU of svc serve while agents are connected that have nothing to tell",
  diskBytes: { quick: 1e9, standard: 1e9, full: 1e9 },
  run: measureBoth,
};
