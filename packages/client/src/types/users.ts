import type { UserPublic } from "./accounts.ts";

/** A user as administrators of the instance see one. */
export interface UserAdminPublic extends UserPublic {
  is_active: boolean;
  updated_at: string;
  last_login_at: string | null;
}
