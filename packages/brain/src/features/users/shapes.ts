import type { UserRow } from "../../schema/tables/index.ts";
import type { UserAdminPublic, UserPublic } from "./schemas.ts";

/** A user as shown to others, and by sign-in and `me`. */
export function publicUser(row: UserRow): UserPublic {
  return {
    id: row.id,
    email: row.email,
    first_name: row.first_name,
    last_name: row.last_name,
    display_name: row.display_name,
    is_admin: row.is_admin,
    timezone: row.timezone,
    created_at: row.created_at,
  };
}

/** A user as administrators of the instance see it. */
export function publicUserForAdmins(row: UserRow): UserAdminPublic {
  return {
    ...publicUser(row),
    is_active: row.is_active,
    updated_at: row.updated_at,
    last_login_at: row.last_login_at,
  };
}
