import { isRawJson, type Redactor, redactionMarker } from "@svc/protocol";

/** Texts of engines inside results. Ids and the like are left as they are: what they name would not be found again. */
const redactedKeys: ReadonlySet<string> = new Set(["error", "exception", "error_excerpt"]);
/** Of an excerpt its end counts, which is taken before the scan (spec part 3, section 3). */
const excerptCharacters = 512;
const maxDepth = 64;

/** A result as `parseJson` gave it, with the texts of its engine redacted: an agent may have had no rules of its own for it. */
export function redactResult(
  result: Readonly<Record<string, unknown>>,
  redactor: Pick<Redactor, "redact">,
): Record<string, unknown> {
  return redacted(result, redactor, 0) as Record<string, unknown>;
}

function redacted(value: unknown, redactor: Pick<Redactor, "redact">, depth: number): unknown {
  if (typeof value !== "object" || value === null || isRawJson(value)) return value;
  if (depth > maxDepth) return redactionMarker;
  if (Array.isArray(value)) return value.map((item) => redacted(item, redactor, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      typeof member === "string" && redactedKeys.has(key)
        ? redactor.redact(key === "error_excerpt" ? endOf(member) : member)
        : redacted(member, redactor, depth + 1),
    ]),
  );
}

const endOf = (text: string): string =>
  Array.from(text.slice(-2 * excerptCharacters))
    .slice(-excerptCharacters)
    .join("");
