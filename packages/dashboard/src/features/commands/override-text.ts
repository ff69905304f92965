import { parseExact } from "@svc/client";

const maximumBytes = 65_536;
const reservedPrefix = "__svc_";
const redactionMarker = "[REDACTED]";

export type Override<Value> = { value: Value; fault: null } | { value: null; fault: string };

export const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** The positional inputs that were typed, as the service takes them; or what is wrong with them. */
export const readArgs = (text: string): Override<unknown[]> => {
  const read = readJson(text);
  if (read.fault !== null) return read;
  return Array.isArray(read.value) ? { value: read.value, fault: null } : fault("Must be a list, such as [1, 2]");
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
  return { value: value as Record<string, unknown>, fault: null };
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
  if (hasMarker(value)) return fault(`Still holds ${redactionMarker}: put the real value there`);
  return { value, fault: null };
}

const fault = (words: string): { value: null; fault: string } => ({ value: null, fault: words });

/** Whether something in it was taken out by an agent before it came here. */
export function hasMarker(value: unknown): boolean {
  if (value === redactionMarker) return true;
  if (typeof value !== "object" || value === null) return false;
  const parts = [value];
  for (const part of parts) {
    for (const [key, child] of Object.entries(part)) {
      if (key === redactionMarker || child === redactionMarker) return true;
      if (typeof child === "object" && child !== null) parts.push(child);
    }
  }
  return false;
}
