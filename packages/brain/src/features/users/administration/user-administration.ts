import type { Tx } from "../../../platform/database/database.ts";
import { isUniqueViolation } from "../../../platform/database/errors.ts";
import { sourceOf } from "../../../platform/http/connections/addresses.ts";
import { ApiError } from "../../../platform/http/error-codes.ts";
import type { Tables } from "../../../schema/tables/index.ts";
import type { AuditOrigin } from "../../audit/index.ts";
import { passwordRefusal } from "../passwords/password-rules.ts";
import { type EndedByReset, replacePassword } from "../passwords/replace-password.ts";
import type { NewUserBody, UserAdminPublic, UserChangesBody, UserListQuery } from "../schemas.ts";
import { publicUserForAdmins } from "../shapes.ts";
import { deleteUser, listUsers } from "../store.ts";
import { changeUser } from "./change-user.ts";
import type { AboutUser, UserAdministrationDeps } from "./deps.ts";
import { lockAdmins, ownAccount, requireOtherAdmin, requireUser } from "./guards.ts";

const defaultLimit = 100;
const maxLimit = 500;
/** An offset that both databases accept and no installation reaches. */
const maxOffset = 2 ** 31 - 1;

/** Accounts as administrators of the instance manage them. */
export function createUserAdministration(deps: UserAdministrationDeps) {
  const { database, audit, users, sessions, settings } = deps;
  const minChars = settings.SVC_PASSWORD_MIN_LENGTH;

  return {
    async list({ limit = defaultLimit, offset = 0 }: UserListQuery): Promise<UserAdminPublic[]> {
      const rows = await listUsers(database.read, {
        limit: limit <= 0 || limit > maxLimit ? defaultLimit : limit,
        offset: Math.min(Math.max(0, offset), maxOffset),
      });
      return rows.map(publicUserForAdmins);
    },
    /** @throws ApiError `not_found` */
    async get(userId: string): Promise<UserAdminPublic> {
      return publicUserForAdmins(requireUser(await users.findById(userId)));
    },
    /** @throws ApiError `validation_error` for a password that the policy rejects, `conflict` for an address in use. */
    async create(body: NewUserBody, origin: AuditOrigin): Promise<UserAdminPublic> {
      const refusal = passwordRefusal("password", body.password, { minChars, owner: body });
      if (refusal !== null) throw refusal;
      const passwordHash = await deps.passwords.hash(body.password, sourceOf(origin));
      const isAdmin = body.is_admin ?? false;
      try {
        return await database.write(async (tx) => {
          const user = await users.add(tx, {
            email: body.email,
            displayName: body.display_name ?? null,
            firstName: body.first_name ?? null,
            lastName: body.last_name ?? null,
            passwordHash,
            isAdmin,
            ...(body.timezone !== undefined && { timezone: body.timezone }),
          });
          const about = { action: "user.created", target_type: "user", target_id: user.id };
          await audit.append(tx, { ...about, metadata: { is_admin: isAdmin }, ...origin });
          return publicUserForAdmins(user);
        });
      } catch (error) {
        if (isUniqueViolation(error)) throw new ApiError("conflict", { reason: "email_in_use" }, { cause: error });
        throw error;
      }
    },
    /** @throws ApiError `not_found`, and `conflict` as in change-user.ts */
    async update(about: AboutUser, changes: UserChangesBody): Promise<UserAdminPublic> {
      const { user, ended } = await changeUser(deps, about, changes);
      await sessions.announceEnded(user.id, ended);
      return publicUserForAdmins(user);
    },
    /** Sets a new password without the old one, and returns what ended with it. @throws ApiError `not_found`, `validation_error` */
    async resetPassword({ userId, origin }: AboutUser, newPassword: string): Promise<EndedByReset> {
      const owner = requireUser(await users.findById(userId));
      return replacePassword(deps, {
        ...{ userId, owner, newPassword, origin },
        by: origin.user_id === null ? "operator" : "administrator",
        action: "user.password.reset",
        admit: requireUser,
      });
    },
    /** @throws ApiError `not_found`, and `conflict` for your own account (own_account) and the last active administrator. */
    async remove(about: AboutUser) {
      const ended = await removeUser(deps, about);
      await sessions.announceEnded(about.userId, ended);
    },
  };
}

export type UserAdministration = ReturnType<typeof createUserAdministration>;

/**
 * Deletes an account permanently, with its memberships, sessions, keys, saved views and second factor. Audit rows and commands remain,
 * without the user's identity.
 *
 * @returns the sessions that ended.
 * @throws ApiError `conflict` for your own account (own_account) and the last active administrator; `not_found`.
 */
async function removeUser(
  { database, audit, users, sessions, forget }: UserAdministrationDeps,
  { userId, origin }: AboutUser,
): Promise<readonly string[]> {
  if (userId === origin.user_id) throw ownAccount();
  const remove = async (tx: Tx<Tables>) => {
    await lockAdmins(tx);
    const user = requireUser(await users.lock(tx, userId));
    await requireOtherAdmin(tx, user);
    const ended = await sessions.endAllOf(tx, user.id);
    for (const forgetIn of forget) await forgetIn(tx, user.id);
    await deleteUser(tx, user.id);
    const about = { action: "user.deleted", target_type: "user", target_id: user.id };
    await audit.forgetUser(tx, { userId: user.id, entry: { ...about, ...origin } });
    return ended;
  };
  // The user's rows are checked again under the lock of the audit chain, which no other transaction may wait behind.
  return database.write(remove, { alone: true });
}
