import type { Loop } from "../../platform/loop.ts";
import type { Agents } from "./agents.ts";

interface AgentLoopDeps {
  agents: Pick<Agents, "sweepOffline" | "sweepStale">;
  settings: { SVC_AGENT_HEALTH_SWEEP_SECONDS: number; SVC_AGENT_HYGIENE_SWEEP_SECONDS: number };
}

/** Takes silent agents offline. In every replica: one statement on condition, so that two of them do no harm. */
export const sweepOfflineAgents: Loop<AgentLoopDeps> = {
  name: "agents.health",
  everyMs: ({ settings }) => settings.SVC_AGENT_HEALTH_SWEEP_SECONDS * 1000,
  leaderOnly: false,
  async tick({ agents }) {
    return { offline: await agents.sweepOffline() };
  },
};

/** Revokes agents that nobody uses any more. Leader only, so that one revocation writes one audit row. */
export const sweepStaleAgents: Loop<AgentLoopDeps> = {
  name: "agents.hygiene",
  everyMs: ({ settings }) => settings.SVC_AGENT_HYGIENE_SWEEP_SECONDS * 1000,
  leaderOnly: true,
  async tick({ agents }) {
    return { revoked: await agents.sweepStale() };
  },
};
