import { queryOptions, useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/api.ts";
import { useHub } from "../../live/live.ts";

export const agentsQuery = (slug: string) =>
  queryOptions({
    queryKey: ["agents", slug],
    queryFn: ({ signal }) => api.listAgents(slug, { signal }),
    staleTime: 5_000,
  });

export const agentQuery = (slug: string, agentId: string) =>
  queryOptions({
    queryKey: ["agent", slug, agentId],
    queryFn: ({ signal }) => api.getAgent(slug, agentId, { signal }),
  });

export const agentStatusQuery = (slug: string, agentId: string) =>
  queryOptions({
    queryKey: ["agent-status", slug, agentId],
    queryFn: ({ signal }) => api.listAgentStatus(slug, agentId, { signal }),
  });

export const agentProcessesQuery = (slug: string) =>
  queryOptions({
    queryKey: ["agent-processes", slug],
    queryFn: ({ signal }) => api.listAgentProcesses(slug, { limit: 500 }, { signal }),
  });

/** Keeps the cached list in step with the hub. */
export function useLiveAgents(slug: string): void {
  const client = useQueryClient();
  useHub("agent.changed", (event) => {
    const key = agentsQuery(slug).queryKey;
    if (event.refetch) {
      void client.invalidateQueries({ queryKey: key });
      return;
    }
    client.setQueryData(key, (old) => old && { items: applyRows(old.items, event) });
    for (const row of event.rows ?? [])
      client.setQueryData(agentQuery(slug, row.id).queryKey, (old) => old && { ...old, ...row });
  });
}

/** Changed rows replaced in place, new ones at the end, removed ones gone. */
export function applyRows<Row extends { id: string }>(
  items: Row[],
  event: { rows?: Row[]; removed?: string[] },
): Row[] {
  const changed = new Map((event.rows ?? []).map((row) => [row.id, row]));
  const gone = new Set(event.removed ?? []);
  const known = new Set(items.map((item) => item.id));
  const kept = items.filter((item) => !gone.has(item.id)).map((item) => ({ ...item, ...changed.get(item.id) }));
  return [...kept, ...[...changed.values()].filter((row) => !known.has(row.id))];
}
