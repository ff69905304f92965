import { createRedactor, type Redactor } from "@svc/protocol";

export interface RedactionSettings {
  readonly SVC_MAX_PAYLOAD_SIZE_BYTES: number;
  readonly SVC_REDACTION_EXTRA_KEY_PATTERNS: readonly string[];
  readonly SVC_REDACTION_EXTRA_VALUE_PATTERNS: readonly string[];
}

/** The redactor of everything that agents report (spec part 3, section 3), as the settings want it. */
export const redactorOf = (settings: RedactionSettings): Redactor =>
  createRedactor({
    maxStringBytes: settings.SVC_MAX_PAYLOAD_SIZE_BYTES,
    extraKeyPatterns: settings.SVC_REDACTION_EXTRA_KEY_PATTERNS,
    extraValuePatterns: settings.SVC_REDACTION_EXTRA_VALUE_PATTERNS,
  });
