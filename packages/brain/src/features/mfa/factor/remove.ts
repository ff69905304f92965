import type { Tx } from "../../../platform/database/database.ts";
import type { SessionActor } from "../../../platform/http/access/actor.ts";
import { ApiError } from "../../../platform/http/error-codes.ts";
import type { Tables } from "../../../schema/tables/index.ts";
import type { AuditOrigin } from "../../audit/index.ts";
import { isOwnPassword } from "../../users/index.ts";
import type { MfaDeps } from "../deps.ts";
import { clearFactor, lockFactor, replaceRecoveryCodes } from "../store.ts";
import { revokeDevicesOf } from "../trusted-devices/trusted-devices-store.ts";
import { checkCode, factorLocked, isLocked, requireEnrolled } from "./check-code.ts";

export interface DisableRequest {
  readonly actor: SessionActor;
  readonly password: string;
  readonly code: string;
  readonly origin: AuditOrigin;
}

/**
 * Removes the caller's second factor, given the password and a code of the authenticator app.
 *
 * @throws ApiError `validation_error` (invalid_password, which counts toward the lock of the account, or invalid_code), `forbidden`
 * (mfa_locked), `conflict` (not_enrolled)
 */
export async function disable(deps: MfaDeps, { actor, password, code, origin }: DisableRequest): Promise<void> {
  const { users, clock, database, audit, history } = deps;
  const user = await users.findById(actor.user.id);
  if (isLocked(requireEnrolled(user), clock.now())) throw factorLocked();
  const { id } = user!;
  const about = { action: "user.mfa_disabled", target_type: "user", target_id: id, ...origin };
  if (!(await isOwnPassword(deps, { user: user!, password, entry: about }))) throw wrongPassword();
  const outcome = await database.write(async (tx) => {
    const checked = await checkCode(tx, deps, { userId: id, code, takesRecoveryCode: false, origin });
    if ("refusal" in checked) {
      await audit.append(tx, checked.auditEntries);
      return checked;
    }
    await removeFactor(tx, id, clock.now());
    await audit.append(tx, about);
    return { mail: await history.record(tx, { userId: id, kind: "factor.removed", origin, details: { by: "owner" } }) };
  });
  if ("refusal" in outcome) throw outcome.refusal;
  history.notify(outcome.mail);
}

/**
 * Removes a user's second factor without password and code, for an operator of the server. The delay of enforcement does not restart. API
 * keys are revoked as well, because a user who needs this may have lost more than a phone.
 *
 * @returns the number of API keys revoked.
 * @throws ApiError `not_found`, `conflict` (not_enrolled)
 */
export async function reset(
  {
    database,
    clock,
    audit,
    history,
    revokeKeys,
  }: Pick<MfaDeps, "database" | "clock" | "audit" | "history" | "revokeKeys">,
  { userId, origin }: { readonly userId: string; readonly origin: AuditOrigin },
): Promise<number> {
  const { keys, mail } = await database.write(async (tx) => {
    requireEnrolled(await lockFactor(tx, userId));
    const now = clock.now();
    await removeFactor(tx, userId, now);
    const keys = await revokeKeys(tx, { userId, reason: "account_rescue", now });
    const about = { action: "user.mfa_disabled", target_type: "user", target_id: userId };
    await audit.append(tx, { ...about, metadata: { api_keys_revoked: keys }, ...origin });
    const details = { by: "operator", api_keys_revoked: keys } as const;
    return { keys, mail: await history.record(tx, { userId, kind: "factor.removed", origin, details }) };
  });
  history.notify(mail);
  return keys;
}

/**
 * Removes a second factor with its recovery codes and trusted devices, in the caller's transaction. Stamps of sessions have no meaning
 * without a factor, and the next enrollment clears them.
 */
async function removeFactor(tx: Tx<Tables>, userId: string, now: Date): Promise<void> {
  await clearFactor(tx, userId);
  await replaceRecoveryCodes(tx, userId, []);
  await revokeDevicesOf(tx, userId, now);
}

export const wrongPassword = () =>
  new ApiError("validation_error", {
    reason: "invalid_password",
    errors: [{ loc: ["body", "password"], type: "invalid_password", message: "is not the current password" }],
  });
