import { type CallOptions, pathOf, type Send } from "../request.ts";
import type { ProjectRole } from "../types/accounts.ts";
import type { Invitation, InvitationCreate, InvitedAnswer, Member } from "../types/members.ts";

export function memberRoutes(send: Send) {
  return {
    listMembers: (slug: string, call?: CallOptions) =>
      send<{ items: Member[] }>("GET", pathOf`/projects/${slug}/memberships`, call),
    addMember: (slug: string, body: { user_id: string; role: ProjectRole }, call?: CallOptions) =>
      send<Member>("POST", pathOf`/projects/${slug}/memberships`, { ...call, body }),
    changeMember: (slug: string, membershipId: string, body: { role: ProjectRole }, call?: CallOptions) =>
      send<Member>("PATCH", pathOf`/projects/${slug}/memberships/${membershipId}`, { ...call, body }),
    removeMember: (slug: string, membershipId: string, call?: CallOptions) =>
      send<void>("DELETE", pathOf`/projects/${slug}/memberships/${membershipId}`, call),
    /** Those that can still be accepted, newest first. */
    listInvitations: (slug: string, call?: CallOptions) =>
      send<{ items: Invitation[] }>("GET", pathOf`/projects/${slug}/invitations`, call),
    invite: (slug: string, body: InvitationCreate, call?: CallOptions) =>
      send<InvitedAnswer>("POST", pathOf`/projects/${slug}/invitations`, { ...call, body }),
    revokeInvitation: (slug: string, invitationId: string, call?: CallOptions) =>
      send<void>("DELETE", pathOf`/projects/${slug}/invitations/${invitationId}`, call),
  };
}
