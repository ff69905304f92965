import type { Database } from "../../platform/database/database.ts";
import type { Routes } from "../../platform/http/app.ts";
import { ProjectParams } from "../../platform/http/schemas.ts";
import type { Tables } from "../../schema/tables/index.ts";
import { Facet, FacetQuery } from "./facet-schemas.ts";
import { readFacet } from "./facets.ts";

export const taskBreakdownRoutes: Routes<{ database: Database<Tables> }> = (app, { database }) => {
  app.get(
    "/projects/:slug/facets",
    {
      schema: { params: ProjectParams, querystring: FacetQuery, response: { 200: Facet } },
      config: { tag: "tasks", role: "viewer" },
    },
    ({ project, query }) => readFacet(database, { projectId: project.id, query }),
  );
};
