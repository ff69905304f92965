import { isUuid } from "@svc/protocol";
import { operation, type Routes } from "../../platform/http/app.ts";
import { decodeCursor, encodeCursor } from "../../platform/http/content/cursors.ts";
import { clampLimit, type PageSizes, pageOf } from "../../platform/http/content/paging.ts";
import { ApiError } from "../../platform/http/error-codes.ts";
import { PageQuery } from "../../platform/http/schemas.ts";
import type { Core } from "../../schema/tables/index.ts";
import { listWorkers, workersById } from "./reads.ts";
import { WorkerDetail, WorkerPage, WorkerParams } from "./schemas.ts";

export const workerRoutes: Routes<Core & { readonly settings: PageSizes }> = (app, { database, clock, settings }) => {
  operation(app, "GET /projects/:slug/workers", {
    operationId: "listWorkers",
    summary: "List workers",
    description: "Lists the workers that engines reported, with counts of the last 24 hours.",
    querystring: PageQuery,
    response: { 200: WorkerPage },
    policy: { tag: "workers", role: "viewer" },
    handler: async ({ project, query }) => {
      const limit = clampLimit(query.limit, settings);
      // The cursor contains the id, because names may be masked.
      const [id] = decodeCursor(query.cursor, ["string"]) ?? [];
      const after = id !== undefined && isUuid(id) ? id : null;
      const rows = await listWorkers(database, project.id, { after, limit: limit + 1, now: clock.now() });
      return pageOf(rows, limit, (row) => encodeCursor([row.id]));
    },
  });

  operation(app, "GET /projects/:slug/workers/:worker_id", {
    operationId: "getWorker",
    summary: "Get a worker",
    description: "Returns one worker with what its engine reported about it.",
    params: WorkerParams,
    response: { 200: WorkerDetail },
    policy: { tag: "workers", role: "viewer" },
    handler: async ({ params, project }) => {
      const [worker] = await workersById(database, project.id, [params.worker_id.toLowerCase()], clock.now());
      if (worker === undefined) throw new ApiError("not_found", { resource: "worker" });
      return worker;
    },
  });
};
