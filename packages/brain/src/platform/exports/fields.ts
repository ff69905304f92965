import { ApiError } from "../http/error-codes.ts";

/**
 * The columns that the parameter `fields` of an export names by comma, each once and in its order; all of them when it is absent or empty.
 *
 * @throws ApiError `validation_error` with the unknown and the known names.
 */
export function readFields<Field extends string>(text: string | undefined, known: readonly Field[]): readonly Field[] {
  const names = (text ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  if (names.length === 0) return known;
  const isKnown = (name: string): name is Field => (known as readonly string[]).includes(name);
  const unknown = names.filter((name) => !isKnown(name));
  if (unknown.length > 0) {
    throw new ApiError("validation_error", {
      unknown,
      known,
      errors: [{ loc: ["query", "fields"], type: "enum", message: "names an unknown column" }],
    });
  }
  return [...new Set(names.filter(isKnown))];
}
