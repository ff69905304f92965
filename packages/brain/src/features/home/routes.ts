import type { Routes } from "../../platform/http/app.ts";
import { listRecentFailures } from "./recent-failures.ts";
import { FailuresQuery, FailuresReply, SummaryReply } from "./schemas.ts";
import { type HomeDeps, readSummary } from "./summary.ts";

export const homeRoutes: Routes<HomeDeps> = (app, deps) => {
  app.get(
    "/home/summary",
    { schema: { response: { 200: SummaryReply } }, config: { tag: "home", heavy: true } },
    ({ actor }) => readSummary(deps, actor),
  );

  app.get(
    "/home/recent-failures",
    { schema: { querystring: FailuresQuery, response: { 200: FailuresReply } }, config: { tag: "home", heavy: true } },
    ({ actor, query }) => listRecentFailures(deps, actor, query),
  );
};
