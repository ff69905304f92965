import type { ProfileChanges, UserPublic } from "./accounts.ts";

/** A user as administrators of the instance see one. */
export interface UserAdminPublic extends UserPublic {
  is_active: boolean;
  updated_at: string;
  last_login_at: string | null;
}

export interface UserCreate extends ProfileChanges {
  email: string;
  password: string;
  is_admin?: boolean;
}

export interface UserChanges extends ProfileChanges {
  is_admin?: boolean;
  is_active?: boolean;
}
