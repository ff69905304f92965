import type { Passwords } from "../../../platform/crypto/passwords.ts";
import type { Tx } from "../../../platform/database/database.ts";
import { sourceOf } from "../../../platform/http/connections/addresses.ts";
import type { Core, Tables, UserRow } from "../../../schema/tables/index.ts";
import type { Audit, AuditOrigin } from "../../audit/index.ts";
import type { SecurityHistory } from "../../security-history/index.ts";
import { deleteResetTokens, deleteTrustedDevices, updateUser } from "../store.ts";
import type { Users } from "../users.ts";
import { type PasswordOwner, passwordRefusal } from "./password-rules.ts";

/** The part of the sessions feature used here. Sessions depend on users, so this cannot import them. */
export interface EndingSessions {
  endAllOf(tx: Tx<Tables>, userId: string): Promise<string[]>;
  announceEnded(userId: string, sessionIds: readonly string[]): Promise<void>;
}

/** Revokes a user's active API keys, in the transaction of a caller that holds the lock of the user's row. @returns the number revoked. */
export type RevokeKeys = (
  tx: Tx<Tables>,
  request: { readonly userId: string; readonly reason: string; readonly now: Date },
) => Promise<number>;

export interface ReplacePasswordDeps extends Core {
  readonly audit: Pick<Audit, "append">;
  readonly users: Pick<Users, "lock">;
  readonly passwords: Pick<Passwords, "hash">;
  readonly sessions: EndingSessions;
  readonly history: Pick<SecurityHistory, "record" | "notify">;
  readonly revokeKeys: RevokeKeys;
  readonly settings: { readonly SVC_PASSWORD_MIN_LENGTH: number };
}

export interface PasswordReplacement {
  readonly userId: string;
  readonly owner: PasswordOwner;
  readonly newPassword: string;
  /** Checks the locked account inside the transaction, and throws when it must not change. */
  readonly admit: (user: UserRow | undefined, tx: Tx<Tables>) => unknown;
  readonly by: keyof typeof reasons;
  readonly action: string;
  readonly origin: AuditOrigin;
}

/** Reason recorded for the revoked API keys, by who replaces the password. */
const reasons = {
  reset_link: "password_reset",
  administrator: "password_reset_by_admin",
  operator: "account_rescue",
} as const;

export interface EndedByReset {
  readonly sessions_ended: number;
  readonly api_keys_revoked: number;
  readonly trusted_devices_ended: number;
}

/**
 * Replaces an account's password without the old one. This ends its lock, sessions, trusted devices, API keys and reset tokens; the second
 * factor does not change.
 *
 * @throws ApiError `validation_error` for a password that the policy rejects, and what `admit` throws.
 */
export async function replacePassword(
  { database, clock, audit, users, passwords, sessions, history, revokeKeys, settings }: ReplacePasswordDeps,
  { userId, owner, newPassword, admit, by, action, origin }: PasswordReplacement,
): Promise<EndedByReset> {
  const refusal = passwordRefusal("new_password", newPassword, { minChars: settings.SVC_PASSWORD_MIN_LENGTH, owner });
  if (refusal !== null) throw refusal;
  const password_hash = await passwords.hash(newPassword, sourceOf(origin));
  const { sessionIds, counts, mail } = await database.write(async (tx) => {
    await admit(await users.lock(tx, userId), tx);
    // Lock the account first: a concurrent sign-in with the old password then either fails, or has already created the session to end.
    const now = clock.now();
    await updateUser(tx, userId, { password_hash, failed_logins: 0, locked_until: null, updated_at: now });
    const devicesEnded = await deleteTrustedDevices(tx, userId);
    await deleteResetTokens(tx, userId);
    const sessionIds = await sessions.endAllOf(tx, userId);
    const keysRevoked = await revokeKeys(tx, { userId, reason: reasons[by], now });
    const counts = {
      sessions_ended: sessionIds.length,
      trusted_devices_ended: devicesEnded,
      api_keys_revoked: keysRevoked,
    };
    await audit.append(tx, { action, target_type: "user", target_id: userId, metadata: counts, ...origin });
    const details = { by, api_keys_revoked: keysRevoked };
    const mail = await history.record(tx, { userId, kind: "password.changed", origin, details });
    return { sessionIds, counts, mail };
  });
  history.notify(mail);
  await sessions.announceEnded(userId, sessionIds);
  return counts;
}
