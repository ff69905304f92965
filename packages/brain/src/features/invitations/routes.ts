import { Type } from "typebox";
import type { Routes } from "../../platform/http/app.ts";
import { ProjectParams } from "../../platform/http/schemas.ts";
import { originOf } from "../audit/index.ts";
import type { Invitations } from "./invitations.ts";
import { InvitationList, InvitationParams, InviteBody, InvitedAnswer } from "./schemas.ts";

/** Invitations of a project, for its admins. */
export const invitationRoutes: Routes<{ invitations: Invitations }> = (app, { invitations }) => {
  app.get(
    "/projects/:slug/invitations",
    {
      schema: {
        operationId: "listInvitations",
        summary: "List invitations",
        description: "Lists the invitations of the project that can still be accepted, newest first.",
        params: ProjectParams,
        response: { 200: InvitationList },
      },
      config: { tag: "invitations", role: "admin" },
    },
    async (request) => ({ items: await invitations.list(request.project.id) }),
  );

  app.post(
    "/projects/:slug/invitations",
    {
      schema: {
        operationId: "createInvitation",
        summary: "Create an invitation",
        description:
          "Invites an e-mail address to the project. The token is shown only in this answer; it is also mailed where a mail server is configured.",
        params: ProjectParams,
        body: InviteBody,
        response: { 201: InvitedAnswer },
      },
      config: { tag: "invitations", role: "admin", freshMfa: true, stepUp: true },
    },
    async (request, reply) => {
      const { project, body } = request;
      const origin = originOf(request, request.actor);
      return reply.code(201).send(await invitations.create({ project, body, origin }));
    },
  );

  app.delete(
    "/projects/:slug/invitations/:invitation_id",
    {
      schema: {
        operationId: "revokeInvitation",
        summary: "Revoke an invitation",
        description: "Revokes an invitation. Its link stops working.",
        params: InvitationParams,
        response: { 204: Type.Null() },
      },
      config: { tag: "invitations", role: "admin" },
    },
    async (request, reply) => {
      const id = request.params.invitation_id.toLowerCase();
      const origin = originOf(request, request.actor);
      await invitations.revoke({ projectId: request.project.id, id, origin });
      return reply.code(204).send(null);
    },
  );
};
