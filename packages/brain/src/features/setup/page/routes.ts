import type { FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../../../platform/clock.ts";
import type { Routes } from "../../../platform/http/app.ts";
import { ApiError } from "../../../platform/http/error-codes.ts";
import { toApiError } from "../../../platform/http/error-handler.ts";
import type { Cookies } from "../../../platform/http/headers/cookies.ts";
import { originOf } from "../../audit/index.ts";
import { sendSessionCookies } from "../../sessions/index.ts";
import { alreadyInitialised, firstProject } from "../first-admin.ts";
import { SetupBody } from "../schemas.ts";
import type { Setup } from "../setup.ts";
import { closedPage, setupPage } from "./page.ts";
import { pageScript } from "./script.ts";
import { pageStyle } from "./style.ts";

const html = "text/html; charset=utf-8";
const fields = ["token", "email", "display_name", "password"] as const;

export interface SetupPageDeps {
  readonly setup: Setup;
  readonly cookies: Cookies;
  readonly clock: Pick<Clock, "now">;
  readonly settings: { readonly SVC_PUBLIC_URL: string; readonly SVC_PASSWORD_MIN_LENGTH: number };
}

/** The page at /setup, outside /api/v1. Its form is posted urlencoded, because it works without script. */
export const setupPageRoutes: Routes<SetupPageDeps> = (app, { setup, cookies, clock, settings }) => {
  const minPasswordChars = settings.SVC_PASSWORD_MIN_LENGTH;
  // A project without tasks shows the getting-started checklist.
  const checklistUrl = `${new URL(settings.SVC_PUBLIC_URL).origin}/p/${firstProject}`;

  app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_request, body, done) => {
    done(null, formFields(body as string));
  });

  // Browsers get a page for every error, other clients the JSON envelope.
  app.setErrorHandler((thrown, request, reply) => {
    const error = toApiError(thrown);
    if (error.status >= 500 || !wantsHtml(request)) throw thrown;
    return sendPage(request, reply, error);
  });

  async function sendPage(request: FastifyRequest, reply: FastifyReply, error: ApiError) {
    reply
      .headers(error.headers ?? {})
      .code(error.status)
      .type(html);
    if (error.code === "conflict" || error.code === "not_found") return reply.send(closedPage());
    const sent = (request.body ?? {}) as Partial<Record<string, string>>;
    return reply.send(
      setupPage({
        token: sent.token?.slice(0, 200) ?? "",
        email: sent.email?.slice(0, 320) ?? "",
        displayName: sent.display_name?.slice(0, 200) ?? "",
        expiresAt: await setup.ensureLink(),
        now: clock.now(),
        minPasswordChars,
        error,
      }),
    );
  }

  // The link has the token in its fragment, which browsers do not send, so that no proxy logs it. The page's script fills it in.
  app.get("/setup", { config: { tag: "setup", public: true, hidden: true } }, async (_request, reply) => {
    if (!(await setup.isOpen())) throw new ApiError("not_found");
    const expiresAt = await setup.ensureLink();
    const empty = { token: "", email: "", displayName: "", error: null };
    return reply.type(html).send(setupPage({ ...empty, expiresAt, now: clock.now(), minPasswordChars }));
  });

  app.get("/setup/page.css", { config: { tag: "setup", public: true, hidden: true } }, (_request, reply) =>
    reply.type("text/css; charset=utf-8").send(pageStyle),
  );

  app.get("/setup/page.js", { config: { tag: "setup", public: true, hidden: true } }, (_request, reply) =>
    reply.type("text/javascript; charset=utf-8").send(pageScript),
  );

  app.post(
    "/setup",
    {
      schema: { body: SetupBody },
      config: { tag: "setup", public: true, bucket: "setup", hidden: true },
      async preValidation() {
        if (!(await setup.isOpen())) throw alreadyInitialised();
      },
    },
    async (request, reply) => {
      const { session } = await setup.complete({
        body: request.body,
        origin: originOf(request),
        presentedCookie: request.cookies[cookies.session.name],
        deviceCookie: request.cookies[cookies.device.name],
      });
      sendSessionCookies(reply, cookies, session);
      return reply.redirect(checklistUrl, 303);
    },
  );
};

/** The known fields of a form; an empty optional field counts as omitted. */
function formFields(text: string): Record<string, string> {
  const sent = new URLSearchParams(text);
  const known: Record<string, string> = {};
  for (const name of fields) {
    const value = sent.get(name);
    if (value !== null && !(name === "display_name" && value === "")) known[name] = value;
  }
  return known;
}

function wantsHtml(request: FastifyRequest): boolean {
  return request.headers.accept?.includes("text/html") ?? false;
}
