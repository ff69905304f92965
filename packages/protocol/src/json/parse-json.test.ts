import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { holdsLongNumber, parseJson } from "./parse-json.ts";
import { asNumber, isRawJson } from "./raw.ts";
import { readJson } from "./read-json.ts";

describe("parseJson", () => {
  test("keeps numbers beyond double precision and prints them unchanged", () => {
    const text = '{"a":9007199254740993,"b":[0.10000000000000000555,-12345678901234567890],"c":1e400}';
    expect(JSON.stringify(parseJson(text))).toBe(text);
  });

  test("returns doubles for numbers that print exactly", () => {
    const text = "[9007199254740992,0.1,1e2,1.50,0.00000000000000010,-0,1000000000000000000000]";
    expect(parseJson(text)).toEqual([9007199254740992, 0.1, 100, 1.5, 1e-16, -0, 1e21]);
  });

  test("reads a kept number as the nearest double", () => {
    const kept = parseJson("9007199254740993");
    expect(isRawJson(kept)).toBe(true);
    expect(asNumber(kept)).toBe(9007199254740992);
    expect(asNumber("9")).toBeUndefined();
  });

  test("agrees with the ordinary parser on values, long runs of digits in strings included", () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: "binary" }), fc.stringMatching(/^[0-9]{14,40}$/), (text, digits) => {
        const both = `[${text},"${digits}","x:${digits}"]`;
        expect(parseJson(both)).toEqual(JSON.parse(both));
      }),
    );
  });

  test("survives 100,000 levels, with and without a long number", () => {
    const open = "[".repeat(100_000);
    const close = "]".repeat(100_000);
    expect(Array.isArray(parseJson(`${open}1${close}`))).toBe(true);
    let value = parseJson(`${open}1234567890123456789${close}`);
    while (Array.isArray(value)) value = value[0];
    expect(isRawJson(value)).toBe(true);
  });
});

describe("holdsLongNumber", () => {
  test("finds a run of 16 digits wherever it starts, and no shorter one", () => {
    fc.assert(
      fc.property(
        fc.nat(64),
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom("1", "12", "123"),
        (before, run, other) => {
          const text = `${" ".repeat(before)}[${other},${"7".repeat(run)}]`;
          expect(holdsLongNumber(text)).toBe(run >= 16);
        },
      ),
    );
  });

  test("finds fractions and exponents", () => {
    expect(holdsLongNumber("[0.1234567890123456]")).toBe(true);
    expect(holdsLongNumber("[1e0000000000000001]")).toBe(true);
  });
});

describe("readJson", () => {
  test("reads what the ordinary parser reads, white space included", () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ stringUnit: "binary" }),
        fc.constantFrom(0, 1, "\t", " \r\n".slice(0, 1)),
        (value, space) => {
          const text = ` \n${JSON.stringify(value, null, space)}\r\t`;
          expect(readJson(text, Number)).toEqual(JSON.parse(text));
        },
      ),
    );
  });

  test("refuses exactly what the ordinary parser refuses", () => {
    const alphabet = fc.constantFrom(...'{}[]",:\\ue1-+.0tfn \t'.split(""), "true", "null", '"a"', "1.5e3", "\\u00e9");
    const texts = fc.array(alphabet, { maxLength: 12 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(texts, (text) => {
        expect(outcomeOf(() => readJson(text, Number))).toEqual(outcomeOf(() => JSON.parse(text)));
      }),
      { numRuns: 5_000 },
    );
  });
});

function outcomeOf(read: () => unknown): { value: unknown } | "refused" {
  try {
    return { value: read() };
  } catch {
    return "refused";
  }
}
