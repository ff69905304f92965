import { retentionHorizonMs } from "@svc/protocol";
import { Type } from "typebox";
import type { Clock } from "../../platform/clock.ts";
import type { Routes } from "../../platform/http/app.ts";
import { ProjectParams } from "../../platform/http/schemas.ts";
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
  app.get(
    "/projects/:slug/agents",
    {
      schema: {
        operationId: "listAgents",
        summary: "List agents",
        description: "Lists all agents of the project that are not revoked, as one page.",
        params: ProjectParams,
        response: { 200: AgentList },
      },
      config: { tag: "agents", role: "viewer" },
    },
    async (request) => ({ items: await agents.list(request.project.id) }),
  );

  app.get(
    "/projects/:slug/agents/:agent_id",
    {
      schema: {
        operationId: "getAgent",
        summary: "Get an agent",
        description: "Returns one agent.",
        params: AgentParams,
        response: { 200: Agent },
      },
      config: { tag: "agents", role: "viewer" },
    },
    (request) => agents.get(request.project.id, request.params.agent_id),
  );

  app.post(
    "/projects/:slug/agents",
    {
      schema: {
        operationId: "createAgent",
        summary: "Create an agent",
        description: "Creates an agent and returns its token and its signing key. Both are shown only in this answer.",
        answers: { 409: "Another agent of the project has this name (`name_in_use`)." },
        params: ProjectParams,
        body: MintAgentBody,
        response: { 201: MintedAnswer },
      },
      config: { tag: "agents", role: "admin", freshMfa: true, stepUp: true },
    },
    async (request, reply) => {
      const origin = originOf(request, request.actor);
      const minted = await agents.mint({ projectId: request.project.id, name: request.body.name, origin });
      return reply.code(201).send(minted);
    },
  );

  app.delete(
    "/projects/:slug/agents/:agent_id",
    {
      schema: {
        operationId: "revokeAgent",
        summary: "Revoke an agent",
        description: "Revokes the agent and ends its connections. It cannot connect again; its tasks and events stay.",
        params: AgentParams,
        response: { 204: Type.Null() },
      },
      config: { tag: "agents", role: "admin", freshMfa: true },
    },
    async (request, reply) => {
      const origin = originOf(request, request.actor);
      await agents.revoke({ projectId: request.project.id, id: request.params.agent_id, origin });
      return reply.code(204).send(null);
    },
  );

  app.get(
    "/projects/:slug/agents/:agent_id/status-history",
    {
      schema: {
        operationId: "listAgentStatus",
        summary: "List status samples of an agent",
        description: "Returns the newest 100 status samples that the agent reported, newest first.",
        params: AgentParams,
        response: { 200: StatusHistory },
      },
      config: { tag: "agents", role: "viewer" },
    },
    async (request) => ({ items: await agents.statusHistory(request.project.id, request.params.agent_id) }),
  );

  app.get(
    "/projects/:slug/agent-workers",
    {
      schema: {
        operationId: "listAgentProcesses",
        summary: "List agent processes",
        description: "Lists the processes that agents of the project run in.",
        params: ProjectParams,
        querystring: ProcessQuery,
        response: { 200: Type.Array(AgentProcess, { description: "Processes of agents." }) },
      },
      config: { tag: "agent-workers", role: "viewer", sessionOnly: true },
    },
    (request) => agents.listProcesses(request.project.id, request.query),
  );

  app.get(
    "/projects/:slug/completeness",
    {
      schema: {
        operationId: "getCompleteness",
        summary: "Get gaps in the data",
        description:
          "Returns the periods in which agents lost records, so that an incomplete list is not mistaken for a complete one. Defaults to the last 24 hours; at most 90 days.",
        params: ProjectParams,
        querystring: CompletenessQuery,
        response: { 200: Completeness },
      },
      config: { tag: "agents", role: "viewer" },
    },
    async ({ project, query }) => {
      const now = clock.now();
      const range = rangeOrLastDay(query, now);
      const kept_since = new Date(retentionHorizonMs(now, settings.SVC_EVENT_RETENTION_DAYS));
      return { ...(await agents.completeness(project.id, range)), kept_since };
    },
  );
};
