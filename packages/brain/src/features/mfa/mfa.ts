import type { Tx } from "../../platform/database/database.ts";
import type { SessionActor } from "../../platform/http/access/actor.ts";
import { ApiError } from "../../platform/http/error-codes.ts";
import type { Tables } from "../../schema/tables/index.ts";
import type { AuditOrigin } from "../audit/index.ts";
import type { MfaDeps } from "./deps.ts";
import { createEnforcement, type EnforcedUser } from "./enforcement.ts";
import { enrollComplete, enrollStart, regenerateCodes } from "./factor/enroll.ts";
import { type DisableRequest, disable, reset } from "./factor/remove.ts";
import { type VerifyRequest, verify } from "./factor/verify-session.ts";
import type { MfaState, MfaStatus } from "./schemas.ts";
import { type FactorSignIn, signIn } from "./sign-in.ts";
import { type StepUpRequest, stepUp } from "./step-up.ts";
import { countRecoveryCodes, findFactor } from "./store.ts";
import { createTrustedDevices } from "./trusted-devices/trusted-devices.ts";
import { revokeDevicesOf } from "./trusted-devices/trusted-devices-store.ts";

/** Second factors: codes of an authenticator app, recovery codes, trusted devices, and the policy that requires them. */
export function createMfa(deps: MfaDeps) {
  const { database, clock, settings } = deps;
  const enforcement = createEnforcement(clock, settings);
  return {
    gatesOf: enforcement.gatesOf,
    /** In the transaction of a sign-in that has changed the user's row. */
    signIn: (tx: Tx<Tables>, request: FactorSignIn) => signIn(tx, { clock, settings, enforcement }, request),
    /** Fields for the answers of sign-in and `me`; `isPending` belongs to the session. */
    stateOf(user: EnforcedUser, isPending: boolean): MfaState {
      const { isRequired, deadline } = enforcement.enrollmentOf(user);
      return {
        mfa_required: isPending,
        mfa_enrollment_required: isRequired,
        mfa_enrollment_deadline: deadline,
      };
    },
    async status(actor: SessionActor): Promise<MfaStatus> {
      const [factor, codes] = await Promise.all([
        findFactor(database.read, actor.user.id),
        countRecoveryCodes(database.read, actor.user.id),
      ]);
      if (factor === undefined) throw new ApiError("unauthenticated");
      const { isRequired, deadline } = enforcement.enrollmentOf(factor);
      return {
        enrolled: factor.mfa_enrolled_at !== null,
        enrolled_at: factor.mfa_enrolled_at,
        remaining_recovery_codes: codes,
        enrollment_required: isRequired,
        enrollment_deadline: deadline,
      };
    },
    enrollStart: (actor: SessionActor) => enrollStart(deps, actor),
    enrollComplete: (request: Parameters<typeof enrollComplete>[1]) => enrollComplete(deps, request),
    verify: (request: VerifyRequest) => verify(deps, request),
    stepUp: (request: StepUpRequest) => stepUp(deps, request),
    disable: (request: DisableRequest) => disable(deps, request),
    regenerateCodes: (actor: SessionActor, origin: AuditOrigin) => regenerateCodes(deps, actor, origin),
    devices: createTrustedDevices(deps),
    /** For a user's own password change, in that transaction. @returns the number of devices that ended. */
    endTrustedDevices: (tx: Tx<Tables>, userId: string) => revokeDevicesOf(tx, userId, clock.now()),
    /**
     * Removes a user's second factor and revokes the API keys, for an operator of the server. @returns the number of keys. @throws ApiError
     * `conflict` (not_enrolled)
     */
    reset: (request: { readonly userId: string; readonly origin: AuditOrigin }) => reset(deps, request),
  };
}

export type Mfa = ReturnType<typeof createMfa>;
