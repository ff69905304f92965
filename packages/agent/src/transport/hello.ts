import { hostname } from "node:os";
import {
  type HelloPayload,
  headerNames,
  protocolVersion,
  retryContractMarker,
  retryResubmitsMarker,
  wireLimits,
} from "@svc/protocol";
import { capabilitiesByName, capabilitiesOf, type EngineAdapter, schedulerNames } from "../adapter.ts";
import type { AgentSettings } from "../options/options.ts";
import { agentVersion } from "../version.ts";

const maxNames = 64;

/** The hello payload of this process. @param startedMs when the agent started, part of the worker id. */
export function helloPayload(settings: AgentSettings, startedMs: number): HelloPayload {
  return {
    protocol_version: protocolVersion,
    agent_version: agentVersion,
    framework: settings.framework,
    engines: settings.engines.map(({ name }) => name).slice(0, maxNames),
    schedulers: schedulerNames(settings.engines, settings.schedulers).slice(0, maxNames),
    capabilities: capabilitiesByName(settings.engines),
    host: { name: settings.agentName ?? hostname(), hostname: hostname(), tags: settings.tags },
    worker_id: `${settings.framework}-${process.pid}-${startedMs}`,
    worker_role: settings.workerRole,
    worker_pid: process.pid,
    worker_started_at: new Date(startedMs).toISOString(),
    runtime_features: [],
  };
}

/** The poll headers that list the engines that retry by reference, and those that can only resubmit (also when they list both markers). */
export function retryHeaders(engines: readonly EngineAdapter[]): Record<string, string> {
  const { retryContracts = [], retryResubmits = [] } = Object.groupBy(engines, (engine) => {
    const tokens = capabilitiesOf(engine);
    if (tokens.includes(retryResubmitsMarker)) return "retryResubmits";
    return tokens.includes(retryContractMarker) ? "retryContracts" : "none";
  });
  return {
    ...(retryContracts.length > 0 && { [headerNames.retryContracts]: listOf(retryContracts) }),
    ...(retryResubmits.length > 0 && { [headerNames.retryResubmits]: listOf(retryResubmits) }),
  };
}

const listOf = (engines: readonly EngineAdapter[]): string =>
  engines
    .slice(0, wireLimits.retryContracts)
    .map(({ name }) => `${name}=1`)
    .join(",");
