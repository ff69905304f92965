import { type CallOptions, pathOf, type Send } from "../request.ts";
import type {
  ApiKey,
  InvitationCreate,
  InvitationPage,
  InvitedAnswer,
  ListUsersQuery,
  Member,
  MemberAdd,
  MemberChanges,
  MemberPage,
  PasswordSet,
  RevokedCount,
  UserAdminPublic,
  UserChanges,
  UserCreate,
} from "../types/api.generated.ts";

export function userRoutes(send: Send) {
  return {
    /** Newest first; limit 1 to 500, otherwise 100. */
    listUsers: (query: ListUsersQuery = {}, call?: CallOptions) =>
      send<UserAdminPublic[]>("GET", "/users", { ...call, query: { ...query } }),
    createUser: (body: UserCreate, call?: CallOptions) => send<UserAdminPublic>("POST", "/users", { ...call, body }),
    changeUser: (userId: string, body: UserChanges, call?: CallOptions) =>
      send<UserAdminPublic>("PATCH", pathOf`/users/${userId}`, { ...call, body }),
    /** Gives a new password without the old one; ends every session, trusted device and API key of the user. */
    resetUserPassword: (userId: string, body: PasswordSet, call?: CallOptions) =>
      send<void>("POST", pathOf`/users/${userId}/password`, { ...call, body }),
    /** The user's keys that work, newest first; audited. */
    listUserApiKeys: (userId: string, call?: CallOptions) =>
      send<ApiKey[]>("GET", pathOf`/users/${userId}/api-keys`, call),
    revokeUserApiKeys: (userId: string, call?: CallOptions) =>
      send<RevokedCount>("DELETE", pathOf`/users/${userId}/api-keys`, call),
    deleteUser: (userId: string, call?: CallOptions) => send<void>("DELETE", pathOf`/users/${userId}`, call),
  };
}

export function memberRoutes(send: Send) {
  return {
    listMembers: (slug: string, call?: CallOptions) =>
      send<MemberPage>("GET", pathOf`/projects/${slug}/memberships`, call),
    addMember: (slug: string, body: MemberAdd, call?: CallOptions) =>
      send<Member>("POST", pathOf`/projects/${slug}/memberships`, { ...call, body }),
    changeMember: (slug: string, membershipId: string, body: MemberChanges, call?: CallOptions) =>
      send<Member>("PATCH", pathOf`/projects/${slug}/memberships/${membershipId}`, { ...call, body }),
    removeMember: (slug: string, membershipId: string, call?: CallOptions) =>
      send<void>("DELETE", pathOf`/projects/${slug}/memberships/${membershipId}`, call),
    /** Those that can still be accepted, newest first. */
    listInvitations: (slug: string, call?: CallOptions) =>
      send<InvitationPage>("GET", pathOf`/projects/${slug}/invitations`, call),
    createInvitation: (slug: string, body: InvitationCreate, call?: CallOptions) =>
      send<InvitedAnswer>("POST", pathOf`/projects/${slug}/invitations`, { ...call, body }),
    revokeInvitation: (slug: string, invitationId: string, call?: CallOptions) =>
      send<void>("DELETE", pathOf`/projects/${slug}/invitations/${invitationId}`, call),
  };
}
