import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Routes } from "../../platform/http/app.ts";
import { decodeCursor, encodeCursor } from "../../platform/http/cursors.ts";
import { ApiError } from "../../platform/http/error-codes.ts";
import { clampLimit, type PageSizes, pageOf } from "../../platform/http/paging.ts";
import { PageQuery, ProjectParams } from "../../platform/http/schemas.ts";
import type { Tables } from "../../schema/tables/index.ts";
import { listWorkers, workersById } from "./reads.ts";
import { WorkerDetail, WorkerPage, WorkerParams } from "./schemas.ts";

export interface WorkerRouteDeps {
  readonly database: Database<Tables>;
  readonly clock: Clock;
  readonly settings: PageSizes;
}

export const workerRoutes: Routes<WorkerRouteDeps> = (app, { database, clock, settings }) => {
  app.get(
    "/projects/:slug/workers",
    {
      schema: { params: ProjectParams, querystring: PageQuery, response: { 200: WorkerPage } },
      config: { tag: "workers", role: "viewer" },
    },
    async ({ project, query }) => {
      const limit = clampLimit(query.limit, settings);
      const after = decodeCursor(query.cursor, ["string", "string"]);
      const rows = await listWorkers(database, project.id, { after, limit: limit + 1, now: clock.now() });
      return pageOf(rows, limit, (row) => encodeCursor([row.engine, row.name]));
    },
  );

  app.get(
    "/projects/:slug/workers/:worker_id",
    {
      schema: { params: WorkerParams, response: { 200: WorkerDetail } },
      config: { tag: "workers", role: "viewer" },
    },
    async ({ params, project }) => {
      const [worker] = await workersById(database, project.id, [params.worker_id.toLowerCase()], clock.now());
      if (worker === undefined) throw new ApiError("not_found", { resource: "worker" });
      return worker;
    },
  );
};
