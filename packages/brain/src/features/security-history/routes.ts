import { operation, type Routes } from "../../platform/http/app.ts";
import { clampLimit, type PageSizes } from "../../platform/http/content/paging.ts";
import { HistoryQuery, SecurityHistoryPage } from "./schemas.ts";
import type { SecurityHistory } from "./security-history.ts";

export const securityHistoryRoutes: Routes<{ history: Pick<SecurityHistory, "list">; settings: PageSizes }> = (
  app,
  { history, settings },
) => {
  operation(app, "GET /auth/security-history", {
    operationId: "getSecurityHistory",
    summary: "List security events of your account",
    description: "Lists sign-ins from new devices and changes of credentials, newest first.",
    querystring: HistoryQuery,
    response: { 200: SecurityHistoryPage },
    policy: { tag: "auth" },
    handler: (request) =>
      history.list(request.actor.user.id, {
        cursor: request.query.cursor,
        limit: clampLimit(request.query.limit, settings),
      }),
  });
};
