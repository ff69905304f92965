import type { Tx } from "../../../platform/database/database.ts";
import { lockSubject } from "../../../platform/database/dialects/locks.ts";
import { ApiError } from "../../../platform/http/error-codes.ts";
import type { Tables, UserRow } from "../../../schema/tables/index.ts";
import { isOtherAdminActive } from "../store.ts";

/**
 * Makes transactions that may take away an active administrator wait for one another (spec part 3, section 5.1 rule 14). Taken before the
 * account's row: the order of two locks must not differ.
 */
export const lockAdmins = (tx: Tx<Tables>): Promise<void> => lockSubject(tx, "active-admins");

/** @throws ApiError `conflict` when no other active administrator would be left without this one; call it under `lockAdmins`. */
export async function requireOtherAdmin(tx: Tx<Tables>, user: UserRow): Promise<void> {
  if (!user.is_admin || !user.is_active || (await isOtherAdminActive(tx, user.id))) return;
  throw new ApiError("conflict", { reason: "final_active_admin" });
}

export function ownAccount(): ApiError {
  return new ApiError("conflict", { reason: "own_account" });
}

/** @throws ApiError `not_found` without a row. */
export function requireUser(row: UserRow | undefined): UserRow {
  if (row === undefined) throw new ApiError("not_found", { resource: "user" });
  return row;
}
