import { openSecret, sealSecret } from "../../../platform/crypto/at-rest.ts";
import type { SessionActor } from "../../../platform/http/access/actor.ts";
import { ApiError } from "../../../platform/http/error-codes.ts";
import { uuidV7 } from "../../../platform/ids.ts";
import type { AuditOrigin } from "../../audit/index.ts";
import type { MfaDeps } from "../deps.ts";
import {
  activateSecret,
  clearStamps,
  lockFactor,
  replaceRecoveryCodes,
  setPendingSecret,
  stampVerified,
} from "../store.ts";
import { revokeDevicesOf } from "../trusted-devices/trusted-devices-store.ts";
import { invalidCode, requireEnrolled } from "./check-code.ts";
import { mintRecoveryCodes } from "./recovery-codes.ts";
import { newTotpSecret, provisioningUrl, stepOfCode } from "./totp.ts";

/** Starts or restarts an enrollment. An active factor stays active until the new one is confirmed. */
export async function enrollStart({ database, masters }: MfaDeps, actor: SessionActor) {
  const secret = newTotpSecret();
  const sealed = sealSecret(masters, actor.user.id, secret);
  await database.write((tx) => setPendingSecret(tx, actor.user.id, sealed));
  return { secret_base32: secret, provisioning_url: provisioningUrl(secret, actor.user.email) };
}

/**
 * Activates the pending second factor, with recovery codes, and marks this session as verified. Verifications of other sessions and trusted
 * devices that relied on an earlier factor end.
 *
 * @returns the recovery codes, which are never shown again.
 * @throws ApiError `validation_error` (invalid_code), `conflict` (enrollment_not_started), `mfa_reverify_required` when another session
 * activated a first factor in the meantime.
 */
export async function enrollComplete(
  deps: MfaDeps,
  { actor, code, origin }: { actor: SessionActor; code: string; origin: AuditOrigin },
): Promise<readonly string[]> {
  const { database, clock, audit, masters, settings, history } = deps;
  const userId = actor.user.id;
  const minted = mintRecoveryCodes(masters, settings.SVC_MFA_RECOVERY_CODE_COUNT);
  const mail = await database.write(async (tx) => {
    const now = clock.now();
    const factor = await lockFactor(tx, userId);
    if (factor === undefined) throw new ApiError("unauthenticated");
    const replaces = factor.mfa_secret !== null;
    // The hook required a fresh verification only for the factor it knew; a factor activated since then has not been verified.
    if (replaces && !actor.mfa.enrolled) throw new ApiError("mfa_reverify_required");
    if (factor.mfa_pending_secret === null) throw new ApiError("conflict", { reason: "enrollment_not_started" });
    const { secret } = openSecret(masters, userId, factor.mfa_pending_secret);
    const step = stepOfCode(secret, code.replaceAll(/\s/g, ""), now);
    if (step === null) throw invalidCode();
    await activateSecret(tx, { userId, sealed: sealSecret(masters, userId, secret), step, now });
    await replaceRecoveryCodes(tx, userId, codeRows(deps, userId, minted.digests));
    await clearStamps(tx, userId);
    await stampVerified(tx, actor.sessionId, now);
    await revokeDevicesOf(tx, userId, now);
    await audit.append(tx, {
      action: "user.mfa_enrolled",
      target_type: "user",
      target_id: userId,
      metadata: { replaced: replaces },
      ...origin,
    });
    return history.record(tx, { userId, kind: "factor.added", origin, details: { replaced: replaces } });
  });
  history.notify(mail);
  return minted.codes;
}

/** Replaces every recovery code. @returns the new ones, which are never shown again. @throws ApiError `conflict` (not_enrolled) */
export async function regenerateCodes(
  deps: MfaDeps,
  actor: SessionActor,
  origin: AuditOrigin,
): Promise<readonly string[]> {
  const userId = actor.user.id;
  const minted = mintRecoveryCodes(deps.masters, deps.settings.SVC_MFA_RECOVERY_CODE_COUNT);
  return deps.database.write(async (tx) => {
    requireEnrolled(await lockFactor(tx, userId));
    await replaceRecoveryCodes(tx, userId, codeRows(deps, userId, minted.digests));
    const about = { action: "user.mfa_codes_regenerated", target_type: "user", target_id: userId };
    await deps.audit.append(tx, { ...about, metadata: { codes: minted.codes.length }, ...origin });
    await deps.history.record(tx, { userId, kind: "recovery_codes.regenerated", origin });
    return minted.codes;
  });
}

const codeRows = ({ clock }: Pick<MfaDeps, "clock">, userId: string, digests: readonly string[]) =>
  digests.map((code_hash) => ({ id: uuidV7(clock), user_id: userId, code_hash }));
