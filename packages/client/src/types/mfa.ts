export interface MfaStatus {
  enrolled: boolean;
  enrolled_at?: string | null;
  remaining_recovery_codes: number;
  enrollment_required: boolean;
  /** Null while nothing is required, and until the first sign-in under the policy. */
  enrollment_deadline?: string | null;
}

export interface MfaEnrollment {
  secret_base32: string;
  /** The `otpauth://` address that an authenticator app reads from a QR code. */
  provisioning_url: string;
}

export interface RecoveryCodes {
  /** Shown once; the server keeps only digests. */
  recovery_codes: string[];
}

export interface MfaVerify {
  /** Of the authenticator app, or a recovery code. */
  code: string;
  remember_device?: boolean;
}

export interface MfaVerified {
  ok: boolean;
  used_recovery_code: boolean;
  remaining_recovery_codes: number;
}

export interface TrustedDevice {
  id: string;
  label: string;
  created_at: string;
  last_seen_at: string;
  expires_at: string;
  revoked_at?: string | null;
  is_current: boolean;
}
