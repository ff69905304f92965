import { operation, type Routes } from "../../platform/http/app.ts";
import { ApiError } from "../../platform/http/error-codes.ts";
import type { Cookies } from "../../platform/http/headers/cookies.ts";
import { originOf } from "../audit/index.ts";
import { sendSessionCookies } from "../sessions/index.ts";
import { publicUser } from "../users/index.ts";
import { alreadyInitialised } from "./first-admin.ts";
import { SetupAnswer, SetupBody, SetupStatus } from "./schemas.ts";
import type { Setup } from "./setup.ts";

/** /setup/status and /setup/complete, under /api/v1. */
export const setupRoutes: Routes<{ setup: Setup; cookies: Cookies }> = (app, { setup, cookies }) => {
  operation(app, "GET /setup/status", {
    operationId: "getSetupStatus",
    summary: "Get the state of the setup",
    description:
      "Returns whether the first administrator still has to be created. Once that is done, an anonymous caller gets 401.",
    response: { 200: SetupStatus },
    policy: { tag: "setup", public: "session-optional" },
    handler: async (request) => {
      const isOpen = await setup.isOpen();
      if (!isOpen && request.caller === null) throw new ApiError("unauthenticated");
      return { first_boot: isOpen };
    },
  });

  operation(app, "POST /setup/complete", {
    operationId: "completeSetup",
    summary: "Complete the setup",
    description:
      "Creates the first administrator and the first project with the token from the server log, and signs in.",
    answers: {
      200: { headers: { "Set-Cookie": "Session cookie, CSRF cookie and device cookie." } },
      403: "The setup token is wrong or has expired.",
      409: "The setup is already complete (`already_initialised`).",
    },
    body: SetupBody,
    response: { 200: SetupAnswer },
    // Before the body is validated: once the setup is complete, every body gets the same answer.
    async preValidation() {
      if (!(await setup.isOpen())) throw alreadyInitialised();
    },
    policy: { tag: "setup", public: true, bucket: "setup" },
    handler: async (request, reply) => {
      const done = await setup.complete({
        body: request.body,
        origin: originOf(request),
        presentedCookie: request.cookies[cookies.session.name],
        deviceCookie: request.cookies[cookies.device.name],
      });
      sendSessionCookies(reply, cookies, done.session);
      return { user: publicUser(done.user), project_id: done.projectId };
    },
  });
};
