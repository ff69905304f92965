import { type Static, Type } from "typebox";
import { IdOf, Instant, Line, Nullable, Uuid } from "../../platform/http/schemas.ts";

const Code = Type.String({ minLength: 6, maxLength: 20, description: "of the authenticator app, or a recovery code" });

/** How far a session is let in, as sign-in, password change and me tell it. */
export const mfaState = {
  mfa_required: Type.Boolean(),
  mfa_enrollment_required: Type.Boolean(),
  mfa_enrollment_deadline: Nullable(Instant),
};
const MfaState = Type.Object(mfaState);
export type MfaState = Static<typeof MfaState>;

export const EnrollStarted = Type.Object(
  { secret_base32: Type.String(), provisioning_url: Type.String() },
  { title: "MfaEnrollment", description: "The secret for the authenticator app." },
);
export const EnrollCompleteBody = Type.Object({ code: Code }, { title: "MfaCode" });
export const RecoveryCodes = Type.Object(
  { recovery_codes: Type.Array(Type.String()) },
  { title: "RecoveryCodes", description: "New recovery codes, shown only here." },
);

export const VerifyBody = Type.Object(
  {
    code: Code,
    remember_device: Type.Optional(Type.Boolean({ description: "trust this browser, so that it asks for no code" })),
  },
  { title: "MfaVerify" },
);
export const VerifyAnswer = Type.Object(
  {
    ok: Type.Boolean(),
    used_recovery_code: Type.Boolean(),
    remaining_recovery_codes: Type.Integer(),
  },
  { title: "MfaVerified", description: "The session is verified." },
);

export const DisableBody = Type.Object(
  { password: Type.String({ minLength: 1, maxLength: 256 }), code: Code },
  { title: "MfaDisable" },
);
export const DisableAnswer = Type.Object(
  { ok: Type.Boolean() },
  { title: "Confirmation", description: "It was done." },
);

/** Exactly one of them. */
export const StepUpBody = Type.Object(
  {
    password: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    code: Type.Optional(Code),
  },
  { title: "StepUp", description: "Exactly one of them." },
);
export type StepUpBody = Static<typeof StepUpBody>;
export const StepUpAnswer = Type.Object({ ok: Type.Boolean() }, { title: "Confirmation", description: "It was done." });

export const MfaStatus = Type.Object(
  {
    enrolled: Type.Boolean(),
    enrolled_at: Nullable(Instant),
    remaining_recovery_codes: Type.Integer(),
    enrollment_required: Type.Boolean(),
    enrollment_deadline: Nullable(Instant),
  },
  { title: "MfaStatus", description: "The state of the second factor." },
);
export type MfaStatus = Static<typeof MfaStatus>;

export const TrustedDevice = Type.Object(
  {
    id: Uuid,
    label: Type.String(),
    created_at: Instant,
    last_seen_at: Instant,
    expires_at: Instant,
    revoked_at: Nullable(Instant),
    is_current: Type.Boolean(),
  },
  { title: "TrustedDevice", description: "A browser that does not ask for a code." },
);
export type TrustedDevice = Static<typeof TrustedDevice>;

export const TrustedDeviceList = Type.Object(
  { items: Type.Array(TrustedDevice) },
  { title: "TrustedDevicePage", description: "All trusted devices of the user." },
);
export const DeviceParams = Type.Object({ device_id: IdOf("trusted device") });
/** A request without a body takes the label from the user agent as well. */
export const TrustBody = Type.Union([
  Type.Object({ label: Type.Optional(Line(200)) }, { title: "TrustDevice" }),
  Type.Null(),
]);
export const RenameBody = Type.Object({ label: Line(200) }, { title: "DeviceRename" });
