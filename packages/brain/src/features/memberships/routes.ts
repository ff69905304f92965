import { Type } from "typebox";
import type { Actor } from "../../platform/http/access/actor.ts";
import type { Routes } from "../../platform/http/app.ts";
import { ProjectParams } from "../../platform/http/schemas.ts";
import { originOf } from "../audit/index.ts";
import type { MemberAdministration } from "./administration.ts";
import type { Memberships } from "./memberships.ts";
import { GrantBody, Member, MemberList, MembershipParams, RoleBody } from "./schemas.ts";

interface MembershipRouteDeps {
  readonly memberships: Pick<Memberships, "list">;
  readonly administration: MemberAdministration;
}

export const membershipRoutes: Routes<MembershipRouteDeps> = (app, { memberships, administration }) => {
  app.get(
    "/projects/:slug/memberships",
    {
      schema: {
        operationId: "listMembers",
        summary: "List members",
        description: "Lists the members of the project.",
        params: ProjectParams,
        response: { 200: MemberList },
      },
      config: { tag: "memberships", role: "viewer" },
    },
    async (request) => ({ items: await memberships.list(request.project.id) }),
  );

  app.post(
    "/projects/:slug/memberships",
    {
      schema: {
        operationId: "addMember",
        summary: "Add a member",
        description: "Makes a user a member of the project.",
        answers: { 409: "The user is already a member (`already_member`), or the role is unknown (`unknown_role`)." },
        params: ProjectParams,
        body: GrantBody,
        response: { 201: Member },
      },
      config: { tag: "memberships", role: "admin", freshMfa: true, stepUp: true },
    },
    async (request, reply) => {
      const { user_id, role } = request.body;
      const origin = originOf(request, request.actor);
      const projectId = request.project.id;
      const member = await administration.grant({ projectId, userId: user_id.toLowerCase(), role, origin });
      return reply.code(201).send(member);
    },
  );

  app.patch(
    "/projects/:slug/memberships/:membership_id",
    {
      schema: {
        operationId: "changeMember",
        summary: "Change the role of a member",
        description: "Gives a member another role.",
        answers: {
          409: "The role is unknown (`unknown_role`), or the project would lose its last admin (`last_project_admin`).",
        },
        params: MembershipParams,
        body: RoleBody,
        response: { 200: Member },
      },
      config: { tag: "memberships", role: "admin", freshMfa: true, stepUp: true },
    },
    (request) => administration.changeRole(aboutMember(request), request.body.role),
  );

  app.delete(
    "/projects/:slug/memberships/:membership_id",
    {
      schema: {
        operationId: "removeMember",
        summary: "Remove a member",
        description: "Removes a member from the project. The account stays.",
        answers: { 409: "The project would lose its last admin (`last_project_admin`)." },
        params: MembershipParams,
        response: { 204: Type.Null() },
      },
      config: { tag: "memberships", role: "admin", freshMfa: true },
    },
    async (request, reply) => {
      await administration.revoke(aboutMember(request));
      return reply.code(204).send(null);
    },
  );
};

type MemberRequest = Parameters<typeof originOf>[0] & {
  readonly params: { membership_id: string };
  readonly project: { id: string };
  readonly actor: Actor;
};

const aboutMember = (request: MemberRequest) => ({
  projectId: request.project.id,
  membershipId: request.params.membership_id.toLowerCase(),
  origin: originOf(request, request.actor),
});
