import type { Clock } from "../../../platform/clock.ts";
import type { Routes } from "../../../platform/http/app.ts";
import { ProjectParams } from "../../../platform/http/schemas.ts";
import type { BrainDatabase } from "../../../schema/tables/index.ts";
import { readDifferences } from "./differences.ts";
import { readFacet } from "./facets.ts";
import { readHistogram } from "./histogram.ts";
import { Differences, DifferencesQuery, Facet, FacetQuery, TaskHistogram, TaskHistogramQuery } from "./schemas.ts";

export const taskBreakdownRoutes: Routes<{ database: BrainDatabase; clock: Clock }> = (app, { database, clock }) => {
  app.get(
    "/projects/:slug/facets",
    {
      schema: { params: ProjectParams, querystring: FacetQuery, response: { 200: Facet } },
      config: { tag: "tasks", role: "viewer", heavy: true },
    },
    ({ project, query }) => readFacet(database, { projectId: project.id, query, now: clock.now() }),
  );

  app.get(
    "/projects/:slug/tasks/histogram",
    {
      schema: { params: ProjectParams, querystring: TaskHistogramQuery, response: { 200: TaskHistogram } },
      config: { tag: "tasks", role: "viewer", heavy: true },
    },
    ({ project, query }) => readHistogram(database, { projectId: project.id, query, now: clock.now() }),
  );

  app.get(
    "/projects/:slug/tasks/differences",
    {
      schema: { params: ProjectParams, querystring: DifferencesQuery, response: { 200: Differences } },
      config: { tag: "tasks", role: "viewer", heavy: true },
    },
    ({ project, query }) => readDifferences(database, { projectId: project.id, query, now: clock.now() }),
  );
};
