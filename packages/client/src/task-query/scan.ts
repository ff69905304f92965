import { type Order, type PathStep, type QueryFault, queryLimits } from "./language.ts";

/** A part of a query for highlighting. Only white space is between tokens. */
export interface QueryToken {
  readonly kind: "negation" | "field" | "path" | "colon" | "operator" | "value" | "comma" | "text";
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

export type Piece =
  | { readonly kind: "literal"; readonly text: string; readonly isQuoted: boolean }
  | { readonly kind: "star" }
  | { readonly kind: "dots" };

export interface RawValue {
  readonly from: number;
  readonly to: number;
  readonly order: Order | null;
  readonly pieces: readonly Piece[];
}

export interface RawHead {
  readonly name: string;
  readonly path: readonly PathStep[];
  readonly from: number;
  readonly to: number;
}

export interface RawTerm {
  readonly from: number;
  readonly to: number;
  readonly isNegated: boolean;
  /** Null for a bare word, whose only value is its text. */
  readonly head: RawHead | null;
  readonly values: readonly RawValue[];
}

export interface Scan {
  readonly terms: readonly RawTerm[];
  readonly tokens: readonly QueryToken[];
  readonly faults: readonly QueryFault[];
}

const headName = /[A-Za-z][A-Za-z0-9_]*/y;
const bareStep = /(?:\\[\s\S]|[^\s.:,"\\[\]])+/y;
const indexStep = /\[([0-9]{1,9})\]/y;
const quotedText = /"((?:\\[\s\S]|[^"\\])*)"/y;
const space = /\s/;

const unescaped = (text: string): string => text.replace(/\\([\s\S])/g, "$1");

/** Splits any text into terms, tokens and syntax faults in linear time. */
export function scanQuery(text: string): Scan {
  const terms: RawTerm[] = [];
  const tokens: QueryToken[] = [];
  const faults: QueryFault[] = [];
  let at = 0;

  const read = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };
  const isAtEnd = () => at >= text.length || space.test(text.charAt(at));

  /** Reads a field with its path and colon. Reads nothing and returns null at a bare word. */
  function readHead(): RawHead | null {
    const from = at;
    const name = read(headName)?.[0];
    const nameEnd = at;
    const path: PathStep[] = [];
    while (name !== undefined) {
      const index = read(indexStep);
      if (index !== null) {
        path.push(Number(index[1]));
        continue;
      }
      if (text.charAt(at) !== ".") break;
      at += 1;
      const quoted = read(quotedText);
      const step = quoted === null ? read(bareStep)?.[0] : unescaped(quoted[1] ?? "");
      if (step === undefined) break;
      path.push(quoted === null ? stepOf(step) : step);
    }
    const to = at;
    // Class names and addresses, such as App::Mail and https://…, are words.
    const isHead = name !== undefined && text.charAt(at) === ":" && !/^:(?::|\/\/)/.test(text.slice(at, at + 3));
    if (!isHead) {
      at = from;
      return null;
    }
    tokens.push({ kind: "field", from, to: nameEnd });
    if (to > nameEnd) tokens.push({ kind: "path", from: nameEnd, to });
    tokens.push({ kind: "colon", from: to, to: to + 1 });
    at += 1;
    return { name: name.toLowerCase(), path, from, to };
  }

  /** Reads up to the end of the word, or up to a comma in a field. */
  function readPieces(isWord: boolean): Piece[] {
    const pieces: Piece[] = [];
    let bare = "";
    const flush = () => {
      if (bare !== "") pieces.push({ kind: "literal", text: bare, isQuoted: false });
      bare = "";
    };
    const add = (piece: Piece, width: number) => {
      flush();
      pieces.push(piece);
      at += width;
    };
    while (!isAtEnd()) {
      const character = text.charAt(at);
      if (character === '"') {
        flush();
        pieces.push({ kind: "literal", text: readQuoted(), isQuoted: true });
      } else if (character === "\\") {
        // The escaped character is literal, even white space that would end the word.
        bare += text.slice(at + 1, at + 2);
        at = Math.min(at + 2, text.length);
      } else if (!isWord && character === ",") break;
      else if (!isWord && character === "*") add({ kind: "star" }, 1);
      else if (!isWord && text.startsWith("..", at) && !pieces.some(({ kind }) => kind === "dots"))
        add({ kind: "dots" }, 2);
      else {
        bare += character;
        at += 1;
      }
    }
    flush();
    return pieces;
  }

  function readQuoted(): string {
    const from = at;
    const quoted = read(quotedText);
    if (quoted !== null) return unescaped(quoted[1] ?? "");
    at = text.length;
    faults.push({ at: from, to: at, type: "unclosed_quote", message: "missing closing quote" });
    return unescaped(text.slice(from + 1));
  }

  function readValue(isWord: boolean): RawValue {
    const from = at;
    const order = isWord ? null : ((/^[<>]=?/.exec(text.slice(at, at + 2))?.[0] ?? null) as Order | null);
    at += order?.length ?? 0;
    if (order !== null) tokens.push({ kind: "operator", from, to: at });
    const start = at;
    const pieces = readPieces(isWord);
    if (at > start) tokens.push({ kind: isWord ? "text" : "value", from: start, to: at });
    return { from, to: at, order, pieces };
  }

  while (at < text.length) {
    if (isAtEnd()) {
      at += 1;
      continue;
    }
    const from = at;
    const isNegated = text.charAt(at) === "-" && at + 1 < text.length && !space.test(text.charAt(at + 1));
    if (isNegated) {
      tokens.push({ kind: "negation", from: at, to: at + 1 });
      at += 1;
    }
    const head = readHead();
    const values = [readValue(head === null)];
    while (head !== null && text.charAt(at) === ",") {
      tokens.push({ kind: "comma", from: at, to: at + 1 });
      at += 1;
      values.push(readValue(false));
    }
    terms.push({ from, to: at, isNegated, head, values });
  }
  return { terms, tokens, faults: [...faults, ...sizeFaults(text, terms)] };
}

/** Digits are an index, unless they are quoted or escaped. */
const stepOf = (step: string): PathStep => (/^[0-9]{1,9}$/.test(step) ? Number(step) : unescaped(step));

function sizeFaults(text: string, terms: readonly RawTerm[]): QueryFault[] {
  const faults: QueryFault[] = [];
  const { characters, terms: maxTerms, values: maxValues } = queryLimits;
  if (text.length > characters) {
    const message = `a query has at most ${characters} characters`;
    faults.push({ at: characters, to: text.length, type: "too_long", message });
  }
  const first = terms[maxTerms];
  if (first !== undefined) {
    faults.push({ at: first.from, to: text.length, type: "too_many", message: `at most ${maxTerms} terms` });
  }
  let count = 0;
  for (const value of terms.flatMap(({ values }) => values)) {
    count += 1;
    if (count !== maxValues + 1) continue;
    faults.push({ at: value.from, to: text.length, type: "too_many", message: `at most ${maxValues} values in total` });
  }
  return faults;
}
