import { queryOptions } from "@tanstack/react-query";
import { api } from "../../api/api.ts";
import { patchOwnRow, patchRows } from "../../live/row-patches.ts";

export const agentsQuery = (slug: string) =>
  queryOptions({
    queryKey: ["agents", slug],
    queryFn: ({ signal }) => api.listAgents(slug, { signal }),
    staleTime: 5_000,
    meta: { live: { project: slug, on: { "agent.changed": { patch: patchRows } } } },
  });

export const agentQuery = (slug: string, agentId: string) =>
  queryOptions({
    queryKey: ["agent", slug, agentId],
    queryFn: ({ signal }) => api.getAgent(slug, agentId, { signal }),
    meta: { live: { project: slug, on: { "agent.changed": { patch: patchOwnRow } } } },
  });

export const agentStatusQuery = (slug: string, agentId: string) =>
  queryOptions({
    queryKey: ["agent-status", slug, agentId],
    queryFn: ({ signal }) => api.listAgentStatus(slug, agentId, { signal }),
    meta: { live: { project: slug } },
  });

export const agentProcessesQuery = (slug: string) =>
  queryOptions({
    queryKey: ["agent-processes", slug],
    queryFn: ({ signal }) => api.listAgentProcesses(slug, { limit: 500 }, { signal }),
    meta: { live: { project: slug } },
  });
