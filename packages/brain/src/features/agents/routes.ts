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
    { schema: { params: ProjectParams, response: { 200: AgentList } }, config: { tag: "agents", role: "viewer" } },
    async (request) => ({ items: await agents.list(request.project.id) }),
  );

  app.get(
    "/projects/:slug/agents/:agent_id",
    { schema: { params: AgentParams, response: { 200: Agent } }, config: { tag: "agents", role: "viewer" } },
    (request) => agents.get(request.project.id, request.params.agent_id),
  );

  app.post(
    "/projects/:slug/agents",
    {
      schema: { params: ProjectParams, body: MintAgentBody, response: { 201: MintedAnswer } },
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
      schema: { params: AgentParams, response: { 204: Type.Null() } },
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
    { schema: { params: AgentParams, response: { 200: StatusHistory } }, config: { tag: "agents", role: "viewer" } },
    async (request) => ({ items: await agents.statusHistory(request.project.id, request.params.agent_id) }),
  );

  app.get(
    "/projects/:slug/agent-workers",
    {
      schema: { params: ProjectParams, querystring: ProcessQuery, response: { 200: Type.Array(AgentProcess) } },
      config: { tag: "agent-workers", role: "viewer", sessionOnly: true },
    },
    (request) => agents.listProcesses(request.project.id, request.query),
  );

  app.get(
    "/projects/:slug/completeness",
    {
      schema: { params: ProjectParams, querystring: CompletenessQuery, response: { 200: Completeness } },
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
