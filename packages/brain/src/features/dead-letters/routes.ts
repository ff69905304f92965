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
      "Loads the dead letters of an engine live from an online agent, in up to 15 seconds. The service does not store them. The request issues a `dlq.list` command and is audited.",
    answers: {
      409: "No online agent can list dead letters of this engine; `details` lists the online agents and their capabilities.",
      502: "The agent refused the command, or its adapter failed.",
      504: "The agent did not answer in time; `details.command_id` names the command.",
    },
    querystring: DeadLetterQuery,
    response: { 200: DeadLetterPage },
    // HEAD would send a command to the agent and discard its answer.
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
