import { type Static, Type } from "typebox";
import { Described, IdOf, Instant, Line, Nullable, Uuid } from "../../platform/http/schemas.ts";

const Code = Type.String({
  minLength: 6,
  maxLength: 20,
  description: "code of the authenticator app, or a recovery code",
});

/** Restrictions of a session, in the answers of sign-in, password change and `me`. */
export const mfaState = {
  mfa_required: Type.Boolean({ description: "the session must verify a second factor first" }),
  mfa_enrollment_required: Type.Boolean({
    description: "the instance requires a second factor, and the user has none",
  }),
  mfa_enrollment_deadline: Nullable(Instant, "deadline for setting it up; null unless it is required"),
};
const MfaState = Type.Object(mfaState);
export type MfaState = Static<typeof MfaState>;

export const EnrollStarted = Type.Object(
  {
    secret_base32: Type.String({ description: "secret to type into the app" }),
    provisioning_url: Type.String({ description: "`otpauth:` URL of the same secret, to show as a QR code" }),
  },
  { title: "MfaEnrollment", description: "The secret for the authenticator app." },
);
export const EnrollCompleteBody = Type.Object({ code: Code }, { title: "MfaCode" });
export const RecoveryCodes = Type.Object(
  { recovery_codes: Type.Array(Type.String(), { description: "each replaces one code of the app and works once" }) },
  { title: "RecoveryCodes", description: "New recovery codes, shown only here." },
);

export const VerifyBody = Type.Object(
  {
    code: Code,
    remember_device: Type.Optional(Type.Boolean({ description: "trust this browser, so that it needs no code" })),
  },
  { title: "MfaVerify" },
);
export const VerifyAnswer = Type.Object(
  {
    ok: Type.Boolean({ description: "always true" }),
    used_recovery_code: Type.Boolean({ description: "whether a recovery code was used" }),
    remaining_recovery_codes: Type.Integer({ description: "unused recovery codes" }),
  },
  { title: "MfaVerified", description: "The session is verified." },
);

export const DisableBody = Type.Object(
  { password: Type.String({ minLength: 1, maxLength: 256, description: "password of the account" }), code: Code },
  { title: "MfaDisable" },
);
export const DisableAnswer = Type.Object(
  { ok: Type.Boolean({ description: "always true" }) },
  { title: "Confirmation", description: "The operation succeeded." },
);

/** Exactly one of the two. */
export const StepUpBody = Type.Object(
  {
    password: Type.Optional(Type.String({ minLength: 1, maxLength: 256, description: "password of the account" })),
    code: Type.Optional(Code),
  },
  { title: "StepUp", description: "Exactly one of password and code." },
);
export type StepUpBody = Static<typeof StepUpBody>;
export const StepUpAnswer = Type.Object(
  { ok: Type.Boolean({ description: "always true" }) },
  { title: "Confirmation", description: "The operation succeeded." },
);

export const MfaStatus = Type.Object(
  {
    enrolled: Type.Boolean({ description: "whether a second factor is set up" }),
    enrolled_at: Nullable(Instant, "when it was set up; null without one"),
    remaining_recovery_codes: Type.Integer({ description: "unused recovery codes" }),
    enrollment_required: Type.Boolean({ description: "the instance requires a second factor, and the user has none" }),
    enrollment_deadline: Nullable(Instant, "deadline for setting it up; null unless it is required"),
  },
  { title: "MfaStatus", description: "The state of the second factor." },
);
export type MfaStatus = Static<typeof MfaStatus>;

export const TrustedDevice = Type.Object(
  {
    id: Described(Uuid, "id of the trusted browser"),
    label: Type.String({ description: "name given by the user, or derived from the user agent" }),
    created_at: Described(Instant, "when it was trusted"),
    last_seen_at: Described(Instant, "last sign-in without a code"),
    expires_at: Described(Instant, "when it needs a code again"),
    revoked_at: Nullable(Instant, "when it was revoked; null while it is trusted"),
    is_current: Type.Boolean({ description: "whether it is the browser of this request" }),
  },
  { title: "TrustedDevice", description: "A browser that needs no code." },
);
export type TrustedDevice = Static<typeof TrustedDevice>;

export const TrustedDeviceList = Type.Object(
  { items: Type.Array(TrustedDevice) },
  { title: "TrustedDevicePage", description: "All trusted devices of the user." },
);
export const DeviceParams = Type.Object({ device_id: IdOf("trusted device") });
/** A request without a body also takes the label from the user agent. */
export const TrustBody = Type.Union([
  Type.Object(
    { label: Type.Optional(Described(Line(200), "name of the browser; its user agent by default")) },
    { title: "TrustDevice" },
  ),
  Type.Null(),
]);
export const RenameBody = Type.Object(
  { label: Described(Line(200), "new name of the browser") },
  { title: "DeviceRename" },
);
