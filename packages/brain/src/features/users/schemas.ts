import { type Static, Type } from "typebox";
import { Line, Nullable, TimeZone, Uuid } from "../../platform/http/schemas.ts";

/** A user as everybody who may see one sees them; never the hash. */
export const UserPublic = Type.Object({
  id: Uuid,
  email: Type.String(),
  first_name: Nullable(Type.String()),
  last_name: Nullable(Type.String()),
  display_name: Nullable(Type.String()),
  is_admin: Type.Boolean(),
  timezone: Type.String(),
  created_at: Type.String({ format: "date-time" }),
});
export type UserPublic = Static<typeof UserPublic>;

const Name = Type.Optional(Nullable(Line(200)));

/** What a user may change of their own account; other keys are ignored. */
export const ProfileBody = Type.Object({
  first_name: Name,
  last_name: Name,
  display_name: Name,
  timezone: Type.Optional(TimeZone),
});
export type ProfileBody = Static<typeof ProfileBody>;

/** An e-mail address as far as it is checked: one @ between two parts, no spaces. Delivery is the real test. */
export const emailPattern = "^[^\\s@\\x00-\\x1f\\x7f]+@[^\\s@\\x00-\\x1f\\x7f]+$";
export const Email = Type.String({ minLength: 3, maxLength: 320, pattern: emailPattern });

/** A new password; the policy is judged by `requirePassword`. */
export const NewPassword = Type.String({ minLength: 8, maxLength: 256 });
