import { hostname } from "node:os";
import {
  type HelloPayload,
  protocolVersion,
  retryContractMarker,
  retryResubmitsMarker,
  wireLimits,
} from "@svc/protocol";
import { capabilitiesOf, type EngineAdapter } from "./adapter.ts";
import type { AgentSettings } from "./options.ts";
import { agentVersion } from "./version.ts";

const maxNames = 64;

/** hello of this process (spec part 3, section 1.3). @param startedMs when the agent started, part of the worker id. */
export function helloPayload(settings: AgentSettings, startedMs: number): HelloPayload {
  return {
    protocol_version: protocolVersion,
    agent_version: agentVersion,
    framework: settings.framework,
    engines: settings.engines.map(({ name }) => name).slice(0, maxNames),
    schedulers: settings.schedulers.slice(0, maxNames),
    capabilities: Object.fromEntries(settings.engines.map((engine) => [engine.name, capabilitiesOf(engine)])),
    host: { name: settings.agentName ?? hostname(), hostname: hostname(), tags: settings.tags },
    worker_id: `${settings.framework}-${process.pid}-${startedMs}`,
    worker_role: settings.workerRole,
    worker_pid: process.pid,
    worker_started_at: new Date(startedMs).toISOString(),
    runtime_features: [],
  };
}

/**
 * Value of the retry-contracts header: the engines whose adapter retries by reference, or by submitting again the inputs that a command
 * brings; undefined when there is none.
 */
export function retryContracts(engines: readonly EngineAdapter[]): string | undefined {
  const names = engines
    .filter((engine) => [retryContractMarker, retryResubmitsMarker].some((one) => capabilitiesOf(engine).includes(one)))
    .map(({ name }) => name);
  if (names.length === 0) return undefined;
  return names
    .slice(0, wireLimits.retryContracts)
    .map((name) => `${name}=1`)
    .join(",");
}
