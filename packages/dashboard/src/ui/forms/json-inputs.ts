import { parseExact } from "@svc/client";
import { isIncompleteText } from "@svc/protocol/markers";

const maximumBytes = 65_536;
const reservedPrefix = "__svc_";

interface Invalid {
  value: null;
  error: string;
  /** Whether it contains a redacted or truncated part. */
  isMarked: boolean;
}
export type Override<Value> = { value: Value; error: null; isMarked: false } | Invalid;

export const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** Parses typed positional inputs. */
export const readArgs = (text: string): Override<unknown[]> => {
  const read = readJson(text);
  if (read.error !== null) return read;
  return Array.isArray(read.value) ? valid(read.value) : invalid("Must be a list, such as [1, 2]");
};

/** Parses typed named inputs. */
export function readKwargs(text: string): Override<Record<string, unknown>> {
  const read = readJson(text);
  if (read.error !== null) return read;
  const { value } = read;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return invalid('Must be an object, such as {"order": 1}');
  }
  if (Object.keys(value).some((key) => key.startsWith(reservedPrefix))) {
    return invalid(`Names can't start with ${reservedPrefix}`);
  }
  return valid(value as Record<string, unknown>);
}

function readJson(text: string): Override<unknown> {
  if (text.trim() === "") return invalid("Required");
  let value: unknown;
  try {
    value = parseExact(text);
  } catch {
    return invalid("Not valid JSON");
  }
  if (bytesOf(JSON.stringify(value)) > maximumBytes) return invalid("Must be 64 KB or less");
  const marker = findMarker(value);
  if (marker !== null) return invalid(`Still contains ${shownMarker(marker)}. Enter the real value`, true);
  return valid(value);
}

const valid = <Value>(value: Value): Override<Value> => ({ value, error: null, isMarked: false });
const invalid = (message: string, isMarked = false): Invalid => ({ value: null, error: message, isMarked });

/** Whether a part was redacted, truncated or omitted, so that it differs from what the engine has. */
export const hasMarker = (value: unknown): boolean => findMarker(value) !== null;

/** The first text that marks a missing part. */
function findMarker(value: unknown): string | null {
  const parts: object[] = [[value]];
  for (const part of parts) {
    for (const [key, child] of Object.entries(part)) {
      if (isIncompleteText(key)) return key;
      if (typeof child === "string" && isIncompleteText(child)) return child;
      if (typeof child === "object" && child !== null) parts.push(child);
    }
  }
  return null;
}

/** The marker at the end of a truncated text. */
const shownMarker = (text: string): string => text.slice(text.lastIndexOf("["));
