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

/** Routes for the holder of an invitation's token. */
export const invitationPublicRoutes: Routes<PublicRouteDeps> = (app, { invitations, access }) => {
  operation(app, "POST /invitations/preview", {
    operationId: "previewInvitation",
    summary: "Preview an invitation",
    description: "Returns the project and the role of an invitation to the holder of its token.",
    body: PreviewBody,
    response: { 200: Preview },
    policy: { tag: "invitations-public", public: true, bucket: "invitations" },
    handler: (request) => invitations.preview(request.body.token),
  });

  operation(app, "POST /invitations/accept", {
    operationId: "acceptInvitation",
    summary: "Accept an invitation",
    description:
      "Adds the invited person to the project. A new account is created when the address has none; the owner of an existing account must be signed in.",
    answers: {
      409: "The account exists and its owner must sign in first (`login_required`), or is already a member (`already_member`).",
    },
    body: AcceptBody,
    response: { 201: Accepted },
    // Cookies matter only when the invited account exists, so the decision reads the session itself.
    policy: { tag: "invitations-public", public: true, bucket: "invitations" },
    handler: (request) => {
      const sessionOf = (userId: string) => sessionOfUser(request, userId, access);
      return invitations.accept({ body: request.body, sessionOf, origin: originOf(request) });
    },
  });
};

/** This user's session, when the request carries it; otherwise null. @throws ApiError `ip_denied`, `csrf_failed` */
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
