import type { FastifyRequest } from "fastify";
import type { Access } from "../../platform/http/access/access.ts";
import type { SessionActor } from "../../platform/http/access/actor.ts";
import { requireCsrfToken } from "../../platform/http/access/csrf.ts";
import { operation, type Routes } from "../../platform/http/app.ts";
import { ApiError } from "../../platform/http/error-codes.ts";
import { originOf } from "../audit/index.ts";
import type { Invitations } from "./invitations.ts";
import { AcceptBody, Accepted, Preview, PreviewBody } from "./schemas.ts";

interface PublicRouteDeps {
  readonly invitations: Invitations;
  readonly access: Pick<Access, "session" | "admitsAddress" | "cookies">;
}

/** What somebody with an invitation's token may do. */
export const invitationPublicRoutes: Routes<PublicRouteDeps> = (app, { invitations, access }) => {
  operation(app, "POST /invitations/preview", {
    operationId: "previewInvitation",
    summary: "Preview an invitation",
    description: "Returns what an invitation offers to the holder of its token.",
    body: PreviewBody,
    response: { 200: Preview },
    policy: { tag: "invitations-public", public: true, bucket: "invitations" },
    handler: (request) => invitations.preview(request.body.token),
  });

  operation(app, "POST /invitations/accept", {
    operationId: "acceptInvitation",
    summary: "Accept an invitation",
    description:
      "Makes the invited person a member. A new account is created when the address has none; an existing account must be signed in.",
    answers: {
      409: "The account exists and must sign in first (`login_required`), or is already a member (`already_member`).",
    },
    body: AcceptBody,
    response: { 201: Accepted },
    // Cookies count only where the invited account exists, so the decision asks for the session.
    policy: { tag: "invitations-public", public: true, bucket: "invitations" },
    handler: (request) => {
      const sessionOf = (userId: string) => sessionOfUser(request, userId, access);
      return invitations.accept({ body: request.body, sessionOf, origin: originOf(request) });
    },
  });
};

/** The session of this user that came with the request; null without one. @throws ApiError `ip_denied`, `csrf_failed` */
async function sessionOfUser(
  request: FastifyRequest,
  userId: string,
  access: PublicRouteDeps["access"],
): Promise<SessionActor | null> {
  const actor = await access.session(request);
  if (actor === null || actor.user.id !== userId) return null;
  if (!access.admitsAddress("dashboard", request.clientAddress)) throw new ApiError("ip_denied", { surface: "api" });
  requireCsrfToken(request, access.cookies.csrf.name, actor.csrfToken);
  return actor;
}
