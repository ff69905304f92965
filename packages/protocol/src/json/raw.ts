/** A number kept as its lexeme. `JSON.stringify` prints `rawJSON` unchanged. */
export interface RawJson {
  readonly rawJSON: string;
}

// TypeScript's library does not declare these two yet. Every supported runtime has them.
const host = JSON as unknown as {
  rawJSON(lexeme: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
};

/** Wraps a JSON scalar lexeme so that `JSON.stringify` prints it unchanged. */
export const rawJson = (lexeme: string): RawJson => host.rawJSON(lexeme);

export const isRawJson = (value: unknown): value is RawJson => host.isRawJSON(value);

/** Whether a parsed JSON value is an object, neither a list nor a number kept as its lexeme. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isRawJson(value);
}

/** The value as a double, for a number or a number kept as its lexeme. Otherwise undefined. */
export function asNumber(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "object" && value !== null && isRawJson(value)) {
    const read = Number(value.rawJSON);
    return Number.isNaN(read) ? undefined : read;
  }
  return undefined;
}
