import { Type } from "typebox";
import { operation, type Routes } from "../../platform/http/app.ts";
import { type OriginRequest, originOf } from "../audit/index.ts";
import type { MemberAdministration } from "./administration.ts";
import type { Memberships } from "./memberships.ts";
import { GrantBody, Member, MemberList, MembershipParams, RoleBody } from "./schemas.ts";

interface MembershipRouteDeps {
  readonly memberships: Pick<Memberships, "list">;
  readonly administration: MemberAdministration;
}

export const membershipRoutes: Routes<MembershipRouteDeps> = (app, { memberships, administration }) => {
  operation(app, "GET /projects/:slug/memberships", {
    operationId: "listMembers",
    summary: "List members",
    description: "Lists the members of the project.",
    response: { 200: MemberList },
    policy: { tag: "memberships", role: "viewer" },
    handler: async (request) => ({ items: await memberships.list(request.project.id) }),
  });

  operation(app, "POST /projects/:slug/memberships", {
    operationId: "addMember",
    summary: "Add a member",
    description: "Adds a user to the project.",
    answers: { 409: "The user is already a member (`already_member`), or the role is unknown (`unknown_role`)." },
    body: GrantBody,
    response: { 201: Member },
    policy: { tag: "memberships", role: "admin", freshMfa: true, stepUp: true },
    handler: (request) => {
      const { user_id, role } = request.body;
      const origin = originOf(request);
      const projectId = request.project.id;
      return administration.grant({ projectId, userId: user_id.toLowerCase(), role, origin });
    },
  });

  operation(app, "PATCH /projects/:slug/memberships/:membership_id", {
    operationId: "changeMember",
    summary: "Change the role of a member",
    description: "Changes the role of a member.",
    answers: {
      409: "The role is unknown (`unknown_role`), or the project would lose its last admin (`last_project_admin`).",
    },
    params: MembershipParams,
    body: RoleBody,
    response: { 200: Member },
    policy: { tag: "memberships", role: "admin", freshMfa: true, stepUp: true },
    handler: (request) => administration.changeRole(aboutMember(request), request.body.role),
  });

  operation(app, "DELETE /projects/:slug/memberships/:membership_id", {
    operationId: "removeMember",
    summary: "Remove a member",
    description: "Removes a member from the project. The account stays.",
    answers: { 409: "The project would lose its last admin (`last_project_admin`)." },
    params: MembershipParams,
    response: { 204: Type.Null() },
    policy: { tag: "memberships", role: "admin", freshMfa: true },
    handler: (request) => administration.revoke(aboutMember(request)),
  });
};

type MemberRequest = OriginRequest & {
  readonly params: { membership_id: string };
  readonly project: { id: string };
};

const aboutMember = (request: MemberRequest) => ({
  projectId: request.project.id,
  membershipId: request.params.membership_id.toLowerCase(),
  origin: originOf(request),
});
