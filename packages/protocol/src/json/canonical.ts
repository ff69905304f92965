import { canonicalNumber, floatText } from "./numbers.ts";
import { isRawJson } from "./raw.ts";
import { JsonSyntaxError, readJson } from "./read-json.ts";

/**
 * Canonical JSON (spec 1.4): keys by code point at every level, no white space, the fewest escapes, integers by their digits and
 * floats by the shortest ones. Both writers walk with a stack of their own, so nesting is bounded by the text alone.
 */
export class CanonicalError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CanonicalError";
  }
}

/** A number of received text, kept as it was written. */
class Lexeme {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings may not hold them unescaped
const needsCare = /["\\\u0000-\u001f\ud800-\udfff]/;
const surrogate = /[\ud800-\udfff]/;

/** A string as canonical JSON. @throws CanonicalError when it holds a lone surrogate. */
export function canonicalString(text: string): string {
  if (!needsCare.test(text)) return `"${text}"`;
  if (!text.isWellFormed()) throw new CanonicalError("a lone surrogate has no canonical form");
  // For a well-formed string the platform escapes exactly what rule 3 escapes.
  return JSON.stringify(text);
}

function codePointRank(code: number): number {
  // Surrogate pairs stand for code points above every other unit.
  if (code < 0xd800) return code;
  return code >= 0xe000 ? code - 0x800 : code + 0x2000;
}

/** Order of two strings by Unicode code point, which differs from the built-in order only for astral characters. */
export function compareCodePoints(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i += 1) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return codePointRank(left) - codePointRank(right);
  }
  return a.length - b.length;
}

function sortedKeys(object: object): string[] {
  const keys = Object.keys(object);
  if (keys.length < 2) return keys;
  keys.sort();
  return keys.some((key) => surrogate.test(key)) ? keys.sort(compareCodePoints) : keys;
}

/** Text of a value that is no container, or undefined for a container. */
function scalarText(value: unknown): string | undefined {
  switch (typeof value) {
    case "string":
      return canonicalString(value);
    case "number":
      if (Number.isSafeInteger(value)) return value === 0 ? "0" : String(value);
      if (!Number.isFinite(value)) throw new CanonicalError("a number that is not finite has no canonical form");
      return floatText(value);
    case "boolean":
      return value ? "true" : "false";
    case "bigint":
      return String(value);
    case "object":
      if (value === null) return "null";
      if (value instanceof Lexeme) return lexemeText(value.text);
      if (isRawJson(value)) return rawText(value.rawJSON);
      if (value instanceof Date) throw new CanonicalError("a Date has no canonical form; give its text");
      return undefined;
    default:
      throw new CanonicalError(`a value of type ${typeof value} has no canonical form`);
  }
}

function lexemeText(lexeme: string): string {
  const text = canonicalNumber(lexeme);
  if (text === null) throw new CanonicalError("a number overflows");
  return text;
}

/** `JSON.rawJSON` takes every scalar, not only numbers. */
function rawText(raw: string): string | undefined {
  const first = raw.charCodeAt(0);
  return first === 45 || (first >= 48 && first <= 57) ? lexemeText(raw) : scalarText(JSON.parse(raw));
}

type Container = readonly unknown[] | Readonly<Record<string, unknown>>;

/** A cycle only ever deepens the walk, so looking for one at each doubling of the depth finds it at little cost. */
function refuseCycle(open: readonly Container[]): void {
  const depth = open.length;
  if (depth < 64 || (depth & (depth - 1)) !== 0) return;
  if (new Set(open).size < depth) throw new CanonicalError("a cycle has no canonical form");
}

/**
 * Canonical text of host values (rule 8): numbers, big integers, `JSON.rawJSON` numbers, strings, booleans, null, arrays and
 * objects by their own enumerable keys. Members that are undefined are left out.
 *
 * @throws CanonicalError for anything without JSON form, numbers that are not finite, lone surrogates, and cycles.
 */
export function canonicalText(value: unknown): string {
  // Three stacks in step: the open containers, the sorted keys of those that are objects, and how many members are done.
  const open: Container[] = [];
  const keysOf: (readonly string[] | null)[] = [];
  const done: number[] = [];
  let out = "";
  let pending: unknown = value;
  for (;;) {
    const scalar = scalarText(pending);
    let needsComma = scalar !== undefined;
    if (scalar !== undefined) out += scalar;
    else {
      const keys = Array.isArray(pending) ? null : sortedKeys(pending as object);
      out += keys === null ? "[" : "{";
      open.push(pending as Container);
      keysOf.push(keys);
      done.push(0);
      refuseCycle(open);
    }
    for (let isFound = false; !isFound; ) {
      const top = open.length - 1;
      if (top < 0) return out;
      const container = open[top] as Container;
      const keys = keysOf[top] as readonly string[] | null;
      const next = done[top] as number;
      if (next >= (keys ?? (container as readonly unknown[])).length) {
        out += keys === null ? "]" : "}";
        needsComma = true;
        open.pop();
        keysOf.pop();
        done.pop();
        continue;
      }
      done[top] = next + 1;
      if (keys === null) {
        pending = (container as readonly unknown[])[next];
        if (needsComma) out += ",";
      } else {
        const key = keys[next] as string;
        pending = (container as Readonly<Record<string, unknown>>)[key];
        if (pending === undefined) continue;
        out += needsComma ? `,${canonicalString(key)}:` : `${canonicalString(key)}:`;
      }
      isFound = true;
    }
  }
}

/** Received JSON text with its number lexemes kept, ready for `canonicalText`. @throws CanonicalError when it is not JSON. */
export function readLexemes(text: string): unknown {
  try {
    return readJson(text, (lexeme) => new Lexeme(lexeme));
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new CanonicalError("the text is not JSON", { cause: error });
    throw error;
  }
}

/** Whether a member read by `readLexemes` was written as an integer lexeme; gives its text. */
export function integerLexemeOf(value: unknown): string | null {
  return value instanceof Lexeme && !/[.eE]/.test(value.text) ? value.text : null;
}

/** Canonical form of received JSON text; integers keep every digit. @throws CanonicalError when it has none. */
export function canonicalizeText(text: string): string {
  return canonicalText(readLexemes(text));
}
