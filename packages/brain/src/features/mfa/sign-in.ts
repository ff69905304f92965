import { cookieDigest } from "../../platform/crypto/digests.ts";
import type { Tx } from "../../platform/database/database.ts";
import { ApiError } from "../../platform/http/error-codes.ts";
import type { Tables } from "../../schema/tables/index.ts";
import type { AuditEntry, AuditOrigin } from "../audit/index.ts";
import type { MfaDeps } from "./deps.ts";
import type { EnforcedUser, Enforcement } from "./enforcement.ts";
import { findFactor, startEnforcement } from "./store.ts";
import { useDevice } from "./trusted-devices/trusted-devices-store.ts";

export interface FactorSignIn {
  readonly userId: string;
  readonly trustCookie: string | undefined;
  readonly origin: AuditOrigin;
}

export interface FactorAtSignIn {
  /** The user's columns after the sign-in. */
  readonly user: EnforcedUser;
  /** A trusted device made the code unnecessary. */
  readonly isSpared: boolean;
  /** Appended after the row of the sign-in itself. */
  readonly auditEntries: readonly AuditEntry[];
}

/**
 * Applies the second factor to a sign-in. It runs in the sign-in's transaction, which has already changed the user's row and so holds its
 * lock. Starts the delay of a user who must enroll, once, and checks the trusted device.
 */
export async function signIn(
  tx: Tx<Tables>,
  { clock, settings, enforcement }: Pick<MfaDeps, "clock" | "settings"> & { readonly enforcement: Enforcement },
  { userId, trustCookie, origin }: FactorSignIn,
): Promise<FactorAtSignIn> {
  const now = clock.now();
  const user = await findFactor(tx, userId);
  if (user === undefined) throw new ApiError("unauthenticated");
  if (user.mfa_enrolled_at !== null) {
    const digest = cookieDigest(trustCookie);
    return { user, isSpared: digest !== null && (await useDevice(tx, { userId, digest, now })), auditEntries: [] };
  }
  const policy = enforcement.policyFor(user);
  if (policy === null) return { user, isSpared: false, auditEntries: [] };
  const isFirst = await startEnforcement(tx, userId, now);
  const enforced = isFirst ? { ...user, mfa_enforcement_started_at: now } : user;
  const { deadline, isOverdue } = enforcement.enrollmentOf(enforced);
  const about = {
    target_type: "user",
    target_id: userId,
    ...origin,
    user_id: userId,
    metadata: {
      policy,
      grace_days: settings.SVC_MFA_ENROLLMENT_GRACE_DAYS,
      deadline: deadline?.toISOString() ?? null,
    },
  };
  const auditEntries: AuditEntry[] = [];
  if (isFirst) auditEntries.push({ action: "auth.mfa_enforcement_grace_started", ...about });
  if (isOverdue)
    auditEntries.push({ action: "auth.mfa_enforcement_blocked", result: "failed", outcome: "deny", ...about });
  return { user: enforced, isSpared: false, auditEntries };
}
