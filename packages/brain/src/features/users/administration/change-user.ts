import type { UserRow } from "../../../schema/tables/index.ts";
import type { UserChangesBody } from "../schemas.ts";
import { updateUser } from "../store.ts";
import { profileColumns } from "../users.ts";
import type { AboutUser, UserAdministrationDeps } from "./deps.ts";
import { lockAdmins, ownAccount, requireOtherAdmin, requireUser } from "./guards.ts";

/**
 * Changes an account. Deactivating it ends its sessions immediately.
 *
 * @returns the changed account, and the sessions that ended.
 * @throws ApiError `conflict` for demoting or deactivating your own account (own_account) or the last active administrator; `not_found`.
 */
export async function changeUser(
  deps: Pick<UserAdministrationDeps, "database" | "clock" | "audit" | "users" | "sessions">,
  { userId, origin }: AboutUser,
  body: UserChangesBody,
): Promise<{ user: UserRow; ended: readonly string[] }> {
  const { database, clock, audit, users, sessions } = deps;
  const mayWeaken = body.is_admin === false || body.is_active === false;
  return database.write(async (tx) => {
    if (mayWeaken) await lockAdmins(tx);
    const before = requireUser(await users.lock(tx, userId));
    const changes = changesOf(before, body);
    const changed = Object.keys(changes);
    if (changed.length === 0) return { user: before, ended: [] };
    if (changes.is_admin === false || changes.is_active === false) {
      if (before.id === origin.user_id) throw ownAccount();
      await requireOtherAdmin(tx, before);
    }
    const updated_at = clock.now();
    await updateUser(tx, before.id, { ...changes, updated_at });
    const ended = changes.is_active === false ? await sessions.endAllOf(tx, before.id) : [];
    const { is_admin, is_active } = changes;
    await audit.append(tx, {
      action: "user.updated",
      target_type: "user",
      target_id: before.id,
      // No names: audit rows outlive accounts.
      metadata: {
        changed,
        ...(is_admin !== undefined && { is_admin }),
        ...(is_active !== undefined && { is_active }),
        ...(is_active === false && { sessions_ended: ended.length }),
      },
      ...origin,
    });
    return { user: { ...before, ...changes, updated_at }, ended };
  });
}

/** The columns whose value the body changes. */
function changesOf(before: UserRow, body: UserChangesBody): Partial<UserRow> {
  const wanted: Partial<UserRow> = {
    ...profileColumns(body),
    ...(body.is_admin !== undefined && { is_admin: body.is_admin }),
    ...(body.is_active !== undefined && { is_active: body.is_active }),
  };
  return Object.fromEntries(Object.entries(wanted).filter(([key, value]) => before[key as keyof UserRow] !== value));
}
