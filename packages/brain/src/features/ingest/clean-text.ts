import { isRawJson, withoutNul } from "@svc/protocol";

/** Redaction replaces what lies deeper by its marker, so nothing below needs care. */
const maxDepth = 66;

/** Whether a frame's text may hold an escaped U+0000 or lone surrogate; canonical text never holds a bare one. */
export const mayNeedCleaning = (text: string | undefined): boolean => text === undefined || text.includes("\\u");

/**
 * The value with U+0000 and lone surrogates replaced by U+FFFD in every string and key: neither can be stored on both databases, and
 * neither may cost a record. Gives the input itself when there is nothing to replace.
 */
export function cleanJson(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return cleanText(value);
  if (typeof value !== "object" || value === null || isRawJson(value) || depth > maxDepth) return value;
  if (Array.isArray(value)) {
    const cleaned = value.map((item) => cleanJson(item, depth + 1));
    return cleaned.some((item, index) => item !== value[index]) ? cleaned : value;
  }
  let isChanged = false;
  const entries = Object.entries(value).map(([key, member]): [string, unknown] => {
    const entry: [string, unknown] = [cleanText(key), cleanJson(member, depth + 1)];
    isChanged ||= entry[0] !== key || entry[1] !== member;
    return entry;
  });
  return isChanged ? Object.fromEntries(entries) : value;
}

export function cleanText(text: string): string {
  const whole = withoutNul(text);
  return whole.isWellFormed() ? whole : whole.toWellFormed();
}
