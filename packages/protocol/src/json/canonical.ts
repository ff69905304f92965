import { canonicalNumber, floatText } from "./numbers.ts";
import { isRawJson } from "./raw.ts";
import { JsonSyntaxError, readJson } from "./read-json.ts";

/**
 * Canonical JSON (docs/reference/wire-protocol.md): keys in code point order at every level, no white space, minimal escapes, integers with
 * all digits and floats with the shortest ones. Both writers use an explicit stack, so only the size of the text limits nesting.
 */
export class CanonicalError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CanonicalError";
  }
}

/** A number in received text, kept as written. */
class Lexeme {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids unescaped control characters
const needsCare = /["\\\u0000-\u001f\ud800-\udfff]/;
const surrogate = /[\ud800-\udfff]/;

/** A string as canonical JSON. @throws CanonicalError when it contains a lone surrogate. */
export function canonicalString(text: string): string {
  if (!needsCare.test(text)) return `"${text}"`;
  if (!text.isWellFormed()) throw new CanonicalError("a lone surrogate has no canonical form");
  // For well-formed strings JSON.stringify escapes exactly what canonical JSON escapes.
  return JSON.stringify(text);
}

function codePointRank(code: number): number {
  // Surrogate pairs encode code points above all other units.
  if (code < 0xd800) return code;
  return code >= 0xe000 ? code - 0x800 : code + 0x2000;
}

/** Compares two strings by Unicode code point. Differs from the built-in order for characters above U+FFFF only. */
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

/** Text of a scalar. Undefined for a container. */
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

/** `JSON.rawJSON` accepts every scalar, not only numbers. */
function rawText(raw: string): string | undefined {
  const first = raw.charCodeAt(0);
  return first === 45 || (first >= 48 && first <= 57) ? lexemeText(raw) : scalarText(JSON.parse(raw));
}

type Container = readonly unknown[] | Readonly<Record<string, unknown>>;

/** Detects cycles. A cycle makes the walk ever deeper, so checking each time the depth doubles finds it cheaply. */
function refuseCycle(open: readonly Container[]): void {
  const depth = open.length;
  if (depth < 64 || (depth & (depth - 1)) !== 0) return;
  if (new Set(open).size < depth) throw new CanonicalError("a cycle has no canonical form");
}

/**
 * Canonical text of JavaScript values: numbers, big integers, `JSON.rawJSON` numbers, strings, booleans, null, arrays and objects with
 * their own enumerable keys. Undefined members are left out.
 *
 * @throws CanonicalError for values without JSON form, non-finite numbers, lone surrogates and cycles.
 */
export function canonicalText(value: unknown): string {
  // Three parallel stacks: the open containers, the sorted keys of the objects among them, and the number of written members.
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

/** Parses received JSON text and keeps its number lexemes, for `canonicalText`. @throws CanonicalError when it is not JSON. */
export function readLexemes(text: string): unknown {
  try {
    return readJson(text, (lexeme) => new Lexeme(lexeme));
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new CanonicalError("the text is not JSON", { cause: error });
    throw error;
  }
}

/** The text of a value from `readLexemes` that was written as an integer, otherwise null. */
export function integerLexemeOf(value: unknown): string | null {
  return value instanceof Lexeme && !/[.eE]/.test(value.text) ? value.text : null;
}

/** Canonical form of received JSON text. Integers keep every digit. @throws CanonicalError when it has none. */
export function canonicalizeText(text: string): string {
  return canonicalText(readLexemes(text));
}
