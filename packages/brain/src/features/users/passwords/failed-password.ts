import type { Passwords } from "../../../platform/crypto/passwords.ts";
import { sourceOf } from "../../../platform/http/connections/addresses.ts";
import type { Core, UserRow } from "../../../schema/tables/index.ts";
import type { Audit, AuditEntry, AuditOrigin } from "../../audit/index.ts";
import type { Users } from "../users.ts";

export interface FailedPasswordDeps extends Core {
  readonly audit: Pick<Audit, "append">;
  readonly users: Pick<Users, "noteFailure">;
  readonly settings: {
    readonly SVC_LOGIN_LOCKOUT_THRESHOLD: number;
    readonly SVC_LOGIN_LOCKOUT_DURATION_SECONDS: number;
  };
}

export interface OwnPasswordDeps extends FailedPasswordDeps {
  readonly audit: Pick<Audit, "append" | "refused">;
  readonly passwords: Pick<Passwords, "verify">;
}

/**
 * Checks a signed-in user's password. A wrong one counts toward the account lock. A locked account is refused before the password is
 * checked, so that a session cannot keep causing that work; the audit rows of such refusals are batched.
 */
export async function isOwnPassword(
  deps: OwnPasswordDeps,
  { user, password, entry }: { user: UserRow; password: string; entry: AuditEntry & AuditOrigin },
): Promise<boolean> {
  const failed = (reason: string) => ({ ...entry, result: "failed", metadata: { ...entry.metadata, reason } }) as const;
  if (user.locked_until !== null && user.locked_until > deps.clock.now()) {
    deps.audit.refused(failed("locked"));
    return false;
  }
  if (await deps.passwords.verify(user.password_hash, password, sourceOf(entry))) return true;
  await noteFailedPassword(deps, { userId: user.id, entry: failed("wrong_password") });
  return false;
}

/** Counts a wrong password toward the account lock, and writes its audit row. */
export async function noteFailedPassword(
  { database, clock, audit, users, settings }: FailedPasswordDeps,
  { userId, entry }: { userId: string; entry: AuditEntry },
): Promise<void> {
  const now = clock.now();
  await database.write(async (tx) => {
    await users.noteFailure(tx, {
      id: userId,
      now,
      threshold: settings.SVC_LOGIN_LOCKOUT_THRESHOLD,
      lockedUntil: new Date(now.getTime() + settings.SVC_LOGIN_LOCKOUT_DURATION_SECONDS * 1000),
    });
    await audit.append(tx, entry);
  });
}
