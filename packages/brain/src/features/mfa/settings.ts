import { type Static, Type } from "typebox";

export const mfaSettings = Type.Object({
  SVC_MFA_ENFORCE_FOR_ADMINS: Type.Boolean({
    default: false,
    description: "ask administrators of the instance to set up a second factor",
  }),
  SVC_MFA_ENFORCE_FOR_ALL: Type.Boolean({
    default: false,
    description: "ask everybody to set up a second factor, administrators included",
  }),
  SVC_MFA_ENROLLMENT_GRACE_DAYS: Type.Integer({
    default: 7,
    minimum: 0,
    maximum: 90,
    description:
      "days from the first sign-in that is asked for a second factor to the one without it that can do nothing else; 0 for no delay",
  }),
  SVC_MFA_RECOVERY_CODE_COUNT: Type.Integer({
    default: 10,
    minimum: 1,
    maximum: 50,
    description: "recovery codes a user is given at a time",
  }),
  SVC_MFA_REMEMBER_DEVICE_DAYS: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 365,
    description: "days a trusted browser is spared the code at sign-in",
  }),
  SVC_MFA_TRUSTED_DEVICES_MAX_PER_USER: Type.Integer({
    default: 20,
    minimum: 1,
    maximum: 100,
    description: "trusted browsers per user; one more replaces the oldest",
  }),
  SVC_MFA_LOCKOUT_THRESHOLD: Type.Integer({
    default: 5,
    minimum: 3,
    maximum: 100,
    description: "wrong codes since the last right one that lock a second factor",
  }),
  SVC_MFA_LOCKOUT_DURATION_SECONDS: Type.Integer({
    default: 900,
    minimum: 60,
    maximum: 86_400,
    description: "seconds a second factor stays locked",
  }),
});
export type MfaValues = Static<typeof mfaSettings>;
