import { operation, type Routes } from "../../platform/http/app.ts";
import { listRecentFailures } from "./recent-failures.ts";
import { FailuresQuery, FailuresReply, SummaryReply } from "./schemas.ts";
import { type HomeDeps, readSummary } from "./summary.ts";

export const homeRoutes: Routes<HomeDeps> = (app, deps) => {
  operation(app, "GET /home/summary", {
    operationId: "getHomeSummary",
    summary: "Get the summary of all projects",
    description:
      "Returns the figures of the last 24 hours for each active project that you see, at most 1,000, and what needs attention.",
    response: { 200: SummaryReply },
    policy: { tag: "home", heavy: true },
    handler: ({ actor }) => readSummary(deps, actor),
  });

  operation(app, "GET /home/recent-failures", {
    operationId: "listRecentFailures",
    summary: "List recent failures",
    description:
      "Lists the failures in all your projects, or in one of them, newest first. A task that failed twice is listed twice.",
    querystring: FailuresQuery,
    response: { 200: FailuresReply },
    policy: { tag: "home", heavy: true },
    handler: ({ actor, query }) => listRecentFailures(deps, actor, query),
  });
};
