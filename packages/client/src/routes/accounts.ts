import { type CallOptions, pathOf, type Send } from "../request.ts";
import type {
  InvitationAccept,
  InvitationAccepted,
  InvitationPreview,
  LoginRequest,
  LoginResponse,
  Me,
  PasswordChange,
  PasswordPolicy,
  ProfileChanges,
  SecurityHistoryPage,
  UserPublic,
  UserSession,
} from "../types/accounts.ts";

export function accountRoutes(send: Send) {
  return {
    login: (body: LoginRequest, call?: CallOptions) => send<LoginResponse>("POST", "/auth/login", { ...call, body }),
    logout: (call?: CallOptions) => send<void>("POST", "/auth/logout", call),
    getMe: (call?: CallOptions) => send<Me>("GET", "/auth/me", call),
    updateMe: (body: ProfileChanges, call?: CallOptions) => send<UserPublic>("PATCH", "/auth/me", { ...call, body }),
    /** Ends every other session and all trusted devices; this one goes on with new cookies. */
    changePassword: (body: PasswordChange, call?: CallOptions) =>
      send<LoginResponse>("POST", "/auth/change-password", { ...call, body }),
    getPasswordPolicy: (call?: CallOptions) => send<PasswordPolicy>("GET", "/auth/policy", call),
    listSessions: (call?: CallOptions) => send<{ items: UserSession[] }>("GET", "/auth/sessions", call),
    /** What happened to the account, newest first. */
    getSecurityHistory: (query: { cursor?: string | undefined } = {}, call?: CallOptions) =>
      send<SecurityHistoryPage>("GET", "/auth/security-history", { ...call, query }),
    revokeSession: (sessionId: string, call?: CallOptions) =>
      send<{ revoked: boolean }>("POST", pathOf`/auth/sessions/${sessionId}/revoke`, call),
    revokeOtherSessions: (call?: CallOptions) =>
      send<{ revoked: number }>("POST", "/auth/sessions/revoke-others", call),
    /** Answers the same whether or not the address has an account. */
    requestPasswordReset: (body: { email: string }, call?: CallOptions) =>
      send<{ accepted: true }>("POST", "/auth/password-reset/request", { ...call, body }),
    confirmPasswordReset: (body: { token: string; new_password: string }, call?: CallOptions) =>
      send<{ success: true }>("POST", "/auth/password-reset/confirm", { ...call, body }),
    previewInvitation: (body: { token: string }, call?: CallOptions) =>
      send<InvitationPreview>("POST", "/invitations/preview", { ...call, body }),
    acceptInvitation: (body: InvitationAccept, call?: CallOptions) =>
      send<InvitationAccepted>("POST", "/invitations/accept", { ...call, body }),
    /** Answers only while no user exists; after that an anonymous caller is refused. */
    getSetupStatus: (call?: CallOptions) => send<{ first_boot: boolean }>("GET", "/setup/status", call),
  };
}
