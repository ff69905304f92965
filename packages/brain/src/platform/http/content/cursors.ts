/**
 * Keyset cursors: unpadded base64url of a JSON array, opaque to callers. They name the last row of a page, so they are
 * no secret and need no signature: a forged one only starts the caller's own list somewhere else.
 */

/** Cursor text for the position after the row with these key values. */
export function encodeCursor(position: readonly (string | number | Date)[]): string {
  return Buffer.from(JSON.stringify(position), "utf8").toString("base64url");
}

/**
 * The key values of a cursor, or null for the first page, also when it is malformed. `kinds` fixes count and types of the
 * values, so a reader need not check them again.
 */
export function decodeCursor<const Kinds extends readonly CursorKind[]>(
  text: string | undefined,
  kinds: Kinds,
): CursorValues<Kinds> | null {
  if (text === undefined || text === "" || text.length > maxCursorChars || !/^[A-Za-z0-9_-]+$/.test(text)) return null;
  let values: unknown;
  try {
    values = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
  } catch {
    return null;
  }
  if (!Array.isArray(values) || values.length !== kinds.length) return null;
  const fits = kinds.every((kind, index) => fitsKind(values[index], kind));
  return fits ? (values.map((value, index) => (kinds[index] === "instant" ? new Date(value) : value)) as never) : null;
}

export type CursorKind = "instant" | "string" | "integer";
export type CursorValues<Kinds extends readonly CursorKind[]> = {
  -readonly [Index in keyof Kinds]: Kinds[Index] extends "instant"
    ? Date
    : Kinds[Index] extends "integer"
      ? number
      : string;
};

/** Room for a position of two names of 200 characters outside ASCII. */
const maxCursorChars = 2048;

function fitsKind(value: unknown, kind: CursorKind): boolean {
  if (kind === "integer") return Number.isSafeInteger(value);
  // PostgreSQL text holds no NUL, so such a cursor could only make a statement fail.
  if (typeof value !== "string" || value.includes("\0")) return false;
  return kind === "string" || isStorableInstant(new Date(value).getTime());
}

const earliestMs = Date.parse("0000-01-01T00:00:00Z");
const latestMs = Date.parse("9999-12-31T23:59:59.999Z");

/** Years 0 to 9999, which both databases hold; false for NaN. */
const isStorableInstant = (ms: number): boolean => ms >= earliestMs && ms <= latestMs;
