import type { SessionActor } from "../../platform/http/access/actor.ts";
import { sourceOf } from "../../platform/http/connections/addresses.ts";
import { ApiError } from "../../platform/http/error-codes.ts";
import type { AuditOrigin } from "../audit/index.ts";
import type { SecurityHistory } from "../security-history/index.ts";
import { isOwnPassword, passwordRefusal, type RevokeKeys, type Users } from "../users/index.ts";
import { issueSession } from "./issue-session.ts";
import type { LoggedIn, LoginDeps } from "./login.ts";
import { deleteSessionsOf, findCarried } from "./store.ts";

export interface ChangePasswordDeps extends Omit<LoginDeps, "users" | "settings"> {
  readonly history: Pick<SecurityHistory, "record" | "notify">;
  readonly revokeKeys: RevokeKeys;
  readonly users: LoginDeps["users"] & Pick<Users, "findById">;
  readonly settings: LoginDeps["settings"] & { readonly SVC_PASSWORD_MIN_LENGTH: number };
}

export interface ChangePasswordRequest {
  readonly actor: SessionActor;
  readonly currentPassword: string;
  readonly newPassword: string;
  /** Revoke the user's API keys as well. */
  readonly revokesKeys: boolean;
  readonly origin: AuditOrigin;
}

export interface PasswordChanged extends LoggedIn {
  /** The user's sessions that ended. */
  readonly ended: readonly string[];
}

/**
 * Sets a new password and replaces all sessions of the user with one new session, which keeps the remember flag and the second factor of
 * the current one. No device is trusted any more.
 *
 * @throws ApiError `validation_error` for a password that the policy rejects, and with reason `invalid_password` for a wrong current one,
 * which counts toward the lock; a locked account gets the same answer.
 */
export async function changePassword(
  deps: ChangePasswordDeps,
  request: ChangePasswordRequest,
): Promise<PasswordChanged> {
  const { users, passwords, database, clock, settings, history } = deps;
  const { actor, origin } = request;
  const user = await users.findById(actor.user.id);
  if (user === undefined) throw new ApiError("unauthenticated");
  const policy = { minChars: settings.SVC_PASSWORD_MIN_LENGTH, owner: user };
  const refusal = passwordRefusal("new_password", request.newPassword, policy);
  if (refusal !== null) throw refusal;
  const about = { action: "auth.password_changed", target_type: "user", target_id: user.id, ...origin };
  if (!(await isOwnPassword(deps, { user, password: request.currentPassword, entry: about }))) throw wrongPassword();
  const hash = await passwords.hash(request.newPassword, sourceOf(origin));
  const changed = await database.write(async (tx) => {
    if (!(await users.noteSuccess(tx, user, clock.now()))) return null;
    const carried = await findCarried(tx, actor.sessionId);
    await users.setPassword(tx, user.id, hash);
    const ended = await deleteSessionsOf(tx, user.id, null);
    const devicesEnded = await deps.mfa.endTrustedDevices(tx, user.id);
    const session = await issueSession(tx, deps.issue, {
      userId: user.id,
      isRemembered: carried?.is_remembered ?? false,
      mfaVerifiedAt: carried?.mfa_verified_at ?? null,
      isMfaSpared: carried?.is_mfa_spared ?? false,
      origin,
      presentedCookie: undefined,
      device: null,
    });
    const revocation = { userId: user.id, reason: "password_changed", now: clock.now() };
    const keysRevoked = request.revokesKeys ? await deps.revokeKeys(tx, revocation) : 0;
    await deps.audit.append(tx, {
      ...about,
      metadata: {
        sessions_ended: ended.length,
        trusted_devices_ended: devicesEnded,
        api_keys_revoked: keysRevoked,
      },
    });
    const details = { by: "owner", api_keys_revoked: keysRevoked } as const;
    const mail = await history.record(tx, { userId: user.id, kind: "password.changed", origin, details });
    return { user, session, ended, mail, factor: { user, isPending: actor.mfa.pending } };
  });
  if (changed === null) throw wrongPassword();
  history.notify(changed.mail);
  return changed;
}

const wrongPassword = () =>
  new ApiError("validation_error", {
    reason: "invalid_password",
    errors: [{ loc: ["body", "current_password"], type: "invalid_password", message: "is not the current password" }],
  });
