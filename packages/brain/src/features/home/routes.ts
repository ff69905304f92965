import type { Routes } from "../../platform/http/app.ts";
import { listRecentFailures } from "./recent-failures.ts";
import { FailuresQuery, FailuresReply, SummaryReply } from "./schemas.ts";
import { type HomeDeps, readSummary } from "./summary.ts";

export const homeRoutes: Routes<HomeDeps> = (app, deps) => {
  app.get(
    "/home/summary",
    {
      schema: {
        operationId: "getHomeSummary",
        summary: "Get the summary of all projects",
        description:
          "Returns the figures of the last 24 hours for each active project that you see, at most 1,000, and what needs attention.",
        response: { 200: SummaryReply },
      },
      config: { tag: "home", heavy: true },
    },
    ({ actor }) => readSummary(deps, actor),
  );

  app.get(
    "/home/recent-failures",
    {
      schema: {
        operationId: "listRecentFailures",
        summary: "List recent failures",
        description: "Lists failed tasks of all your projects, newest failure first.",
        querystring: FailuresQuery,
        response: { 200: FailuresReply },
      },
      config: { tag: "home", heavy: true },
    },
    ({ actor, query }) => listRecentFailures(deps, actor, query),
  );
};
