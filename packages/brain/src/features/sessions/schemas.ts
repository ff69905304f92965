import { type Static, Type } from "typebox";
import { IdOf, Instant, Nullable, Uuid } from "../../platform/http/schemas.ts";
import { OwnMembership } from "../memberships/index.ts";
import { mfaState } from "../mfa/index.ts";
import { NewPassword, UserPublic } from "../users/index.ts";

export const LoginBody = Type.Object(
  {
    // Not checked for form: an impossible address is an unknown one, and gets the same 401.
    email: Type.String({ maxLength: 320 }),
    password: Type.String({ maxLength: 256 }),
    remember_me: Type.Optional(Type.Boolean({ description: "keep the session for 30 days, without an idle limit" })),
  },
  { title: "LoginRequest" },
);

export const LoginAnswer = Type.Object(
  { user: UserPublic, ...mfaState },
  { title: "LoginResponse", description: "The signed-in user and what the session still needs." },
);
export type LoginAnswer = Static<typeof LoginAnswer>;

export const MeAnswer = Type.Object(
  {
    ...UserPublic.properties,
    memberships: Type.Array(OwnMembership),
    ...mfaState,
    session: Type.Object(
      {
        idle_expires_at: Type.Union([Instant, Type.Null()], {
          description: "when it ends unless it is used before; null for a remembered session, which has no idle limit",
        }),
        expires_at: Type.Unsafe<Date | string>({ ...Instant, description: "when it ends, even when it is in use" }),
      },
      { title: "SessionLimits", description: "When the session ends." },
    ),
  },
  { title: "Me", description: "The account of the caller." },
);
export type MeAnswer = Static<typeof MeAnswer>;

export const ChangePasswordBody = Type.Object(
  {
    current_password: Type.String({ minLength: 1, maxLength: 256 }),
    new_password: NewPassword,
    revoke_api_keys: Type.Optional(Type.Boolean({ description: "end all API keys of the user as well" })),
  },
  { title: "PasswordChange" },
);

export const SessionPublic = Type.Object(
  {
    id: Uuid,
    issued_at: Instant,
    last_seen_at: Instant,
    expires_at: Instant,
    ip_at_issue: Nullable(Type.String()),
    user_agent_at_issue: Nullable(Type.String()),
    is_current: Type.Boolean(),
  },
  { title: "UserSession", description: "One session of a user." },
);
export type SessionPublic = Static<typeof SessionPublic>;

export const SessionList = Type.Object(
  { items: Type.Array(SessionPublic) },
  { title: "UserSessionPage", description: "All sessions of the caller." },
);
export const SessionParams = Type.Object({ session_id: IdOf("session") });
export const RevokedOne = Type.Object(
  { revoked: Type.Boolean() },
  { title: "RevokedOne", description: "Whether the session was ended by this request." },
);
export const RevokedCount = Type.Object(
  { revoked: Type.Integer() },
  { title: "RevokedCount", description: "How many were ended." },
);

export const PolicyAnswer = Type.Object(
  {
    min_length: Type.Integer(),
    max_length: Type.Integer(),
    required_character_classes: Type.Integer(),
    character_class_names: Type.Array(Type.String()),
    exempt_length: Type.Integer(),
  },
  { title: "PasswordPolicy", description: "What a new password must meet." },
);
