import { type Static, Type } from "typebox";

export const mfaSettings = Type.Object({
  SVC_MFA_ENFORCE_FOR_ADMINS: Type.Boolean({
    default: false,
    description: "require a second factor for instance administrators",
  }),
  SVC_MFA_ENFORCE_FOR_ALL: Type.Boolean({
    default: false,
    description: "require a second factor for all users, including administrators",
  }),
  SVC_MFA_ENROLLMENT_GRACE_DAYS: Type.Integer({
    default: 7,
    minimum: 0,
    maximum: 90,
    description:
      "days for which a user can work without a required second factor, counted from the first sign-in under the requirement; 0 for no delay",
  }),
  SVC_MFA_RECOVERY_CODE_COUNT: Type.Integer({
    default: 10,
    minimum: 1,
    maximum: 50,
    description: "recovery codes generated at a time",
  }),
  SVC_MFA_REMEMBER_DEVICE_DAYS: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 365,
    description: "days for which a trusted browser needs no code at sign-in",
  }),
  SVC_MFA_TRUSTED_DEVICES_MAX_PER_USER: Type.Integer({
    default: 20,
    minimum: 1,
    maximum: 100,
    description: "maximum trusted browsers per user; one more replaces the oldest",
  }),
  SVC_MFA_LOCKOUT_THRESHOLD: Type.Integer({
    default: 5,
    minimum: 3,
    maximum: 100,
    description: "wrong codes since the last correct one after which a second factor is locked",
  }),
  SVC_MFA_LOCKOUT_DURATION_SECONDS: Type.Integer({
    default: 900,
    minimum: 60,
    maximum: 86_400,
    description: "seconds that a second factor stays locked",
  }),
});
export type MfaValues = Static<typeof mfaSettings>;
