import { Type } from "typebox";
import { operation, type Routes } from "../../platform/http/app.ts";
import { originOf } from "../audit/index.ts";
import type { Invitations } from "./invitations.ts";
import { InvitationList, InvitationParams, InviteBody, InvitedAnswer } from "./schemas.ts";

/** Invitations of a project, managed by its admins. */
export const invitationRoutes: Routes<{ invitations: Invitations }> = (app, { invitations }) => {
  operation(app, "GET /projects/:slug/invitations", {
    operationId: "listInvitations",
    summary: "List invitations",
    description: "Lists the pending invitations of the project, newest first.",
    response: { 200: InvitationList },
    policy: { tag: "invitations", role: "admin" },
    handler: async (request) => ({ items: await invitations.list(request.project.id) }),
  });

  operation(app, "POST /projects/:slug/invitations", {
    operationId: "createInvitation",
    summary: "Create an invitation",
    description:
      "Invites an email address to the project. The token is shown only in this answer; it is also mailed where a mail server is configured.",
    body: InviteBody,
    response: { 201: InvitedAnswer },
    policy: { tag: "invitations", role: "admin", freshMfa: true, stepUp: true },
    handler: (request) =>
      invitations.create({ project: request.project, body: request.body, origin: originOf(request) }),
  });

  operation(app, "DELETE /projects/:slug/invitations/:invitation_id", {
    operationId: "revokeInvitation",
    summary: "Revoke an invitation",
    description: "Revokes an invitation. Its link stops working.",
    params: InvitationParams,
    response: { 204: Type.Null() },
    policy: { tag: "invitations", role: "admin" },
    handler: (request) => {
      const id = request.params.invitation_id.toLowerCase();
      return invitations.revoke({ projectId: request.project.id, id, origin: originOf(request) });
    },
  });
};
