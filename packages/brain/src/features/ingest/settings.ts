import { createRedactor, RedactionPatternError, type Redactor } from "@svc/protocol";
import { Type } from "typebox";
import type { SettingsCheck } from "../../platform/settings.ts";

export const ingestSettings = Type.Object({
  SVC_WS_INGEST_QUEUE_MAXSIZE: Type.Integer({
    default: 2000,
    minimum: 16,
    maximum: 50_000,
    description: "maximum frames that wait to be stored; above this, the service reads no more frames from agents",
  }),
  SVC_MAX_PAYLOAD_SIZE_BYTES: Type.Integer({
    default: 8192,
    minimum: 128,
    description: "maximum UTF-8 bytes per string in event data; longer strings are cut",
  }),
  SVC_REDACTION_EXTRA_KEY_PATTERNS: Type.Array(Type.String(), {
    default: [],
    description: "JSON array of regular expressions; values of keys that match completely are redacted",
  }),
  SVC_REDACTION_EXTRA_VALUE_PATTERNS: Type.Array(Type.String(), {
    default: [],
    description: "JSON array of regular expressions; strings that contain a match are redacted",
  }),
});

const patternOptions = {
  SVC_REDACTION_EXTRA_KEY_PATTERNS: "extraKeyPatterns",
  SVC_REDACTION_EXTRA_VALUE_PATTERNS: "extraValuePatterns",
} as const;

/** An invalid pattern, or one that would stall ingest, stops the start like any other bad setting. */
export const checkRedactionPatterns: SettingsCheck = (values, fault) => {
  for (const [name, option] of Object.entries(patternOptions)) {
    for (const [index, pattern] of (values[name] as string[]).entries()) {
      try {
        createRedactor({ [option]: [pattern] });
      } catch (error) {
        if (!(error instanceof RedactionPatternError)) throw error;
        fault(name, `pattern ${index + 1} ${error.fault}`);
      }
    }
  }
};

export interface RedactionSettings {
  readonly SVC_MAX_PAYLOAD_SIZE_BYTES: number;
  readonly SVC_REDACTION_EXTRA_KEY_PATTERNS: readonly string[];
  readonly SVC_REDACTION_EXTRA_VALUE_PATTERNS: readonly string[];
}

/** The redactor of everything that agents report, built from the settings. */
export const redactorOf = (settings: RedactionSettings): Redactor =>
  createRedactor({
    maxStringBytes: settings.SVC_MAX_PAYLOAD_SIZE_BYTES,
    extraKeyPatterns: settings.SVC_REDACTION_EXTRA_KEY_PATTERNS,
    extraValuePatterns: settings.SVC_REDACTION_EXTRA_VALUE_PATTERNS,
  });
