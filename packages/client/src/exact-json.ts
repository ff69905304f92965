/** A number that a double cannot represent, kept as text. `JSON.stringify` prints it unchanged. */
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
  return json.isRawJSON?.(value) ?? value instanceof TextNumber;
}

// For browsers without JSON.rawJSON. Prints as a string, because printing a number would round it.
class TextNumber implements ExactNumber {
  readonly rawJSON: string;
  constructor(text: string) {
    this.rawJSON = text;
  }
  toJSON(): string {
    return this.rawJSON;
  }
}

/** Matches every text with a number that a double cannot represent. Other texts use the faster plain parser. */
const maybeInexact = /[\d.]{16}|\d[eE][+-]?\d{3}/;

/** `JSON.parse` that returns numbers which a double would change as `ExactNumber`. */
export function parseExact(text: string): unknown {
  if (!maybeInexact.test(text)) return JSON.parse(text);
  return json.parse(text, (_key, value, context) => {
    if (typeof value !== "number" || context?.source === undefined) return value;
    return isExactDouble(context.source, value) ? value : exactNumber(context.source);
  });
}

function exactNumber(source: string): ExactNumber {
  return json.rawJSON?.(source) ?? new TextNumber(source);
}

function isExactDouble(source: string, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  const digits = significantDigits(source);
  return digits.length <= 15 || digits === significantDigits(String(value));
}

function significantDigits(text: string): string {
  const mantissa = text.toLowerCase().split("e")[0] ?? "";
  return mantissa.replace(/[-+.]/g, "").replace(/^0+|(?<!0)0+$/g, "");
}
