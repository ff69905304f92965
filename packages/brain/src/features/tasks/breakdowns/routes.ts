import { operation, type Routes } from "../../../platform/http/app.ts";
import type { Core } from "../../../schema/tables/index.ts";
import { readDifferences } from "./differences.ts";
import { readFacet } from "./facets.ts";
import { readHistogram } from "./histogram.ts";
import { Differences, DifferencesQuery, Facet, FacetQuery, TaskHistogram, TaskHistogramQuery } from "./schemas.ts";

export const taskBreakdownRoutes: Routes<Core> = (app, { database, clock }) => {
  operation(app, "GET /projects/:slug/facets", {
    operationId: "getFacet",
    summary: "Count the values of a field",
    description:
      "Counts the values of a field among the tasks that match, greatest count first. Ignores the filter on the field itself. For `args`, `kwargs` and `result`, counts the paths in their payloads.",
    querystring: FacetQuery,
    response: { 200: Facet },
    policy: { tag: "tasks", role: "viewer", heavy: true },
    handler: ({ project, query }) => readFacet(database, { projectId: project.id, query, now: clock.now() }),
  });

  operation(app, "GET /projects/:slug/tasks/histogram", {
    operationId: "getTaskHistogram",
    summary: "Count tasks over time",
    description:
      "Counts the matching tasks by outcome in equal intervals. Defaults to the last 24 hours; at most 90 days.",
    querystring: TaskHistogramQuery,
    response: { 200: TaskHistogram },
    policy: { tag: "tasks", role: "viewer", heavy: true },
    handler: ({ project, query }) => readHistogram(database, { projectId: project.id, query, now: clock.now() }),
  });

  operation(app, "GET /projects/:slug/tasks/differences", {
    operationId: "getTaskDifferences",
    summary: "Compare failed with passed tasks",
    description:
      "Finds values that differ between failed and passed tasks of the same name and the same time span: all failures of a `name`, or those with a `fingerprint`; give exactly one. Correlation, not cause.",
    querystring: DifferencesQuery,
    response: { 200: Differences },
    policy: { tag: "tasks", role: "viewer", heavy: true },
    handler: ({ project, query }) => readDifferences(database, { projectId: project.id, query, now: clock.now() }),
  });
};
