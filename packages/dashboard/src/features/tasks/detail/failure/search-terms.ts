import { quoted } from "@svc/client/task-query";
import { splitException, splitType } from "../family/trace.ts";

// Terms of the search language (docs/reference/query-language.md) for this page's links.

/** Matches exactly this name; the list's `name` filter also matches substrings. */
export const nameTerm = (name: string): string => `name:${quoted(name)}`;

/** Maximum query length of the API. */
const longestQuery = 1000;
/** Shorter pieces match too many other messages. */
const shortestPiece = 4;
const longestPiece = 200;
const mostPieces = 2;

/** A query for failures with the same task name, error type and message; null without an error text. */
export function sameFailureQuery({ name, exception }: { name: string; exception: string | null }): string | null {
  const { type, message } = splitException(exception ?? "");
  const pieces = steadyPieces(message.split("\n", 1)[0] ?? "");
  const texts = [...(type === null ? [] : [splitType(type).name]), ...pieces];
  if (texts.length === 0) return null;
  const query = [nameTerm(name), ...texts.map((text) => `error:${quoted(text)}`)].join(" ");
  return query.length <= longestQuery ? query : null;
}

const words = /\S+/g;
const unitBehind = /\s+(?:ms|s|min|h|KB|MB)\b/y;
const fromFirstToLastLetter = /\p{L}(?:[\s\S]*\p{L})?/u;

/** The texts between words with a digit, where a following unit counts as part of the word. Runs in linear time. */
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

/** The longest parts of a message without numbers and ids, which vary between tasks; in their original order. */
function steadyPieces(line: string): string[] {
  const pieces = textsWithoutNumbers(line)
    .map((piece) => (fromFirstToLastLetter.exec(piece)?.[0] ?? "").slice(0, longestPiece))
    .filter((piece) => piece.length >= shortestPiece);
  const longest = pieces.toSorted((a, b) => b.length - a.length).slice(0, mostPieces);
  return pieces.filter((piece, at) => longest.includes(piece) && pieces.indexOf(piece) === at);
}

/** Numbers, booleans and null; strings that could be mistaken for one are already quoted. */
const literal = /^(?:true|false|null|-?[0-9].*|".*")$/;

/** The search term for one value at a path of the arguments, as the comparison reports it. */
export function pathTerm(field: string, value: string): string {
  return `${field}:${literal.test(value) ? value : quoted(value)}`;
}
