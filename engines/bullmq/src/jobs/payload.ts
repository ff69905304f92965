import { cutText, isRawJson, omittedMembersNote, omittedTextNote, parseJson } from "@svc/protocol";

/**
 * Inputs and results, which BullMQ stores as JSON text of any length. An event must fit into a frame, so a long one is shortened; but
 * always as a value, never as a piece of its text: redaction goes by keys, and a text has none.
 */

/** Longer texts are shortened to about so many characters. */
const longestChars = 65_536;
/** Longer texts are not even parsed: that would hold the thread up and fill the memory. */
const longestParsedChars = 1024 * 1024;
/** A string of a shortened value is cut here, which is where redaction cuts by default. */
const longestStringBytes = 8192;
/** Redaction masks what lies deeper. */
const deepest = 64;
/** Quotes, comma and colon of a member, and the note about those left out. */
const memberChars = 4;

/** The value of a text that BullMQ stored; undefined when there is none. A text that is no JSON stands for itself. */
export function readPayload(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  const short = shortPayload(text);
  try {
    return parseJson(short);
  } catch {
    return short;
  }
}

/** The same text, or when it is long the text of its value with long strings cut and members left out. */
export function shortPayload(text: string): string {
  if (text.length <= longestChars) return text;
  const note = JSON.stringify(omittedTextNote(text.length));
  if (text.length > longestParsedChars) return note;
  try {
    return JSON.stringify(shorten(parseJson(text), { chars: longestChars }, 0));
  } catch {
    return note;
  }
}

/** Takes members in order while the budget lasts, and says how many are missing. */
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
