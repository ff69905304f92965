import { openSecret, sealSecret } from "../../../platform/crypto/at-rest.ts";
import type { Tx } from "../../../platform/database/database.ts";
import { ApiError } from "../../../platform/http/error-codes.ts";
import type { Tables } from "../../../schema/tables/index.ts";
import type { AuditEntry, AuditOrigin } from "../../audit/index.ts";
import type { MfaDeps } from "../deps.ts";
import { type Factor, lockFactor, noteRightCode, noteWrongCode, takeRecoveryCode, takeStep } from "../store.ts";
import { recoveryDigests } from "./recovery-codes.ts";
import { stepOfCode } from "./totp.ts";

export interface CodeCheck {
  readonly userId: string;
  readonly code: string;
  /** Whether a recovery code is accepted. */
  readonly takesRecoveryCode: boolean;
  readonly origin: AuditOrigin;
}

type EnrolledFactor = Factor & { readonly mfa_secret: string };

export type CheckedCode =
  | { readonly used: "totp" | "recovery_code" }
  /** A counted failure; the transaction must commit with these rows before the refusal is thrown. */
  | { readonly refusal: ApiError; readonly auditEntries: readonly AuditEntry[] };

/**
 * Checks a code of the active second factor, and marks it as used. A locked factor also refuses correct codes, and attempts during the lock
 * do not prolong it.
 *
 * @throws ApiError `conflict` (not_enrolled) without a second factor.
 */
export async function checkCode(tx: Tx<Tables>, deps: MfaDeps, check: CodeCheck): Promise<CheckedCode> {
  const { userId, code, origin } = check;
  const now = deps.clock.now();
  const factor = requireEnrolled(await lockFactor(tx, userId));
  const failed = (reason: string): AuditEntry => ({
    action: "auth.mfa_failed",
    target_type: "user",
    target_id: userId,
    result: "failed",
    metadata: { reason },
    ...origin,
  });
  if (isLocked(factor, now)) return { refusal: factorLocked(), auditEntries: [failed("mfa_locked")] };
  const typed = code.replaceAll(/\s/g, "");
  if (/^\d{6}$/.test(typed)) {
    if (await takeTotp(tx, deps, factor, typed)) return { used: "totp" };
  } else if (check.takesRecoveryCode && (await takeRecoveryCode(tx, userId, recoveryDigests(deps.masters, typed)))) {
    await noteRightCode(tx, userId);
    return { used: "recovery_code" };
  }
  const { SVC_MFA_LOCKOUT_THRESHOLD: threshold, SVC_MFA_LOCKOUT_DURATION_SECONDS: lockSeconds } = deps.settings;
  const lockedUntil = new Date(now.getTime() + lockSeconds * 1000);
  const locks = await noteWrongCode(tx, { userId, threshold, lockedUntil });
  const lockEntry: AuditEntry = {
    action: "user.mfa_locked",
    target_type: "user",
    target_id: userId,
    metadata: { locked_until: lockedUntil.toISOString() },
    ...origin,
  };
  return { refusal: invalidCode(), auditEntries: [failed("invalid_code"), ...(locks ? [lockEntry] : [])] };
}

async function takeTotp(tx: Tx<Tables>, deps: MfaDeps, factor: EnrolledFactor, code: string): Promise<boolean> {
  const { id: userId, mfa_secret: stored } = factor;
  const { secret, isOutdated } = openSecret(deps.masters, userId, stored);
  const step = stepOfCode(secret, code, deps.clock.now());
  if (step === null) return false;
  const sealed = isOutdated ? sealSecret(deps.masters, userId, secret) : stored;
  return takeStep(tx, { userId, sealed, step });
}

export function requireEnrolled(factor: Factor | undefined): EnrolledFactor {
  if (factor === undefined) throw new ApiError("unauthenticated");
  if (factor.mfa_secret === null) throw new ApiError("conflict", { reason: "not_enrolled" });
  return factor as EnrolledFactor;
}

export const isLocked = ({ mfa_locked_until: until }: Pick<Factor, "mfa_locked_until">, now: Date): boolean =>
  until !== null && until > now;

export const factorLocked = () => new ApiError("forbidden", { reason: "mfa_locked" });

export const invalidCode = () =>
  new ApiError("validation_error", {
    reason: "invalid_code",
    errors: [{ loc: ["body", "code"], type: "invalid_code", message: "is incorrect, expired or already used" }],
  });
