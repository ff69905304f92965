import { isRawJson, storableText } from "@svc/protocol";

// The server database's JSON numbers have at most 131,072 digits before the point and 16,383 after it. Both databases stop far below, so
// that a number means the same in both and no reader has to print a million digits.
const longestNumber = 1000;
const numberCharacter = /[0-9.eE+-]/;
const longExponent = /[eE][+-]?[0-9]{4}/;

/**
 * JSON text of a received value that both databases take: the server database's JSON type refuses U+0000 and lone surrogates, which
 * become U+FFFD, and numbers beyond its range, which become strings. Other numbers of `JSON.rawJSON` keep their digits.
 */
export function storedJson(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  if (!/\\u(?:0000|d[89a-f])/i.test(text) && !mayHoldVastNumber(text)) return text;
  return JSON.stringify(cleaned(value, storableText));
}

/** The value with each number that the server database's JSON type may refuse as a string of its digits. */
export function withStorableNumbers(value: Record<string, unknown>): Record<string, unknown> {
  if (!mayHoldVastNumber(JSON.stringify(value))) return value;
  return cleaned(value, (text) => text) as Record<string, unknown>;
}

/** Checks only every thousandth character: no longer number fits between two of them. */
function mayHoldVastNumber(text: string): boolean {
  for (let probe = longestNumber - 1; probe < text.length; probe += longestNumber) {
    if (numberCharacter.test(text.charAt(probe))) return true;
  }
  return longExponent.test(text);
}

function cleaned(value: unknown, cleanText: (text: string) => string): unknown {
  if (typeof value === "string") return cleanText(value);
  if (typeof value !== "object" || value === null) return value;
  if (isRawJson(value)) {
    const { rawJSON: lexeme } = value;
    return lexeme.length > longestNumber || longExponent.test(lexeme) ? lexeme : value;
  }
  if (Array.isArray(value)) return value.map((inner: unknown) => cleaned(inner, cleanText));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [cleanText(key), cleaned(inner, cleanText)]));
}
