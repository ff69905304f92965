import { type CallOptions, pathOf, type Send } from "../request.ts";
import type { MfaEnrollment, MfaStatus, MfaVerified, MfaVerify, RecoveryCodes, TrustedDevice } from "../types/mfa.ts";

export function mfaRoutes(send: Send) {
  return {
    getMfaStatus: (call?: CallOptions) => send<MfaStatus>("GET", "/auth/mfa/status", call),
    /** Each call makes another secret; an active factor stays until the new one is confirmed. */
    startMfaEnrollment: (call?: CallOptions) => send<MfaEnrollment>("POST", "/auth/mfa/enroll-start", call),
    completeMfaEnrollment: (body: { code: string }, call?: CallOptions) =>
      send<RecoveryCodes>("POST", "/auth/mfa/enroll-complete", { ...call, body }),
    verifyMfa: (body: MfaVerify, call?: CallOptions) =>
      send<MfaVerified>("POST", "/auth/mfa/verify", { ...call, body }),
    /** Proves who uses this session, with one of the two. */
    stepUp: (body: { password: string } | { code: string }, call?: CallOptions) =>
      send<{ ok: boolean }>("POST", "/auth/step-up", { ...call, body }),
    disableMfa: (body: { password: string; code: string }, call?: CallOptions) =>
      send<{ ok: boolean }>("POST", "/auth/mfa/disable", { ...call, body }),
    regenerateRecoveryCodes: (call?: CallOptions) =>
      send<RecoveryCodes>("POST", "/auth/mfa/recovery-codes/regenerate", call),
    listTrustedDevices: (call?: CallOptions) =>
      send<{ items: TrustedDevice[] }>("GET", "/auth/mfa/trusted-devices", call),
    /** Trusts the browser that asks; it is named after it without a label. */
    trustDevice: (body: { label?: string } = {}, call?: CallOptions) =>
      send<TrustedDevice>("POST", "/auth/mfa/trusted-devices", { ...call, body }),
    renameTrustedDevice: (deviceId: string, body: { label: string }, call?: CallOptions) =>
      send<TrustedDevice>("PATCH", pathOf`/auth/mfa/trusted-devices/${deviceId}`, { ...call, body }),
    revokeTrustedDevice: (deviceId: string, call?: CallOptions) =>
      send<void>("POST", pathOf`/auth/mfa/trusted-devices/${deviceId}/revoke`, call),
  };
}
