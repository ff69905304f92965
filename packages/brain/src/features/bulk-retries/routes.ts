import type { FastifyRequest } from "fastify";
import type { Database } from "../../platform/database/database.ts";
import type { Routes } from "../../platform/http/app.ts";
import type { PageSizes } from "../../platform/http/content/paging.ts";
import { ProjectParams } from "../../platform/http/schemas.ts";
import type { Tables } from "../../schema/tables/index.ts";
import { originOf } from "../audit/index.ts";
import type { BulkRetries } from "./bulk-retries.ts";
import type { Asker } from "./planning/create.ts";
import { listChildren, readPlan } from "./planning/plan.ts";
import { BulkRetryChildPage, BulkRetryPlan, ChildQuery } from "./planning/plan-schemas.ts";
import {
  BulkRetryBody,
  BulkRetryListQuery,
  BulkRetryParams,
  BulkRetryRequest,
  BulkRetryRequestPage,
} from "./schemas.ts";

const policy = { tag: "bulk-retry-requests", role: "operator" } as const;

export const bulkRetryRoutes: Routes<{
  bulkRetries: BulkRetries;
  database: Database<Tables>;
  settings: PageSizes & { readonly SVC_PUBLIC_URL: string };
}> = (app, { bulkRetries, database, settings }) => {
  const base = `${new URL(settings.SVC_PUBLIC_URL).origin}${app.prefix}`;

  app.post(
    "/projects/:slug/bulk-retry-requests",
    {
      schema: {
        params: ProjectParams,
        body: BulkRetryBody,
        response: { 200: BulkRetryRequest, 202: BulkRetryRequest },
      },
      config: { ...policy, bucket: "bulk" },
    },
    async (request, reply) => {
      const made = await bulkRetries.create(request.body, askerOf(request));
      const slug = encodeURIComponent(request.project.slug);
      reply.header("location", `${base}/projects/${slug}/bulk-retry-requests/${made.id}`);
      return reply.code(made.status === "in_progress" ? 202 : 200).send(made);
    },
  );

  app.get(
    "/projects/:slug/bulk-retry-requests",
    {
      schema: { params: ProjectParams, querystring: BulkRetryListQuery, response: { 200: BulkRetryRequestPage } },
      config: policy,
    },
    ({ project, query }) => bulkRetries.list(project.id, query, settings),
  );

  app.get(
    "/projects/:slug/bulk-retry-requests/:request_id",
    { schema: { params: BulkRetryParams, response: { 200: BulkRetryRequest } }, config: policy },
    ({ project, params }) => bulkRetries.get(project.id, params.request_id.toLowerCase()),
  );

  app.post(
    "/projects/:slug/bulk-retry-requests/:request_id/pause",
    { schema: { params: BulkRetryParams, response: { 200: BulkRetryRequest } }, config: policy },
    (request) => bulkRetries.pause(request.params.request_id.toLowerCase(), askerOf(request)),
  );

  app.post(
    "/projects/:slug/bulk-retry-requests/:request_id/resume",
    { schema: { params: BulkRetryParams, response: { 200: BulkRetryRequest } }, config: policy },
    (request) => bulkRetries.resume(request.params.request_id.toLowerCase(), askerOf(request)),
  );

  app.get(
    "/projects/:slug/bulk-retry-requests/:request_id/plan",
    { schema: { params: BulkRetryParams, response: { 200: BulkRetryPlan } }, config: policy },
    ({ project, params }) => readPlan(database, project.id, params.request_id.toLowerCase()),
  );

  app.get(
    "/projects/:slug/bulk-retry-requests/:request_id/children",
    {
      schema: { params: BulkRetryParams, querystring: ChildQuery, response: { 200: BulkRetryChildPage } },
      config: policy,
    },
    ({ project, params, query }) =>
      listChildren(database, settings, { projectId: project.id, id: params.request_id.toLowerCase(), query }),
  );
};

const askerOf = (request: Pick<FastifyRequest, "project" | "actor" | "clientAddress" | "headers">): Asker => ({
  projectId: request.project.id,
  userId: request.actor.user.id,
  origin: originOf(request, request.actor),
});
