import { isUniqueViolation } from "../../platform/database/errors.ts";
import { sourceOf } from "../../platform/http/addresses.ts";
import { ApiError } from "../../platform/http/error-codes.ts";
import type { AuditOrigin } from "../audit/index.ts";
import type { AboutUser, UserAdministrationDeps } from "./about.ts";
import { requireUser } from "./guards.ts";
import { passwordRefusal } from "./password-rules.ts";
import { removeUser } from "./remove.ts";
import { type EndedByReset, replacePassword } from "./replace-password.ts";
import type { NewUserBody, UserAdminPublic, UserChangesBody, UserListQuery } from "./schemas.ts";
import { publicUserForAdmins } from "./shapes.ts";
import { listUsers } from "./store.ts";
import { changeUser } from "./update.ts";

export interface UserAdministration {
  list(query: UserListQuery): Promise<UserAdminPublic[]>;
  /** @throws ApiError `not_found` */
  get(userId: string): Promise<UserAdminPublic>;
  /** @throws ApiError `validation_error` for a password that the policy refuses, `conflict` for an address in use. */
  create(body: NewUserBody, origin: AuditOrigin): Promise<UserAdminPublic>;
  /** @throws ApiError `not_found`, and `conflict` as update.ts has it. */
  update(about: AboutUser, changes: UserChangesBody): Promise<UserAdminPublic>;
  /** Gives a new password without the old one, and tells what ended with it. @throws ApiError `not_found`, `validation_error` */
  resetPassword(about: AboutUser, newPassword: string): Promise<EndedByReset>;
  /** @throws ApiError `not_found`, and `conflict` as remove.ts has it. */
  remove(about: AboutUser): Promise<void>;
}

const defaultLimit = 100;
const maxLimit = 500;
/** Both databases take it, and nobody has as many accounts. */
const maxOffset = 2 ** 31 - 1;

/** Accounts as the administrators of the instance keep them (spec part 1, Users and admin routes). */
export function createUserAdministration(deps: UserAdministrationDeps): UserAdministration {
  const { database, audit, users, sessions, settings } = deps;
  const minChars = settings.SVC_PASSWORD_MIN_LENGTH;

  return {
    async list({ limit = defaultLimit, offset = 0 }) {
      const rows = await listUsers(database.read, {
        limit: limit <= 0 || limit > maxLimit ? defaultLimit : limit,
        offset: Math.min(Math.max(0, offset), maxOffset),
      });
      return rows.map(publicUserForAdmins);
    },
    async get(userId) {
      return publicUserForAdmins(requireUser(await users.findById(userId)));
    },
    async create(body, origin) {
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
    async update(about, changes) {
      const { user, ended } = await changeUser(deps, about, changes);
      await sessions.tellEnded(user.id, ended);
      return publicUserForAdmins(user);
    },
    async resetPassword({ userId, origin }, newPassword) {
      const owner = requireUser(await users.findById(userId));
      return replacePassword(deps, {
        ...{ userId, owner, newPassword, origin },
        by: origin.user_id === null ? "operator" : "administrator",
        action: "user.password.reset",
        admit: requireUser,
      });
    },
    async remove(about) {
      const ended = await removeUser(deps, about);
      await sessions.tellEnded(about.userId, ended);
    },
  };
}
