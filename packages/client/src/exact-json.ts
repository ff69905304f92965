/** A number kept as it was written, because no double holds it. `JSON.stringify` prints it unchanged. */
export interface ExactNumber {
  readonly rawJSON: string;
}

interface ExactJson {
  parse(text: string, reviver: (key: string, value: unknown, context?: { source?: string }) => unknown): unknown;
  rawJSON?(text: string): ExactNumber;
  isRawJSON?(value: unknown): boolean;
}
const json = JSON as unknown as ExactJson;

export function isExactNumber(value: unknown): value is ExactNumber {
  if (typeof value !== "object" || value === null) return false;
  return json.isRawJSON?.(value) ?? value instanceof KeptNumber;
}

// For browsers without JSON.rawJSON: shown exactly, and printed as text rather than as a wrong number.
class KeptNumber implements ExactNumber {
  readonly rawJSON: string;
  constructor(text: string) {
    this.rawJSON = text;
  }
  toJSON(): string {
    return this.rawJSON;
  }
}

/** Only such a text can hold a number that a double cannot; everything else takes the plain parser. */
const maybeInexact = /[\d.]{16}|\d[eE][+-]?\d{3}/;

/** `JSON.parse` in which numbers that a double would change come back as `ExactNumber`. */
export function parseExact(text: string): unknown {
  if (!maybeInexact.test(text)) return JSON.parse(text);
  return json.parse(text, (_key, value, context) => {
    if (typeof value !== "number" || context?.source === undefined) return value;
    return isHeldExactly(context.source, value) ? value : keep(context.source);
  });
}

function keep(source: string): ExactNumber {
  return json.rawJSON?.(source) ?? new KeptNumber(source);
}

function isHeldExactly(source: string, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  const written = significantDigits(source);
  return written.length <= 15 || written === significantDigits(String(value));
}

function significantDigits(text: string): string {
  const mantissa = text.toLowerCase().split("e")[0] ?? "";
  return mantissa.replace(/[-+.]/g, "").replace(/^0+|(?<!0)0+$/g, "");
}
