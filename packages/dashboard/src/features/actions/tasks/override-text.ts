import { parseExact } from "@svc/client";
import { isIncompleteText } from "@svc/protocol/markers";

const maximumBytes = 65_536;
const reservedPrefix = "__svc_";

interface Faulty {
  value: null;
  fault: string;
  /** Something in it was redacted or cut. */
  isMarked: boolean;
}
export type Override<Value> = { value: Value; fault: null; isMarked: false } | Faulty;

export const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** The positional inputs that were typed, as the service takes them; or what is wrong with them. */
export const readArgs = (text: string): Override<unknown[]> => {
  const read = readJson(text);
  if (read.fault !== null) return read;
  return Array.isArray(read.value) ? taken(read.value) : fault("Must be a list, such as [1, 2]");
};

/** The named inputs. */
export function readKwargs(text: string): Override<Record<string, unknown>> {
  const read = readJson(text);
  if (read.fault !== null) return read;
  const { value } = read;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return fault('Must be an object, such as {"order": 1}');
  }
  if (Object.keys(value).some((key) => key.startsWith(reservedPrefix))) {
    return fault(`No name may begin with ${reservedPrefix}`);
  }
  return taken(value as Record<string, unknown>);
}

function readJson(text: string): Override<unknown> {
  if (text.trim() === "") return fault("Is needed");
  let value: unknown;
  try {
    value = parseExact(text);
  } catch {
    return fault("Is not JSON");
  }
  if (bytesOf(JSON.stringify(value)) > maximumBytes) return fault("Is longer than 64 KB");
  const marked = findMarker(value);
  if (marked !== null) return fault(`Still holds ${shownMark(marked)}: put the real value there`, true);
  return taken(value);
}

const taken = <Value>(value: Value): Override<Value> => ({ value, fault: null, isMarked: false });
const fault = (words: string, isMarked = false): Faulty => ({ value: null, fault: words, isMarked });

/** Whether something in it was redacted, cut or left out before it came here, so that it is not what the engine has. */
export const hasMarker = (value: unknown): boolean => findMarker(value) !== null;

/** The first text in it that stands for something that is missing. */
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

/** Of a text that was cut, its end says it. */
const shownMark = (text: string): string => text.slice(text.lastIndexOf("["));
