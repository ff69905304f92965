import { cutText, isRawJson, omittedMembersNote, omittedTextNote, parseJson } from "@svc/protocol";

/**
 * Inputs and results, which BullMQ stores as JSON text of any length. An event must fit into a frame, so long values are shortened, but
 * as parsed values and never as cut JSON text: redaction works by keys, which text does not have.
 */

/** By default, longer texts are shortened to about this length. */
const longestChars = 65_536;
/** Longer texts are not parsed, because that would block the thread and use too much memory. */
const longestParsedChars = 1024 * 1024;
/** Strings in a shortened value are cut to this length, redaction's default. */
const longestStringBytes = 8192;
/** Redaction masks deeper levels. */
const deepest = 64;
/** Quotes, comma and colon of a member. */
const memberChars = 4;

/** The value of a text that BullMQ stored; undefined without a text. Invalid JSON is returned as a string. */
export function readPayload(text: string | undefined, mostChars = longestChars): unknown {
  if (text === undefined) return undefined;
  const short = shortPayload(text, mostChars);
  try {
    return parseJson(short);
  } catch {
    return short;
  }
}

/** Returns a short text unchanged, else the JSON of its value with long strings cut and members omitted. */
export function shortPayload(text: string, mostChars = longestChars): string {
  if (text.length <= mostChars) return text;
  const note = JSON.stringify(omittedTextNote(text.length));
  if (text.length > longestParsedChars) return note;
  try {
    return JSON.stringify(shorten(parseJson(text), { chars: mostChars }, 0));
  } catch {
    return note;
  }
}

/** Keeps members in order while the budget lasts, and notes how many are omitted. */
function shorten(value: unknown, budget: { chars: number }, depth: number): unknown {
  if (typeof value === "string") {
    const cut = cutText(value, longestStringBytes);
    budget.chars -= cut.length;
    return cut;
  }
  if (typeof value !== "object" || value === null || isRawJson(value)) {
    budget.chars -= isRawJson(value) ? value.rawJSON.length : String(value).length;
    return value;
  }
  const members = Object.entries(value);
  const kept: [string, unknown][] = [];
  for (const [key, member] of members) {
    const left = budget.chars - key.length - memberChars;
    if (left < 0 || depth >= deepest) break;
    budget.chars = left;
    const short = shorten(member, budget, depth + 1);
    if (budget.chars < 0) break;
    kept.push([key, short]);
  }
  budget.chars = Math.max(budget.chars, 0);
  if (kept.length < members.length) kept.push(["...", omittedMembersNote(members.length - kept.length)]);
  return Array.isArray(value) ? kept.map(([, member]) => member) : Object.fromEntries(kept);
}
