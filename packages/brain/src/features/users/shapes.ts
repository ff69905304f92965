import type { UserRow } from "../../schema/tables/index.ts";
import type { UserPublic } from "./schemas.ts";

/** A user as login, me and others show one (spec part 3, section 5.3). */
export function publicUser(row: UserRow): UserPublic {
  return {
    id: row.id,
    email: row.email,
    first_name: row.first_name,
    last_name: row.last_name,
    display_name: row.display_name,
    is_admin: row.is_admin,
    timezone: row.timezone,
    created_at: row.created_at.toISOString(),
  };
}
