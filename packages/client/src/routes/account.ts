import { type CallOptions, pathOf, type Send } from "../request.ts";
import type {
  ApiKey,
  ApiKeyChanges,
  ApiKeyMint,
  Confirmation,
  DeviceRename,
  GetSecurityHistoryQuery,
  InvitationAccept,
  InvitationAccepted,
  InvitationPreview,
  InvitationToken,
  LoginRequest,
  LoginResponse,
  Me,
  MfaCode,
  MfaDisable,
  MfaEnrollment,
  MfaStatus,
  MfaVerified,
  MfaVerify,
  MintedKey,
  PasswordChange,
  PasswordPolicy,
  PasswordResetAccepted,
  PasswordResetConfirm,
  PasswordResetDone,
  PasswordResetRequest,
  ProfileChanges,
  RecoveryCodes,
  RevokedCount,
  RevokedOne,
  ScopeCatalogue,
  SecurityHistoryPage,
  SetupStatus,
  TrustDevice,
  TrustedDevice,
  TrustedDevicePage,
  UserPublic,
  UserSessionPage,
} from "../types/api.generated.ts";

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
    listSessions: (call?: CallOptions) => send<UserSessionPage>("GET", "/auth/sessions", call),
    /** What happened to the account, newest first. */
    getSecurityHistory: (query: GetSecurityHistoryQuery = {}, call?: CallOptions) =>
      send<SecurityHistoryPage>("GET", "/auth/security-history", { ...call, query: { ...query } }),
    revokeSession: (sessionId: string, call?: CallOptions) =>
      send<RevokedOne>("POST", pathOf`/auth/sessions/${sessionId}/revoke`, call),
    revokeOtherSessions: (call?: CallOptions) => send<RevokedCount>("POST", "/auth/sessions/revoke-others", call),
    /** Answers the same whether or not the address has an account. */
    requestPasswordReset: (body: PasswordResetRequest, call?: CallOptions) =>
      send<PasswordResetAccepted>("POST", "/auth/password-reset/request", { ...call, body }),
    confirmPasswordReset: (body: PasswordResetConfirm, call?: CallOptions) =>
      send<PasswordResetDone>("POST", "/auth/password-reset/confirm", { ...call, body }),
    previewInvitation: (body: InvitationToken, call?: CallOptions) =>
      send<InvitationPreview>("POST", "/invitations/preview", { ...call, body }),
    acceptInvitation: (body: InvitationAccept, call?: CallOptions) =>
      send<InvitationAccepted>("POST", "/invitations/accept", { ...call, body }),
    /** Answers only while no user exists; after that an anonymous caller is refused. */
    getSetupStatus: (call?: CallOptions) => send<SetupStatus>("GET", "/setup/status", call),
  };
}

export function mfaRoutes(send: Send) {
  return {
    getMfaStatus: (call?: CallOptions) => send<MfaStatus>("GET", "/auth/mfa/status", call),
    /** Each call makes another secret; an active factor stays until the new one is confirmed. */
    startMfaEnrollment: (call?: CallOptions) => send<MfaEnrollment>("POST", "/auth/mfa/enroll-start", call),
    completeMfaEnrollment: (body: MfaCode, call?: CallOptions) =>
      send<RecoveryCodes>("POST", "/auth/mfa/enroll-complete", { ...call, body }),
    verifyMfa: (body: MfaVerify, call?: CallOptions) =>
      send<MfaVerified>("POST", "/auth/mfa/verify", { ...call, body }),
    /** Proves who uses this session, with one of the two. */
    stepUp: (body: { password: string } | { code: string }, call?: CallOptions) =>
      send<Confirmation>("POST", "/auth/step-up", { ...call, body }),
    disableMfa: (body: MfaDisable, call?: CallOptions) =>
      send<Confirmation>("POST", "/auth/mfa/disable", { ...call, body }),
    regenerateRecoveryCodes: (call?: CallOptions) =>
      send<RecoveryCodes>("POST", "/auth/mfa/recovery-codes/regenerate", call),
    listTrustedDevices: (call?: CallOptions) => send<TrustedDevicePage>("GET", "/auth/mfa/trusted-devices", call),
    /** Trusts the browser that asks; it is named after it without a label. */
    trustDevice: (body: TrustDevice = {}, call?: CallOptions) =>
      send<TrustedDevice>("POST", "/auth/mfa/trusted-devices", { ...call, body }),
    renameTrustedDevice: (deviceId: string, body: DeviceRename, call?: CallOptions) =>
      send<TrustedDevice>("PATCH", pathOf`/auth/mfa/trusted-devices/${deviceId}`, { ...call, body }),
    revokeTrustedDevice: (deviceId: string, call?: CallOptions) =>
      send<void>("POST", pathOf`/auth/mfa/trusted-devices/${deviceId}/revoke`, call),
  };
}

export function apiKeyRoutes(send: Send) {
  return {
    /** The caller's keys that work, newest first. */
    listApiKeys: (call?: CallOptions) => send<ApiKey[]>("GET", "/api-keys", call),
    createApiKey: (body: ApiKeyMint, call?: CallOptions) => send<MintedKey>("POST", "/api-keys", { ...call, body }),
    listScopes: (call?: CallOptions) => send<ScopeCatalogue>("GET", "/api-keys/scopes", call),
    /** Replaces the key's ranges; null or none lets every address in. */
    changeApiKey: (keyId: string, body: ApiKeyChanges, call?: CallOptions) =>
      send<ApiKey>("PATCH", pathOf`/api-keys/${keyId}`, { ...call, body }),
    revokeApiKey: (keyId: string, call?: CallOptions) => send<void>("DELETE", pathOf`/api-keys/${keyId}`, call),
  };
}
