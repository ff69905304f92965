import { startAgent } from "@svc/agent";
import { createBullmqAdapter } from "@svc/bullmq";

/**
 * The measured side-car of end-to-end.ts: the complete agent with its buffer on disk, redaction and transport, as started by
 * `svc agent bullmq`. Takes its options as a JSON argument, answers any message with its state, and ends when the parent disconnects.
 */
export interface AgentState {
  readonly cpuMs: number;
  readonly residentBytes: number;
  readonly bufferedFrames: number;
  readonly lost: number;
}

export interface AgentProcessOptions {
  readonly redis: string;
  readonly prefix: string;
  readonly brainUrl: string;
  readonly token: string;
  readonly hmacSecret: string;
  readonly bufferPath: string;
}

const { redis, prefix, ...connection } = JSON.parse(process.argv[2] ?? "{}") as AgentProcessOptions;
const agent = startAgent({
  ...connection,
  engines: [createBullmqAdapter({ redis, prefixes: [prefix] })],
  log: { debug() {}, info() {}, warn: console.error, error: console.error },
});
await agent.ready;

function state(): AgentState {
  const { user, system } = process.cpuUsage();
  const { loss, bufferDepth, waitingEvents } = agent.status();
  const fromAdapters = Object.values(loss?.adapter_events ?? {}).reduce((sum, count) => sum + count, 0);
  return {
    cpuMs: (user + system) / 1000,
    residentBytes: process.memoryUsage.rss(),
    bufferedFrames: bufferDepth + (waitingEvents > 0 ? 1 : 0),
    lost: (loss?.event_records ?? 0) + fromAdapters,
  };
}

process.on("message", () => process.send?.(state()));
process.once("disconnect", () => process.exit(0));
process.send?.(state());
