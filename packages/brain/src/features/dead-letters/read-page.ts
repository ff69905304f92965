import {
  asNumber,
  cutCharacters,
  fitsCharacters,
  isJsonObject,
  type Redactor,
  readInstant,
  storableText,
  taskIdCharacters,
} from "@svc/protocol";
import { cursorCharacters, type DeadLetter, type DeadLetterPage, excerptCharacters } from "./schemas.ts";

const nameCharacters = 500;
const queueCharacters = 200;

/**
 * The page in an agent's answer, with texts cut and redacted; null when the answer is not a page. An entry without task and queue makes the
 * whole page invalid, because skipping it would hide a dead letter. Any other unreadable value becomes null.
 *
 * @param result as returned by `parseJson`.
 */
export function readPage(
  result: unknown,
  { engine, limit, redactor }: { engine: string; limit: number; redactor: Pick<Redactor, "redact"> },
): Omit<DeadLetterPage, "agent_id"> | null {
  if (!isJsonObject(result)) return null;
  const { entries, next_cursor: next = null, total = null } = result;
  if (result.engine !== engine || !Array.isArray(entries) || entries.length > limit) return null;
  if (next !== null && !(typeof next === "string" && next !== "" && fitsCharacters(next, cursorCharacters)))
    return null;
  const count = countOf(total);
  if (total !== null && count === null) return null;
  const read = entries.map((entry) => entryOf(entry, redactor));
  if (read.includes(null)) return null;
  return { entries: read as DeadLetter[], next_cursor: next, total: count, engine };
}

function entryOf(entry: unknown, redactor: Pick<Redactor, "redact">): DeadLetter | null {
  if (!isJsonObject(entry)) return null;
  const { task_id: id, queue, task_name: name, failed_at: failedAt, error_excerpt: error } = entry;
  // A cut id would name another task.
  if (typeof id !== "string" || id === "" || !fitsCharacters(id, taskIdCharacters)) return null;
  if (typeof queue !== "string") return null;
  const failedMs = readInstant(failedAt, { zone: "utc" });
  return {
    task_id: storableText(id),
    task_name: typeof name === "string" && name !== "" ? cutCharacters(storableText(name), nameCharacters) : null,
    queue: cutCharacters(storableText(queue), queueCharacters),
    failed_at: failedMs === null ? null : new Date(failedMs).toISOString(),
    error_excerpt: typeof error === "string" && error !== "" ? excerptOf(error, redactor) : null,
    attempts: countOf(entry.attempts),
  };
}

/** Cut to the last characters first, then redacted. */
function excerptOf(error: string, redactor: Pick<Redactor, "redact">): string {
  const tail = Array.from(error.slice(-2 * excerptCharacters))
    .slice(-excerptCharacters)
    .join("");
  return redactor.redact(tail) as string;
}

/** A non-negative integer. Large JSON numbers may arrive as text with all their digits. */
function countOf(value: unknown): number | null {
  const count = asNumber(value) ?? -1;
  return Number.isSafeInteger(count) && count >= 0 ? count : null;
}
