import type { SessionActor } from "../../../platform/http/access/actor.ts";
import type { AuditOrigin } from "../../audit/index.ts";
import type { MfaDeps } from "../deps.ts";
import { countRecoveryCodes, stampVerified } from "../store.ts";
import { type NewDevice, trustDevice } from "../trusted-devices/trusted-devices.ts";
import { checkCode } from "./check-code.ts";

export interface VerifyRequest {
  readonly actor: SessionActor;
  readonly code: string;
  /** Also trust the browser. */
  readonly remembersDevice: boolean;
  /** The trusted-device cookie sent with the request. */
  readonly trustCookie: string | undefined;
  readonly origin: AuditOrigin;
}

export interface Verified {
  readonly usedRecoveryCode: boolean;
  readonly remainingRecoveryCodes: number;
  readonly device: NewDevice | null;
}

/**
 * Marks a session as verified by a code of the authenticator app or a recovery code.
 *
 * @throws ApiError `validation_error` (invalid_code), `forbidden` (mfa_locked), `conflict` (not_enrolled)
 */
export async function verify(deps: MfaDeps, request: VerifyRequest): Promise<Verified> {
  const { actor, code, origin, trustCookie } = request;
  const userId = actor.user.id;
  const verified = await deps.database.write(async (tx) => {
    const checked = await checkCode(tx, deps, { userId, code, takesRecoveryCode: true, origin });
    if ("refusal" in checked) {
      await deps.audit.append(tx, checked.auditEntries);
      return checked;
    }
    await stampVerified(tx, actor.sessionId, deps.clock.now());
    const trusted = request.remembersDevice ? await trustDevice(tx, deps, { userId, trustCookie, origin }) : null;
    const remainingRecoveryCodes = await countRecoveryCodes(tx, userId);
    const about = { action: "auth.mfa_verified", target_type: "session", target_id: actor.sessionId };
    const entry = { ...about, metadata: { method: checked.used }, ...origin };
    await deps.audit.append(tx, trusted === null ? entry : [entry, trusted.auditEntry]);
    const usedRecoveryCode = checked.used === "recovery_code";
    return { usedRecoveryCode, remainingRecoveryCodes, device: trusted?.device ?? null };
  });
  if ("refusal" in verified) throw verified.refusal;
  return verified;
}
