/**
 * Which users must have a second factor, and from when on a session without it can only set one up. The delay begins with the first sign-in
 * under the policy and never restarts.
 */
import type { Clock } from "../../platform/clock.ts";
import { days } from "../../platform/durations.ts";
import type { SessionActor } from "../../platform/http/access/actor.ts";
import type { SessionRow, UserRow } from "../../schema/tables/index.ts";
import type { MfaValues } from "./settings.ts";

export type EnforcedUser = Pick<UserRow, "is_admin" | "mfa_enrolled_at" | "mfa_enforcement_started_at">;
export type GatedSession = EnforcedUser & Pick<SessionRow, "mfa_verified_at" | "is_mfa_spared">;

export interface Enrollment {
  readonly isRequired: boolean;
  /** Null while nothing is required, and until the first sign-in under the policy. */
  readonly deadline: Date | null;
  readonly isOverdue: boolean;
}

export type EnforcementPolicy = "SVC_MFA_ENFORCE_FOR_ALL" | "SVC_MFA_ENFORCE_FOR_ADMINS";

export function createEnforcement(clock: Pick<Clock, "now">, settings: MfaValues) {
  /** The setting that requires a second factor for this user; null when none does. */
  function policyFor(user: Pick<UserRow, "is_admin">): EnforcementPolicy | null {
    if (settings.SVC_MFA_ENFORCE_FOR_ALL) return "SVC_MFA_ENFORCE_FOR_ALL";
    return settings.SVC_MFA_ENFORCE_FOR_ADMINS && user.is_admin ? "SVC_MFA_ENFORCE_FOR_ADMINS" : null;
  }

  function enrollmentOf(user: EnforcedUser): Enrollment {
    if (user.mfa_enrolled_at !== null || policyFor(user) === null)
      return { isRequired: false, deadline: null, isOverdue: false };
    const started = user.mfa_enforcement_started_at;
    if (started === null) return { isRequired: true, deadline: null, isOverdue: false };
    const deadline = new Date(started.getTime() + days(settings.SVC_MFA_ENROLLMENT_GRACE_DAYS));
    // Without a delay, the deadline is already past at the first instant.
    return { isRequired: true, deadline, isOverdue: clock.now() >= deadline };
  }

  return {
    policyFor,
    enrollmentOf,
    /** What keeps a session from the routes, in the form that the access hooks use. */
    gatesOf(session: GatedSession): SessionActor["mfa"] {
      const enrolled = session.mfa_enrolled_at !== null;
      const { deadline, isOverdue } = enrollmentOf(session);
      return {
        enrolled,
        pending: enrolled && session.mfa_verified_at === null && !session.is_mfa_spared,
        verifiedAt: session.mfa_verified_at,
        overdueSince: isOverdue ? deadline : null,
      };
    },
  };
}

export type Enforcement = ReturnType<typeof createEnforcement>;
