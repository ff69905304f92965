import type { FastifyRequest } from "fastify";
import { operation, type Routes } from "../../platform/http/app.ts";
import type { PageSizes } from "../../platform/http/content/paging.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";
import { originOf } from "../audit/index.ts";
import type { BulkRetries } from "./bulk-retries.ts";
import type { Requester } from "./planning/create.ts";
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
  database: BrainDatabase;
  settings: PageSizes & { readonly SVC_PUBLIC_URL: string };
}> = (app, { bulkRetries, database, settings }) => {
  const base = `${new URL(settings.SVC_PUBLIC_URL).origin}${app.prefix}`;

  operation(app, "POST /projects/:slug/bulk-retry-requests", {
    operationId: "createBulkRetry",
    summary: "Create a bulk retry",
    description:
      "Selects the tasks that match the filter and retries them one by one, across restarts of the service. With `filter.q`, the search runs after the response, in status `sealing`. Repeating the request with the same idempotency key returns the existing bulk retry.",
    answers: {
      200: {
        description: "The existing bulk retry for this key, or one without matching tasks.",
        headers: { Location: "URL of the bulk retry." },
      },
      202: {
        description: "The bulk retry was created and is sealing or in progress.",
        headers: { Location: "URL of the bulk retry." },
      },
      400: "The filter has an unknown key, or no agent can retry for its engine.",
      409: "The idempotency key is in use for another request (`idempotency_key_in_use`).",
    },
    body: BulkRetryBody,
    response: { 200: BulkRetryRequest, 202: BulkRetryRequest },
    policy: { ...policy, bucket: "bulk" },
    handler: async (request, reply) => {
      const made = await bulkRetries.create(request.body, requesterOf(request));
      const slug = encodeURIComponent(request.project.slug);
      reply.header("location", `${base}/projects/${slug}/bulk-retry-requests/${made.id}`);
      return reply.code(made.status === "in_progress" || made.status === "sealing" ? 202 : 200).send(made);
    },
  });

  operation(app, "GET /projects/:slug/bulk-retry-requests", {
    operationId: "listBulkRetries",
    summary: "List bulk retries",
    description: "Lists the bulk retries of the project, newest first.",
    querystring: BulkRetryListQuery,
    response: { 200: BulkRetryRequestPage },
    policy,
    handler: ({ project, query }) => bulkRetries.list(project.id, query, settings),
  });

  operation(app, "GET /projects/:slug/bulk-retry-requests/:request_id", {
    operationId: "getBulkRetry",
    summary: "Get a bulk retry",
    description: "Returns one bulk retry with its progress.",
    params: BulkRetryParams,
    response: { 200: BulkRetryRequest },
    policy,
    handler: ({ project, params }) => bulkRetries.get(project.id, params.request_id.toLowerCase()),
  });

  operation(app, "POST /projects/:slug/bulk-retry-requests/:request_id/pause", {
    operationId: "pauseBulkRetry",
    summary: "Pause a bulk retry",
    description: "Stops sending tasks. Retries that were already sent continue.",
    answers: { 409: "The bulk retry has finished (`finished`) or is not sealed yet (`sealing`)." },
    params: BulkRetryParams,
    response: { 200: BulkRetryRequest },
    policy,
    handler: (request) => bulkRetries.pause(request.params.request_id.toLowerCase(), requesterOf(request)),
  });

  operation(app, "POST /projects/:slug/bulk-retry-requests/:request_id/resume", {
    operationId: "resumeBulkRetry",
    summary: "Resume a bulk retry",
    description: "Continues a paused or blocked bulk retry with a new deadline.",
    answers: { 409: "The bulk retry has finished (`finished`) or is not sealed yet (`sealing`)." },
    params: BulkRetryParams,
    response: { 200: BulkRetryRequest },
    policy,
    handler: (request) => bulkRetries.resume(request.params.request_id.toLowerCase(), requesterOf(request)),
  });

  operation(app, "POST /projects/:slug/bulk-retry-requests/:request_id/cancel", {
    operationId: "cancelBulkRetry",
    summary: "Cancel a bulk retry that is not sealed",
    description: "Ends the search of a bulk retry in status `sealing`. No task is retried.",
    answers: { 409: "The bulk retry is sealed (`sealed`; pause it instead) or has finished (`finished`)." },
    params: BulkRetryParams,
    response: { 200: BulkRetryRequest },
    policy,
    handler: (request) => bulkRetries.cancel(request.params.request_id.toLowerCase(), requesterOf(request)),
  });

  operation(app, "GET /projects/:slug/bulk-retry-requests/:request_id/plan", {
    operationId: "getBulkRetryPlan",
    summary: "Get the plan of a bulk retry",
    description: "Returns the filter and limits of the bulk retry. The plan never changes.",
    params: BulkRetryParams,
    response: { 200: BulkRetryPlan },
    policy,
    handler: ({ project, params }) => readPlan(database, project.id, params.request_id.toLowerCase()),
  });

  operation(app, "GET /projects/:slug/bulk-retry-requests/:request_id/children", {
    operationId: "listBulkRetryChildren",
    summary: "List the tasks of a bulk retry",
    description: "Lists the tasks of a bulk retry with their outcomes, in sending order.",
    params: BulkRetryParams,
    querystring: ChildQuery,
    response: { 200: BulkRetryChildPage },
    policy,
    handler: ({ project, params, query }) =>
      listChildren(database, settings, { projectId: project.id, id: params.request_id.toLowerCase(), query }),
  });
};

const requesterOf = (
  request: Pick<FastifyRequest, "project" | "actor" | "caller" | "clientAddress" | "headers">,
): Requester => ({
  projectId: request.project.id,
  userId: request.actor.user.id,
  origin: originOf(request),
});
