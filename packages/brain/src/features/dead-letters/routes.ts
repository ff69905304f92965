import { operation, type Routes } from "../../platform/http/app.ts";
import { disconnectSignal } from "../../platform/http/connections/disconnect-signal.ts";
import { originOf } from "../audit/index.ts";
import { createListDeadLetters, type DeadLettersDeps } from "./list.ts";
import { DeadLetterPage, DeadLetterQuery } from "./schemas.ts";

export const deadLetterRoutes: Routes<DeadLettersDeps> = (app, deps) => {
  const listDeadLetters = createListDeadLetters(deps);

  operation(app, "GET /projects/:slug/dead-letters", {
    operationId: "listDeadLetters",
    summary: "List dead letters",
    description:
      "Asks an online agent for the dead letters of an engine and waits up to 15 seconds for the answer. The service stores none of them. The request issues a `dlq.list` command and is audited.",
    answers: {
      409: "No online agent can list dead letters of this engine; `details` lists the online agents and their capabilities.",
      502: "The agent refused the listing or its adapter failed.",
      504: "The agent did not answer in time; `details.command_id` names the command.",
    },
    querystring: DeadLetterQuery,
    response: { 200: DeadLetterPage },
    // It would ask an agent for an answer without a body.
    exposeHeadRoute: false,
    policy: { tag: "dead-letters", role: "viewer", bucket: "bulk" },
    handler: (request, reply) =>
      listDeadLetters({
        projectId: request.project.id,
        query: request.query,
        origin: originOf(request),
        signal: disconnectSignal(reply),
      }),
  });
};
