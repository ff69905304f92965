import { type Static, Type } from "typebox";
import { Line, Nullable, Uuid } from "../../platform/http/schemas.ts";

const InstantString = Type.String({ format: "date-time" });
const Code = Type.String({ minLength: 6, maxLength: 20 });

/** How far a session is let in, as sign-in, password change and me tell it. */
export const mfaState = {
  mfa_required: Type.Boolean(),
  mfa_enrollment_required: Type.Boolean(),
  mfa_enrollment_deadline: Nullable(InstantString),
};
const MfaState = Type.Object(mfaState);
export type MfaState = Static<typeof MfaState>;

export const EnrollStarted = Type.Object({ secret_base32: Type.String(), provisioning_url: Type.String() });
export const EnrollCompleteBody = Type.Object({ code: Code });
export const RecoveryCodes = Type.Object({ recovery_codes: Type.Array(Type.String()) });

export const VerifyBody = Type.Object({ code: Code, remember_device: Type.Optional(Type.Boolean()) });
export const VerifyAnswer = Type.Object({
  ok: Type.Boolean(),
  used_recovery_code: Type.Boolean(),
  remaining_recovery_codes: Type.Integer(),
});

export const DisableBody = Type.Object({ password: Type.String({ minLength: 1, maxLength: 256 }), code: Code });
export const DisableAnswer = Type.Object({ ok: Type.Boolean() });

/** Exactly one of them. */
export const StepUpBody = Type.Object({
  password: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  code: Type.Optional(Code),
});
export type StepUpBody = Static<typeof StepUpBody>;
export const StepUpAnswer = Type.Object({ ok: Type.Boolean() });

export const MfaStatus = Type.Object({
  enrolled: Type.Boolean(),
  enrolled_at: Nullable(InstantString),
  remaining_recovery_codes: Type.Integer(),
  enrollment_required: Type.Boolean(),
  enrollment_deadline: Nullable(InstantString),
});
export type MfaStatus = Static<typeof MfaStatus>;

export const TrustedDevice = Type.Object({
  id: Uuid,
  label: Type.String(),
  created_at: InstantString,
  last_seen_at: InstantString,
  expires_at: InstantString,
  revoked_at: Nullable(InstantString),
  is_current: Type.Boolean(),
});
export type TrustedDevice = Static<typeof TrustedDevice>;

export const TrustedDeviceList = Type.Object({ items: Type.Array(TrustedDevice) });
export const DeviceParams = Type.Object({ device_id: Uuid });
/** A request without a body takes the label from the user agent as well. */
export const TrustBody = Type.Union([Type.Object({ label: Type.Optional(Line(200)) }), Type.Null()]);
export const RenameBody = Type.Object({ label: Line(200) });
