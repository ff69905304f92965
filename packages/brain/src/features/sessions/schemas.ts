import { type Static, Type } from "typebox";
import { Described, IdOf, Instant, Nullable, Uuid } from "../../platform/http/schemas.ts";
import { OwnMembership } from "../memberships/index.ts";
import { mfaState } from "../mfa/index.ts";
import { NewPassword, UserPublic } from "../users/index.ts";

export const LoginBody = Type.Object(
  {
    // The format is not checked: an impossible address is an unknown one, and gets the same 401.
    email: Type.String({ maxLength: 320, description: "address of the account" }),
    password: Type.String({ maxLength: 256, description: "password of the account" }),
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
    memberships: Type.Array(OwnMembership, { description: "projects that the user is a member of" }),
    ...mfaState,
    session: Type.Object(
      {
        idle_expires_at: Type.Union([Instant, Type.Null()], {
          description: "when it ends if it is not used; null for a remembered session, which has no idle limit",
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
    current_password: Type.String({
      minLength: 1,
      maxLength: 256,
      description: "a wrong one counts toward the lockout of the account",
    }),
    new_password: Described(NewPassword, "must meet GET /auth/policy"),
    revoke_api_keys: Type.Optional(Type.Boolean({ description: "also revoke all API keys of the user" })),
  },
  { title: "PasswordChange" },
);

export const SessionPublic = Type.Object(
  {
    id: Described(Uuid, "id of the session"),
    issued_at: Described(Instant, "when the user signed in"),
    last_seen_at: Described(Instant, "last request, recorded at most once a minute"),
    expires_at: Described(Instant, "when it ends, even when it is in use"),
    ip_at_issue: Nullable(Type.String(), "client address at sign-in; null when unknown"),
    user_agent_at_issue: Nullable(Type.String(), "browser at sign-in; null when unknown"),
    is_current: Type.Boolean({ description: "whether it is the session of this request" }),
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
  { revoked: Type.Boolean({ description: "whether this request ended it" }) },
  { title: "RevokedOne", description: "Whether the session was ended by this request." },
);
export const RevokedCount = Type.Object(
  { revoked: Type.Integer({ description: "number of sessions or keys that this request ended" }) },
  { title: "RevokedCount", description: "Number of sessions or keys that were ended." },
);

export const PolicyAnswer = Type.Object(
  {
    min_length: Type.Integer({ description: "minimum number of characters" }),
    max_length: Type.Integer({ description: "maximum number of characters" }),
    required_character_classes: Type.Integer({ description: "number of character classes that are required" }),
    character_class_names: Type.Array(Type.String(), { description: "names of the classes, such as digit" }),
    exempt_length: Type.Integer({ description: "length from which no character classes are required" }),
  },
  { title: "PasswordPolicy", description: "Rules for a new password." },
);
