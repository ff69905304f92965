import { type AgentStatusPayload, type HeartbeatPayload, retryContractMarker, type TelemetryLoss } from "@svc/protocol";
import { connectRaw, type RawAgent, rawHello } from "@svc/testkit/raw-agent";
import type { BenchBrain } from "../harness/processes.ts";

/** Lets connections claim any source address; required by `connectAll`. */
export const anyAddress = { SVC_TRUSTED_PROXIES: "127.0.0.1/32" };
const connectedAtOnce = 16;

/** The heartbeat of an agent with an idle process. */
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

/** Connects all agents of the service, each from its own address, so that the connect budget does not delay them. */
export async function connectAll(brain: BenchBrain, signal: AbortSignal): Promise<RawAgent[]> {
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
        capabilities: { bullmq: ["retry_task", "cancel_task", retryContractMarker] },
      });
      connected.push(await connectRaw({ url: brain.url, ...credentials }, { headers, hello }));
    }
  };
  await Promise.all(Array.from({ length: connectedAtOnce }, worker));
  return connected;
}

/** Sends heartbeats of all agents, spread over the interval; returns a function that stops it. */
export function beat(connected: readonly RawAgent[]): () => void {
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
