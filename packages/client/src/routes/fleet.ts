import { type CallOptions, pathOf, type Send } from "../request.ts";
import type { AgentStatusSample } from "../types/agents.ts";
import type {
  Agent,
  AgentCreate,
  AgentPage,
  AgentProcess,
  Completeness,
  GetCompletenessQuery,
  GetQueueActivityQuery,
  GetQueueDepthsQuery,
  ListAgentProcessesQuery,
  ListQueuesQuery,
  ListWorkersQuery,
  MintedAgent,
  Queue,
  QueueActivities,
  QueueDepths,
  QueuePage,
  WorkerDetail,
  WorkerPage,
} from "../types/api.generated.ts";

export function agentRoutes(send: Send) {
  return {
    listAgents: (slug: string, call?: CallOptions) => send<AgentPage>("GET", pathOf`/projects/${slug}/agents`, call),
    getAgent: (slug: string, agentId: string, call?: CallOptions) =>
      send<Agent>("GET", pathOf`/projects/${slug}/agents/${agentId}`, call),
    createAgent: (slug: string, body: AgentCreate, call?: CallOptions) =>
      send<MintedAgent>("POST", pathOf`/projects/${slug}/agents`, { ...call, body }),
    revokeAgent: (slug: string, agentId: string, call?: CallOptions) =>
      send<void>("DELETE", pathOf`/projects/${slug}/agents/${agentId}`, call),
    listAgentStatus: (slug: string, agentId: string, call?: CallOptions) =>
      send<{ items: AgentStatusSample[] }>("GET", pathOf`/projects/${slug}/agents/${agentId}/status-history`, call),
    listAgentProcesses: (slug: string, query: ListAgentProcessesQuery = {}, call?: CallOptions) =>
      send<AgentProcess[]>("GET", pathOf`/projects/${slug}/agent-workers`, { ...call, query: { ...query } }),
    /** Without since and until of the last 24 hours. */
    getCompleteness: (slug: string, query: GetCompletenessQuery = {}, call?: CallOptions) =>
      send<Completeness>("GET", pathOf`/projects/${slug}/completeness`, { ...call, query: { ...query } }),
  };
}

export function queueRoutes(send: Send) {
  return {
    listQueues: (slug: string, query: ListQueuesQuery = {}, call?: CallOptions) =>
      send<QueuePage>("GET", pathOf`/projects/${slug}/queues`, { ...call, query: { ...query } }),
    getQueue: (slug: string, engine: string, name: string, call?: CallOptions) =>
      send<Queue>("GET", pathOf`/projects/${slug}/queues/${engine}/${name}`, call),
    getQueueActivity: (slug: string, query: GetQueueActivityQuery = {}, call?: CallOptions) =>
      send<QueueActivities>("GET", pathOf`/projects/${slug}/queues/activity`, { ...call, query: { ...query } }),
    getQueueDepths: (slug: string, engine: string, name: string, query: GetQueueDepthsQuery = {}, call?: CallOptions) =>
      send<QueueDepths>("GET", pathOf`/projects/${slug}/queues/${engine}/${name}/depths`, {
        ...call,
        query: { ...query },
      }),
  };
}

export function workerRoutes(send: Send) {
  return {
    listWorkers: (slug: string, query: ListWorkersQuery = {}, call?: CallOptions) =>
      send<WorkerPage>("GET", pathOf`/projects/${slug}/workers`, { ...call, query: { ...query } }),
    getWorker: (slug: string, workerId: string, call?: CallOptions) =>
      send<WorkerDetail>("GET", pathOf`/projects/${slug}/workers/${workerId}`, call),
  };
}
