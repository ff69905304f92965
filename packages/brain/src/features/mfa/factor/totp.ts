/** Time-based one-time passwords (RFC 6238) with the defaults of authenticator apps: SHA-1, 6 digits, 30 seconds. */
import { Secret, TOTP } from "otpauth";

const form = { algorithm: "SHA1", digits: 6, period: 30 } as const;
const secretBytes = 20;
/** Steps before and after the current one whose codes are accepted, to tolerate clock differences. */
const toleratedSteps = 1;
const issuer = "svc";

/** A new secret in base32. */
export const newTotpSecret = (): string => new Secret({ size: secretBytes }).base32;

/** The `otpauth://` URL that an authenticator app reads from a QR code. */
export const provisioningUrl = (secret: string, email: string): string =>
  new TOTP({ ...form, issuer, label: email, secret: Secret.fromBase32(secret) }).toString();

/** The number of the 30-second step of this code; null when no step accepted at `now` has it. */
export function stepOfCode(secret: string, code: string, now: Date): number | null {
  const timestamp = now.getTime();
  const delta = TOTP.validate({
    ...form,
    token: code,
    secret: Secret.fromBase32(secret),
    timestamp,
    window: toleratedSteps,
  });
  return delta === null ? null : TOTP.counter({ period: form.period, timestamp }) + delta;
}
