import { compareCodePoints, isJsonObject, isRawJson, parseJson } from "@svc/protocol";
import { compareDecimals, plainDecimal } from "./decimals.ts";

// Tests of stored JSON in searches. The server database evaluates most of them with jsonpath in lax mode; the functions here are
// equivalent.

/**
 * A test of the values at the end of a path. An operand without `isText` is a number as written, or true, false or null; it matches that
 * value and the text of the same characters. Anything may be between the parts of `like`.
 */
export type JsonTest =
  | { readonly kind: "present" }
  | { readonly kind: "is"; readonly text: string; readonly isText: boolean }
  | { readonly kind: "like"; readonly parts: readonly string[] }
  | {
      readonly kind: "order";
      readonly order: "<" | "<=" | ">" | ">=";
      readonly operand: string;
      readonly isText: boolean;
    }
  | { readonly kind: "range"; readonly low: string; readonly high: string; readonly isText: boolean };

/** Whether one of the tests matches one of the values at the end of the path: members by name, elements by position. */
export interface JsonTests {
  readonly path: readonly (string | number)[];
  readonly tests: readonly JsonTest[];
}

const maxTests = 64;

/** Reads tests from their texts, each once: a statement asks the same few of every row. */
export function createJsonTests(parse: (text: string) => unknown = JSON.parse): (text: string) => JsonTests {
  const known = new Map<string, JsonTests>();
  return (text) => {
    let tests = known.get(text);
    if (tests === undefined) {
      tests = parse(text) as JsonTests;
      if (known.size >= maxTests) known.clear();
      known.set(text, tests);
    }
    return tests;
  };
}

/** Whether a JSON text fits. Numbers compare by all their digits, texts by code point. */
export function jsonFits(text: string, { path, tests }: JsonTests): boolean {
  const ends = path.reduce(follow, [parseJson(text)]);
  if (ends.length === 0) return false;
  const values = ends.flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : [value]));
  return tests.some((test) => test.kind === "present" || values.some((value) => fits(value, test)));
}

/** The values one step further. A name is matched in each element of a list; a value that is not a list counts as a list of one. */
function follow(values: readonly unknown[], step: string | number): unknown[] {
  if (typeof step === "number") {
    return values.flatMap((value) => (Array.isArray(value) ? value.slice(step, step + 1) : step === 0 ? [value] : []));
  }
  const found: unknown[] = [];
  for (const value of values) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (isJsonObject(one) && Object.hasOwn(one, step)) found.push(one[step]);
    }
  }
  return found;
}

/** The decimal text of a number value; null for every other value. */
function numberText(value: unknown): string | null {
  if (typeof value === "number") return String(value);
  return typeof value === "object" && value !== null && isRawJson(value) ? value.rawJSON : null;
}

function fits(value: unknown, test: Exclude<JsonTest, { kind: "present" }>): boolean {
  switch (test.kind) {
    case "is": {
      if (value === test.text) return true;
      if (test.isText) return false;
      if (typeof value === "boolean" || value === null) return String(value) === test.text;
      const number = numberText(value);
      return number !== null && !isWord(test.text) && compareDecimals(number, test.text) === 0;
    }
    case "like":
      return typeof value === "string" && matchesParts(value, test.parts);
    case "order": {
      const order = compareTo(value, test.operand, test.isText);
      return order !== null && holdsOrder(order, test.order);
    }
    case "range": {
      const [low, high] = [compareTo(value, test.low, test.isText), compareTo(value, test.high, test.isText)];
      return low !== null && high !== null && low >= 0 && high <= 0;
    }
  }
}

const isWord = (text: string): boolean => text === "true" || text === "false" || text === "null";

function compareTo(value: unknown, operand: string, isText: boolean): number | null {
  if (isText) return typeof value === "string" ? compareCodePoints(value, operand) : null;
  const number = numberText(value);
  return number === null ? null : compareDecimals(number, operand);
}

function holdsOrder(order: number, asked: "<" | "<=" | ">" | ">="): boolean {
  if (order === 0) return asked === "<=" || asked === ">=";
  return order < 0 ? asked.startsWith("<") : asked.startsWith(">");
}

/** Whether the text is these parts in their order with anything, or nothing, between each two. */
export function matchesParts(text: string, parts: readonly string[]): boolean {
  const first = parts[0] ?? "";
  const last = parts.at(-1) ?? "";
  if (parts.length < 2) return text === first;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

/** Whether a text or a number among the values of a JSON text holds the needle, which is in lower case; member names do not count. */
export function jsonHolds(text: string, needle: string): boolean {
  const open: unknown[] = [parseJson(text)];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === "string") {
      if (value.toLowerCase().includes(needle)) return true;
      continue;
    }
    const number = numberText(value);
    if (number !== null) {
      if (plainDecimal(number).includes(needle)) return true;
    } else if (typeof value === "object" && value !== null) {
      for (const inner of Object.values(value)) open.push(inner);
    }
  }
  return false;
}
