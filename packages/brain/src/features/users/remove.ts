import type { Tx } from "../../platform/database/database.ts";
import type { Tables } from "../../schema/tables/index.ts";
import type { AboutUser, UserAdministrationDeps } from "./about.ts";
import { lockAdmins, ownAccount, requireOtherAdmin, requireUser } from "./guards.ts";
import { deleteUser } from "./store.ts";

/**
 * Deletes an account for good, with its memberships, sessions, keys, saved views and second factor. Audit rows and commands remain and no
 * longer tell who acted.
 *
 * @returns the sessions that ended.
 * @throws ApiError `conflict` for oneself (own_account) and for the final active administrator; `not_found`.
 */
export async function removeUser(
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
  // The rows of the user are looked at once more behind the chain's lock, which nobody else may wait behind.
  return database.write(remove, { alone: true });
}
