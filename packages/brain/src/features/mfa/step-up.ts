import type { SessionActor } from "../../platform/http/access/actor.ts";
import { ApiError, invalid } from "../../platform/http/error-codes.ts";
import type { AuditOrigin } from "../audit/index.ts";
import { isOwnPassword } from "../users/index.ts";
import type { MfaDeps } from "./deps.ts";
import { checkCode } from "./factor/check-code.ts";
import { wrongPassword } from "./factor/remove.ts";
import type { StepUpBody } from "./schemas.ts";
import { stampProved, stampVerified } from "./store.ts";

export interface StepUpRequest {
  readonly actor: SessionActor;
  readonly body: StepUpBody;
  readonly origin: AuditOrigin;
}

/**
 * Accepts the password or a code as fresh proof of the session's user. A code also counts as a verified second factor.
 *
 * @throws ApiError `validation_error` for both or neither, for a wrong password (invalid_password, which counts toward the lock of the
 * account; a locked account gets the same answer) and for a wrong code (invalid_code); `forbidden` (mfa_locked); `conflict` (not_enrolled)
 */
export async function stepUp(deps: MfaDeps, request: StepUpRequest): Promise<void> {
  const { password, code } = request.body;
  if ((password === undefined) === (code === undefined)) {
    throw invalid({ loc: ["body"], type: "one_of", message: "must have either password or code" });
  }
  if (password !== undefined) await byPassword(deps, request, password);
  else await byCode(deps, request, code ?? "");
}

async function byPassword(deps: MfaDeps, { actor, origin }: StepUpRequest, password: string): Promise<void> {
  const { users, clock } = deps;
  const user = await users.findById(actor.user.id);
  if (user === undefined) throw new ApiError("unauthenticated");
  const entry = { ...failed(actor, origin), metadata: { method: "password" } };
  if (!(await isOwnPassword(deps, { user, password, entry }))) throw wrongPassword();
  const isProved = await deps.database.write(async (tx) => {
    // Checked again in the transaction: concurrent guesses may have locked the account, and a reset may have replaced the password.
    if (!(await users.noteSuccess(tx, user, clock.now()))) return false;
    await stampProved(tx, actor.sessionId, clock.now());
    await deps.audit.append(tx, { ...proved(actor, origin), metadata: { method: "password" } });
    return true;
  });
  if (isProved) return;
  deps.audit.refused({ ...entry, metadata: { ...entry.metadata, reason: "locked" } });
  throw wrongPassword();
}

async function byCode(deps: MfaDeps, { actor, origin }: StepUpRequest, code: string): Promise<void> {
  const refusal = await deps.database.write(async (tx) => {
    const checked = await checkCode(tx, deps, { userId: actor.user.id, code, takesRecoveryCode: true, origin });
    if ("refusal" in checked) {
      const reason = String(checked.refusal.details.reason);
      const entry = { ...failed(actor, origin), metadata: { method: "code", reason } };
      await deps.audit.append(tx, [...checked.auditEntries, entry]);
      return checked.refusal;
    }
    await stampVerified(tx, actor.sessionId, deps.clock.now());
    await deps.audit.append(tx, { ...proved(actor, origin), metadata: { method: checked.used } });
    return null;
  });
  if (refusal !== null) throw refusal;
}

const proved = (actor: SessionActor, origin: AuditOrigin) => ({
  action: "auth.step_up",
  target_type: "session",
  target_id: actor.sessionId,
  ...origin,
});

const failed = (actor: SessionActor, origin: AuditOrigin) => ({
  ...proved(actor, origin),
  action: "auth.step_up_failed",
  result: "failed",
});
