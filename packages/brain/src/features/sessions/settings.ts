import { type Static, Type } from "typebox";

/** A hundred years: instants stay within the range of both databases and of cookies. */
const maxSeconds = 3_153_600_000;

export const sessionSettings = Type.Object({
  SVC_SESSION_ABSOLUTE_LIFETIME_SECONDS: Type.Integer({
    default: 604_800,
    minimum: 60,
    maximum: maxSeconds,
    description: "seconds after which a session ends even if it is in use, unless it is remembered",
  }),
  SVC_SESSION_IDLE_TIMEOUT_SECONDS: Type.Integer({
    default: 1800,
    minimum: 60,
    maximum: maxSeconds,
    description: "seconds without activity after which a session ends, unless it is remembered",
  }),
  SVC_SESSION_REMEMBER_ME_LIFETIME_SECONDS: Type.Integer({
    default: 2_592_000,
    minimum: 60,
    maximum: maxSeconds,
    description: "seconds that a remembered session lasts; it has no idle limit",
  }),
  SVC_SESSION_PIN_USER_AGENT: Type.Boolean({
    default: false,
    description: "end a session when its User-Agent header differs from the one at sign-in",
  }),
  SVC_LOGIN_LOCKOUT_THRESHOLD: Type.Integer({
    default: 10,
    minimum: 3,
    maximum: 100,
    description: "wrong passwords since the last correct one after which an account is locked",
  }),
  SVC_LOGIN_LOCKOUT_DURATION_SECONDS: Type.Integer({
    default: 900,
    minimum: 60,
    maximum: 86_400,
    description: "seconds that an account stays locked",
  }),
  SVC_LOGIN_MIN_DURATION_MS: Type.Integer({
    default: 300,
    minimum: 0,
    maximum: 2000,
    description:
      "minimum duration of a sign-in in milliseconds; a failed sign-in takes a whole multiple of it, so its duration doesn't reveal whether the account exists",
  }),
  SVC_LOG_LOGIN_EMAIL: Type.Boolean({
    default: false,
    description: "log the email address of failed sign-ins as typed; people sometimes type a password there",
  }),
});
export type SessionValues = Static<typeof sessionSettings>;
