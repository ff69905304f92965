import type { Tx } from "../../../platform/database/database.ts";
import { lockSubject } from "../../../platform/database/dialects/locks.ts";
import { ApiError } from "../../../platform/http/error-codes.ts";
import type { Tables, UserRow } from "../../../schema/tables/index.ts";
import { isOtherAdminActive } from "../store.ts";

/**
 * Serializes transactions that may remove an active administrator. Always taken before the lock of the account's row, so that the lock
 * order is the same everywhere.
 */
export const lockAdmins = (tx: Tx<Tables>): Promise<void> => lockSubject(tx, "active-admins");

/** @throws ApiError `conflict` when this is the last active administrator; call it under `lockAdmins`. */
export async function requireOtherAdmin(tx: Tx<Tables>, user: UserRow): Promise<void> {
  if (!user.is_admin || !user.is_active || (await isOtherAdminActive(tx, user.id))) return;
  throw new ApiError("conflict", { reason: "final_active_admin" });
}

export function ownAccount(): ApiError {
  return new ApiError("conflict", { reason: "own_account" });
}

/** @throws ApiError `not_found` when there is no row. */
export function requireUser(row: UserRow | undefined): UserRow {
  if (row === undefined) throw new ApiError("not_found", { resource: "user" });
  return row;
}
