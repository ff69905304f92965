import type { Database } from "../../platform/database/database.ts";
import type { Routes } from "../../platform/http/app.ts";
import { decodeCursor, encodeCursor } from "../../platform/http/cursors.ts";
import { clampLimit, type PageSizes, pageOf } from "../../platform/http/paging.ts";
import { PageQuery, ProjectParams } from "../../platform/http/schemas.ts";
import type { Tables } from "../../schema/tables/index.ts";
import { listQueues } from "./reads.ts";
import { QueuePage } from "./schemas.ts";

export const queueRoutes: Routes<{ database: Database<Tables>; settings: PageSizes }> = (
  app,
  { database, settings },
) => {
  app.get(
    "/projects/:slug/queues",
    {
      schema: { params: ProjectParams, querystring: PageQuery, response: { 200: QueuePage } },
      config: { tag: "queues", role: "viewer" },
    },
    async ({ project, query }) => {
      const limit = clampLimit(query.limit, settings);
      const after = decodeCursor(query.cursor, ["string", "string"]);
      const rows = await listQueues(database, project.id, { after, limit: limit + 1 });
      return pageOf(rows, limit, (row) => encodeCursor([row.engine, row.name]));
    },
  );
};
