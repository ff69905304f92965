import { retentionHorizonMs } from "@svc/protocol";
import { Type } from "typebox";
import type { Clock } from "../../platform/clock.ts";
import { operation, type Routes } from "../../platform/http/app.ts";
import { originOf } from "../audit/index.ts";
import { rangeOrLastDay } from "../stats/index.ts";
import type { Agents } from "./agents.ts";
import {
  Agent,
  AgentList,
  AgentParams,
  AgentProcess,
  Completeness,
  CompletenessQuery,
  MintAgentBody,
  MintedAnswer,
  ProcessQuery,
  StatusHistory,
} from "./schemas.ts";

interface AgentRouteDeps {
  readonly agents: Agents;
  readonly clock: Pick<Clock, "now">;
  readonly settings: { readonly SVC_EVENT_RETENTION_DAYS: number };
}

export const agentRoutes: Routes<AgentRouteDeps> = (app, { agents, clock, settings }) => {
  operation(app, "GET /projects/:slug/agents", {
    operationId: "listAgents",
    summary: "List agents",
    description: "Lists all agents of the project that are not revoked, as one page.",
    response: { 200: AgentList },
    policy: { tag: "agents", role: "viewer" },
    handler: async (request) => ({ items: await agents.list(request.project.id) }),
  });

  operation(app, "GET /projects/:slug/agents/:agent_id", {
    operationId: "getAgent",
    summary: "Get an agent",
    description: "Returns one agent.",
    params: AgentParams,
    response: { 200: Agent },
    policy: { tag: "agents", role: "viewer" },
    handler: (request) => agents.get(request.project.id, request.params.agent_id),
  });

  operation(app, "POST /projects/:slug/agents", {
    operationId: "createAgent",
    summary: "Create an agent",
    description: "Creates an agent and returns its token and its signing key. Both are shown only in this answer.",
    answers: { 409: "Another agent of the project has this name (`name_in_use`)." },
    body: MintAgentBody,
    response: { 201: MintedAnswer },
    policy: { tag: "agents", role: "admin", freshMfa: true, stepUp: true },
    handler: (request) => {
      const origin = originOf(request);
      return agents.mint({ projectId: request.project.id, name: request.body.name, origin });
    },
  });

  operation(app, "DELETE /projects/:slug/agents/:agent_id", {
    operationId: "revokeAgent",
    summary: "Revoke an agent",
    description: "Revokes the agent and ends its connections. It cannot reconnect; its tasks and events are kept.",
    params: AgentParams,
    response: { 204: Type.Null() },
    policy: { tag: "agents", role: "admin", freshMfa: true },
    handler: (request) =>
      agents.revoke({ projectId: request.project.id, id: request.params.agent_id, origin: originOf(request) }),
  });

  operation(app, "GET /projects/:slug/agents/:agent_id/status-history", {
    operationId: "listAgentStatus",
    summary: "List status samples of an agent",
    description: "Returns the newest 100 status samples that the agent reported, newest first.",
    params: AgentParams,
    response: { 200: StatusHistory },
    policy: { tag: "agents", role: "viewer" },
    handler: async (request) => ({ items: await agents.statusHistory(request.project.id, request.params.agent_id) }),
  });

  operation(app, "GET /projects/:slug/agent-workers", {
    operationId: "listAgentProcesses",
    summary: "List agent processes",
    description: "Lists the processes that run agents of the project.",
    querystring: ProcessQuery,
    response: { 200: Type.Array(AgentProcess, { description: "Processes of agents." }) },
    policy: { tag: "agent-workers", role: "viewer", sessionOnly: true },
    handler: (request) => agents.listProcesses(request.project.id, request.query),
  });

  operation(app, "GET /projects/:slug/completeness", {
    operationId: "getCompleteness",
    summary: "Get gaps in the data",
    description:
      "Returns the periods in which agents lost records, which shows whether a list is complete. Defaults to the last 24 hours; at most 90 days.",
    querystring: CompletenessQuery,
    response: { 200: Completeness },
    policy: { tag: "agents", role: "viewer" },
    handler: async ({ project, query }) => {
      const now = clock.now();
      const range = rangeOrLastDay(query, now);
      const kept_since = new Date(retentionHorizonMs(now, settings.SVC_EVENT_RETENTION_DAYS));
      return { ...(await agents.completeness(project.id, range)), kept_since };
    },
  });
};
