import type { Agent } from "@svc/client";
import { age, printable } from "../../ui/time/format.ts";
import { instant } from "../../ui/time/instants.ts";

/** An empty inventory means "not reported", never "none". */
export function enginesOf(agent: Agent): string {
  return agent.engine_adapters.length > 0 ? agent.engine_adapters.map(printable).join(", ") : "not reported";
}

export function transportOf(agent: Agent): string {
  if (agent.transport === "ws") return "WebSocket";
  if (agent.transport === "longpoll") return "long-poll";
  return "not reported";
}

/** Why the agent is in its state, in words. */
export function agentReason(agent: Agent, now: number): string {
  const seen = instant(agent.last_seen_at);
  const isPolling = agent.transport === "longpoll";
  if (Number.isNaN(seen)) return "waiting to connect";
  const silence = age(now - seen);
  if (agent.state === "online") {
    if (isPolling) return `uploads; the last ${silence} ago`;
    const connected = instant(agent.last_connect_at);
    return Number.isNaN(connected) ? `heard of ${silence} ago` : `connected for ${age(now - connected)}`;
  }
  if (isPolling) return `nothing uploaded for ${silence}; may still poll for commands`;
  return agent.state === "offline" ? `no connection for ${silence}` : `nothing heard for ${silence}`;
}

export interface VersionSkew {
  word: string;
  means: string;
  isWrong: boolean;
}

/** What there is to say about the agent's version; null when it is as it should be. */
export function versionSkew(agent: Agent): VersionSkew | null {
  switch (agent.version_status) {
    case "incompatible":
      return { word: "incompatible", means: "Its major version is not the service's: upgrade it.", isWrong: true };
    case "outdated":
      return { word: "outdated", means: "It is more than one minor version behind the service.", isWrong: false };
    case "newer_than_known":
      return { word: "newer", means: "It is newer than the service: upgrade the service first.", isWrong: false };
    case "unknown":
      return { word: "unknown version", means: "It told a version that says nothing.", isWrong: false };
    default:
      return agent.is_outdated
        ? { word: "outdated", means: "It is behind what the service expects.", isWrong: false }
        : null;
  }
}

export interface EngineCapabilities {
  engine: string;
  /** Capability tokens in plain words: `retry task`. */
  words: string[];
}

/** What the agent said it can do, by engine; empty when it reported nothing. */
export function capabilitiesOf(agent: Agent): EngineCapabilities[] {
  return Object.entries(agent.capabilities).map(([engine, tokens]) => ({
    engine,
    words: Array.isArray(tokens) ? tokens.map((token) => printable(String(token)).replaceAll("_", " ")) : [],
  }));
}

const troubleFirst = ["offline", "unknown", "online"];

/** Offline ones that were seen before come first, then those that never came, then the others by name. */
export function agentsInOrder(agents: readonly Agent[]): Agent[] {
  const rank = (agent: Agent) =>
    agent.state === "online" && versionSkew(agent)?.isWrong ? 0.5 : troubleFirst.indexOf(agent.state);
  return agents.toSorted((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}
