import { anyCharacter } from "@svc/testkit/any-character";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CanonicalError, canonicalizeText, canonicalText, compareCodePoints } from "./canonical.ts";
import { rawJson } from "./raw.ts";

const depth = 100_000;

describe("canonical numbers of received text", () => {
  test.each([
    ["-0", "0"],
    ["-0.0", "-0.0"],
    ["0.0", "0.0"],
    ["0e5", "0.0"],
    ["1.0", "1.0"],
    ["100.0", "100.0"],
    ["1E16", "1e+16"],
    ["1e15", "1000000000000000.0"],
    ["1e-4", "0.0001"],
    ["0.00001", "1e-05"],
    ["5e-324", "5e-324"],
    ["1.5E+300", "1.5e+300"],
    ["-1.25e-7", "-1.25e-07"],
    ["9007199254740993", "9007199254740993"],
    ["9007199254740993.0", "9007199254740992.0"],
    ["123456789012345678901234567890", "123456789012345678901234567890"],
    ["-123456789012345678901234567890", "-123456789012345678901234567890"],
  ])("%s becomes %s", (lexeme, expected) => {
    expect(canonicalizeText(lexeme)).toBe(expected);
  });

  test("a lexeme that overflows is refused", () => {
    expect(() => canonicalizeText("[1e400]")).toThrow(CanonicalError);
  });

  test("every double reads back to itself and stays as it is the second time", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = canonicalText([value]).slice(1, -1);
        expect(Number(text)).toBe(Object.is(value, -0) ? 0 : value);
        expect(canonicalizeText(text)).toBe(text);
      }),
    );
  });
});

describe("canonical text of host values", () => {
  test("whole numbers up to 2^53 - 1 are integers and greater ones floats", () => {
    expect(canonicalText([1, -0, 2 ** 53 - 1, -(2 ** 53 - 1), 2 ** 53, 0.5])).toBe(
      "[1,0,9007199254740991,-9007199254740991,9007199254740992.0,0.5]",
    );
  });

  test("big integers and numbers kept by their lexeme print their digits", () => {
    expect(canonicalText([123456789012345678901n, rawJson("9007199254740993"), rawJson("1E5")])).toBe(
      "[123456789012345678901,9007199254740993,100000.0]",
    );
  });

  test.each([[Number.NaN], [Number.POSITIVE_INFINITY], [() => 1], [Symbol("s")], [new Date(0)], ["\ud800"]])(
    "refuses %s, which has no canonical form",
    (value) => {
      expect(() => canonicalText({ value })).toThrow(CanonicalError);
    },
  );

  test("refuses a lone surrogate in a key", () => {
    expect(() => canonicalText({ "\udc00": 1 })).toThrow(CanonicalError);
    expect(() => canonicalizeText('{"\\ud800":1}')).toThrow(CanonicalError);
  });

  test("refuses a cycle", () => {
    const cycle: Record<string, unknown> = {};
    cycle.inner = [cycle];
    expect(() => canonicalText(cycle)).toThrow(CanonicalError);
  });

  test("leaves out members that are undefined", () => {
    expect(canonicalText({ a: undefined, b: 1, c: undefined })).toBe('{"b":1}');
  });
});

describe("canonical strings and keys", () => {
  test("escape only quote, backslash and control characters", () => {
    expect(canonicalText('"\\/\b\t\n\f\r\u0000\u001f\u007f\u2028\u2029é✓😀')).toBe(
      '"\\"\\\\/\\b\\t\\n\\f\\r\\u0000\\u001f\u007f\u2028\u2029é✓😀"',
    );
  });

  test("unescape what need not be escaped", () => {
    expect(canonicalizeText('"\\u00e9\\/\\ud83d\\ude00\\u001F"')).toBe('"é/😀\\u001f"');
  });

  test("sort by code point, not by UTF-16 unit", () => {
    expect(canonicalizeText('{"\u{1f600}":1,"\ue000":2,"a":3}')).toBe('{"a":3,"\ue000":2,"\u{1f600}":1}');
    expect(canonicalizeText('{"b":[true,null,{"z":1,"a":""}],"B":1}')).toBe('{"B":1,"b":[true,null,{"a":"","z":1}]}');
  });

  test("keep the last of duplicate keys, and __proto__ as an ordinary key", () => {
    expect(canonicalizeText('{"a":1,"__proto__":{"x":1},"\\u0061":2}')).toBe('{"__proto__":{"x":1},"a":2}');
  });

  test("compare as their code points do", () => {
    const text = fc.string({ unit: anyCharacter });
    fc.assert(
      fc.property(text, text, (a, b) => {
        const left = [...a].map((character) => character.codePointAt(0) as number);
        const right = [...b].map((character) => character.codePointAt(0) as number);
        const at = left.findIndex((point, index) => point !== right[index]);
        const expected = at === -1 ? left.length - right.length : (left[at] ?? -1) - (right[at] ?? -1);
        expect(Math.sign(compareCodePoints(a, b))).toBe(Math.sign(expected));
      }),
    );
  });
});

describe("canonical form", () => {
  const json = fc.json({ stringUnit: anyCharacter, maxDepth: 6 });

  test("is its own canonical form and means what the text meant", () => {
    fc.assert(
      fc.property(json, (text) => {
        const canonical = canonicalizeText(text);
        expect(canonicalizeText(canonical)).toBe(canonical);
        expect(JSON.parse(canonical)).toEqual(JSON.parse(text, (_, value) => (Object.is(value, -0) ? 0 : value)));
      }),
    );
  });

  test("survives 100,000 levels of arrays and of objects", () => {
    const arrays = "[".repeat(depth) + "]".repeat(depth);
    const objects = `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
    expect(canonicalizeText(arrays)).toBe(arrays);
    expect(canonicalizeText(objects)).toBe(objects);
    expect(canonicalText(JSON.parse(arrays))).toBe(arrays);
  });

  test.each([
    "",
    " ",
    "{",
    "[1,]",
    '{"a":1,}',
    "01",
    "1.",
    ".5",
    "+1",
    "NaN",
    "'a'",
    '"\t"',
    '"\\x"',
    '"\\u12g4"',
    "[1] 2",
    "{1:2}",
    '"a',
  ])("does not exist for %j", (text) => {
    expect(() => canonicalizeText(text)).toThrow(CanonicalError);
  });
});
