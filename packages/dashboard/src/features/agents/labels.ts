import type { Agent } from "@svc/client";
import { age, printable } from "../../ui/time/format.ts";
import { instant } from "../../ui/time/instants.ts";

/** An agent without reported engines may still have some. */
export function enginesOf(agent: Agent): string {
  return agent.engine_adapters.length > 0 ? agent.engine_adapters.map(printable).join(", ") : "not reported";
}

export function transportOf(agent: Agent): string {
  if (agent.transport === "ws") return "WebSocket";
  if (agent.transport === "longpoll") return "long-poll";
  return "not reported";
}

export const notConnectedYet = "not connected yet";

/** Whether the agent has neither connected nor polled. */
export const isNotConnectedYet = (agent: Agent): boolean =>
  agent.state === "unknown" && !agent.last_seen_at && !agent.last_connect_at;

/** Why the agent is in its state. */
export function agentReason(agent: Agent, now: number): string {
  if (isNotConnectedYet(agent)) return `created ${age(now - instant(agent.created_at))} ago`;
  const isPolling = agent.transport === "longpoll";
  const seen = instant(agent.last_seen_at);
  if (Number.isNaN(seen)) return "polls for commands";
  const silence = age(now - seen);
  if (agent.state === "online") {
    if (isPolling) return `last upload ${silence} ago`;
    const connected = instant(agent.last_connect_at);
    return Number.isNaN(connected) ? `last seen ${silence} ago` : `connected for ${age(now - connected)}`;
  }
  return isPolling ? `no upload for ${silence}, may still poll for commands` : `disconnected for ${silence}`;
}

export interface VersionSkew {
  word: string;
  means: string;
  isBad: boolean;
}

/** The problem with the agent's version, or null. */
export function versionSkew(agent: Agent): VersionSkew | null {
  switch (agent.version_status) {
    case "incompatible":
      return {
        word: "incompatible",
        means: "Its major version differs from the server's. Upgrade the older one.",
        isBad: true,
      };
    case "outdated":
      return {
        word: "outdated",
        means: "More than one minor version behind the server. Upgrade the agent.",
        isBad: false,
      };
    case "newer_than_known":
      return { word: "newer", means: "Newer than the server. Upgrade the server.", isBad: false };
    case "unknown":
      return { word: "unknown version", means: "The agent reported an unrecognised version.", isBad: false };
    default:
      return agent.is_outdated
        ? { word: "outdated", means: "Older than the version this server expects.", isBad: false }
        : null;
  }
}

export interface EngineCapabilities {
  engine: string;
  /** Capability tokens in plain words: `retry task`. */
  labels: string[];
}

/** The reported capabilities by engine; empty if none were reported. */
export function capabilitiesOf(agent: Agent): EngineCapabilities[] {
  return Object.entries(agent.capabilities).map(([engine, tokens]) => ({
    engine,
    labels: Array.isArray(tokens) ? tokens.map((token) => printable(String(token)).replaceAll("_", " ")) : [],
  }));
}

const stateOrder = ["offline", "unknown", "online"];

/** Offline agents first, then those that never connected, then the others by name. */
export function agentsInOrder(agents: readonly Agent[]): Agent[] {
  const rank = (agent: Agent) =>
    agent.state === "online" && versionSkew(agent)?.isBad ? 0.5 : stateOrder.indexOf(agent.state);
  return agents.toSorted((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}
