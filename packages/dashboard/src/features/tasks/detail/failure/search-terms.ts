import { quoted } from "@svc/client/task-query";
import { splitException, splitType } from "../family/trace.ts";

// Terms of the query language (docs/guides/search.md) that this page links with.

/** Tasks of exactly this name; the filter `name` of the list also takes those that have it in theirs. */
export const nameTerm = (name: string): string => `name:${quoted(name)}`;

/** The longest query that the API takes. */
const longestQuery = 1000;
/** A shorter piece of a message is found in too many others. */
const shortestPiece = 4;
const longestPiece = 200;
const mostPieces = 2;

/** The failures that say the same: of the same name, with the same type and the same words; null when nothing was said. */
export function sameFailureQuery({ name, exception }: { name: string; exception: string | null }): string | null {
  const { type, message } = splitException(exception ?? "");
  const pieces = steadyPieces(message.split("\n", 1)[0] ?? "");
  const said = [...(type === null ? [] : [splitType(type).name]), ...pieces];
  if (said.length === 0) return null;
  const query = [nameTerm(name), ...said.map((text) => `error:${quoted(text)}`)].join(" ");
  return query.length <= longestQuery ? query : null;
}

const words = /\S+/g;
const unitBehind = /\s+(?:ms|s|min|h|KB|MB)\b/y;
const fromFirstToLastLetter = /\p{L}(?:[\s\S]*\p{L})?/u;

/** The text between words that hold a digit, each with the unit behind it. Goes through the line once. */
function textsWithoutNumbers(line: string): string[] {
  const texts: string[] = [];
  let from = 0;
  words.lastIndex = 0;
  for (let word = words.exec(line); word !== null; word = words.exec(line)) {
    if (!/\d/.test(word[0])) continue;
    texts.push(line.slice(from, word.index));
    unitBehind.lastIndex = words.lastIndex;
    from = unitBehind.test(line) ? unitBehind.lastIndex : words.lastIndex;
    words.lastIndex = from;
  }
  return [...texts, line.slice(from)];
}

/** The longest parts of a message without numbers and ids, which differ from task to task; in their order. */
function steadyPieces(line: string): string[] {
  const pieces = textsWithoutNumbers(line)
    .map((piece) => (fromFirstToLastLetter.exec(piece)?.[0] ?? "").slice(0, longestPiece))
    .filter((piece) => piece.length >= shortestPiece);
  const longest = pieces.toSorted((a, b) => b.length - a.length).slice(0, mostPieces);
  return pieces.filter((piece, at) => longest.includes(piece) && pieces.indexOf(piece) === at);
}

/** As numbers, booleans and null are told; texts that look like one come in quotes. */
const literal = /^(?:true|false|null|-?[0-9].*|".*")$/;

/** The term for one value at a path of the arguments, as the differences tell it. */
export function pathTerm(field: string, value: string): string {
  return `${field}:${literal.test(value) ? value : quoted(value)}`;
}
