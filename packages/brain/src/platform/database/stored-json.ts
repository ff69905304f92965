import { isRawJson } from "@svc/protocol";

/**
 * JSON text of a received value that both databases take: the server database's JSON type refuses U+0000 and lone surrogates, which
 * become U+FFFD. Numbers of `JSON.rawJSON` keep their digits.
 */
export function storedJson(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  if (!/\\u(?:0000|d[89a-f])/i.test(text)) return text;
  return JSON.stringify(cleaned(value));
}

function cleaned(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value);
  if (typeof value !== "object" || value === null || isRawJson(value)) return value;
  if (Array.isArray(value)) return value.map(cleaned);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [cleanText(key), cleaned(inner)]));
}

const cleanText = (text: string): string => text.toWellFormed().replaceAll("\0", "\ufffd");
