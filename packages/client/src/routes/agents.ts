import { type CallOptions, pathOf, type Send } from "../request.ts";
import type { Agent, AgentProcess, AgentStatusSample, Completeness, MintedAgent } from "../types/agents.ts";

export function agentRoutes(send: Send) {
  return {
    listAgents: (slug: string, call?: CallOptions) =>
      send<{ items: Agent[] }>("GET", pathOf`/projects/${slug}/agents`, call),
    getAgent: (slug: string, agentId: string, call?: CallOptions) =>
      send<Agent>("GET", pathOf`/projects/${slug}/agents/${agentId}`, call),
    mintAgent: (slug: string, body: { name: string }, call?: CallOptions) =>
      send<MintedAgent>("POST", pathOf`/projects/${slug}/agents`, { ...call, body }),
    revokeAgent: (slug: string, agentId: string, call?: CallOptions) =>
      send<void>("DELETE", pathOf`/projects/${slug}/agents/${agentId}`, call),
    listAgentStatus: (slug: string, agentId: string, call?: CallOptions) =>
      send<{ items: AgentStatusSample[] }>("GET", pathOf`/projects/${slug}/agents/${agentId}/status-history`, call),
    listAgentProcesses: (slug: string, query: { state?: string; limit?: number } = {}, call?: CallOptions) =>
      send<AgentProcess[]>("GET", pathOf`/projects/${slug}/agent-workers`, { ...call, query }),
    /** Without since and until of the last 24 hours. */
    getCompleteness: (slug: string, query: { since?: string; until?: string } = {}, call?: CallOptions) =>
      send<Completeness>("GET", pathOf`/projects/${slug}/completeness`, { ...call, query }),
  };
}
