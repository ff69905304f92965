import { type Static, Type } from "typebox";
import { Described, IdOf, Instant, Line, Nullable, TimeZone, Uuid } from "../../platform/http/schemas.ts";

/** A user as shown to anyone who may see that user; never includes the hash. */
export const UserPublic = Type.Object(
  {
    id: Described(Uuid, "id of the account"),
    email: Type.String({ description: "address that the user signs in with" }),
    first_name: Nullable(Type.String(), "given name; null without one"),
    last_name: Nullable(Type.String(), "family name; null without one"),
    display_name: Nullable(Type.String(), "name shown to others; null without one"),
    is_admin: Type.Boolean({ description: "whether the user administers the instance" }),
    timezone: Type.String({ description: "IANA time zone of the user" }),
    created_at: Described(Instant, "when the account was created"),
  },
  { title: "UserPublic", description: "A user." },
);
export type UserPublic = Static<typeof UserPublic>;

const Name = Type.Optional(Nullable(Line(200)));

/** Fields of their own account that users may change; other keys are ignored. */
export const ProfileBody = Type.Object(
  {
    first_name: Described(Name, "given name; null removes it"),
    last_name: Described(Name, "family name; null removes it"),
    display_name: Described(Name, "name shown to others; null removes it"),
    timezone: Type.Optional(Described(TimeZone, "IANA time zone of the user")),
  },
  { title: "ProfileChanges" },
);
export type ProfileBody = Static<typeof ProfileBody>;

/** A minimal check of an email address: one @ between two parts, no spaces. Only delivery proves an address. */
const emailPattern = "^[^\\s@\\x00-\\x1f\\x7f]+@[^\\s@\\x00-\\x1f\\x7f]+$";
export const Email = Type.String({ minLength: 3, maxLength: 320, pattern: emailPattern });

const emailForm = new RegExp(emailPattern);
export const isEmail = (text: string): boolean => text.length <= 320 && emailForm.test(text);

/** A user as administrators of the instance see it. */
export const UserAdminPublic = Type.Object(
  {
    ...UserPublic.properties,
    is_active: Type.Boolean({ description: "false when the account cannot sign in" }),
    updated_at: Described(Instant, "when the account last changed"),
    last_login_at: Nullable(Instant, "last sign-in; null before the first"),
  },
  { title: "UserAdminPublic", description: "A user as administrators see one." },
);
export type UserAdminPublic = Static<typeof UserAdminPublic>;

export const UserList = Type.Array(UserAdminPublic, { description: "Users, newest first." });

export const UserParams = Type.Object({ user_id: IdOf("user") });

export const UserListQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ description: "page size, default 100; values below 1 or above 500 mean 100" })),
  offset: Type.Optional(Type.Integer({ description: "rows to skip, default 0; negative values mean 0" })),
});
export type UserListQuery = Static<typeof UserListQuery>;

/** Fields of an account that administrators may change; other keys, including `email`, are ignored. */
export const UserChangesBody = Type.Object(
  {
    ...ProfileBody.properties,
    is_admin: Type.Optional(Type.Boolean({ description: "whether the user administers the instance" })),
    is_active: Type.Optional(Type.Boolean({ description: "false ends all sessions and blocks sign-in" })),
  },
  { title: "UserChanges" },
);
export type UserChangesBody = Static<typeof UserChangesBody>;

/** A new password; `requirePassword` applies the policy. */
export const NewPassword = Type.String({ minLength: 8, maxLength: 256 });

export const NewUserBody = Type.Object(
  {
    email: Described(Email, "address that the user signs in with"),
    password: Described(NewPassword, "must meet GET /auth/policy"),
    ...ProfileBody.properties,
    is_admin: Type.Optional(Type.Boolean({ description: "whether the user administers the instance" })),
  },
  { title: "UserCreate" },
);
export type NewUserBody = Static<typeof NewUserBody>;

export const ResetPasswordBody = Type.Object(
  { new_password: Described(NewPassword, "must meet GET /auth/policy") },
  { title: "PasswordSet" },
);
