import type { Routes } from "../../platform/http/app.ts";
import { goneSignal } from "../../platform/http/connections/gone-signal.ts";
import { ProjectParams } from "../../platform/http/schemas.ts";
import { originOf } from "../audit/index.ts";
import { createListDeadLetters, type DeadLettersDeps } from "./list.ts";
import { DeadLetterPage, DeadLetterQuery } from "./schemas.ts";

export const deadLetterRoutes: Routes<DeadLettersDeps> = (app, deps) => {
  const listDeadLetters = createListDeadLetters(deps);

  app.get(
    "/projects/:slug/dead-letters",
    {
      // It would ask an agent for an answer without a body.
      exposeHeadRoute: false,
      schema: { params: ProjectParams, querystring: DeadLetterQuery, response: { 200: DeadLetterPage } },
      config: { tag: "dead-letters", role: "viewer", bucket: "bulk" },
    },
    (request, reply) =>
      listDeadLetters({
        projectId: request.project.id,
        query: request.query,
        origin: originOf(request, request.actor),
        signal: goneSignal(reply),
      }),
  );
};
