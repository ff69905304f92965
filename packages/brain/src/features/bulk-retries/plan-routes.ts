import type { Database } from "../../platform/database/database.ts";
import type { Routes } from "../../platform/http/app.ts";
import type { PageSizes } from "../../platform/http/paging.ts";
import type { Tables } from "../../schema/tables/index.ts";
import { listChildren, readPlan } from "./plan.ts";
import { BulkRetryChildPage, BulkRetryPlan, ChildQuery } from "./plan-schemas.ts";
import { BulkRetryParams } from "./schemas.ts";

const policy = { tag: "bulk-retry-requests", role: "operator" } as const;

/** What a bulk retry was sealed with, and what became of each task. */
export const bulkRetryPlanRoutes: Routes<{ database: Database<Tables>; settings: PageSizes }> = (
  app,
  { database, settings },
) => {
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
