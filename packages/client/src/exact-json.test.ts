import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isExactNumber, parseExact } from "./exact-json.ts";

describe("parseExact", () => {
  test("keeps an integer that a double cannot represent", () => {
    const value = parseExact('{"order":9007199254740993}') as { order: unknown };
    expect(isExactNumber(value.order)).toBe(true);
    expect(JSON.stringify(value)).toBe('{"order":9007199254740993}');
  });

  test("keeps a number beyond the range of a double", () => {
    expect(JSON.stringify(parseExact("[1e400]"))).toBe("[1e400]");
  });

  test("returns other numbers as doubles", () => {
    expect(parseExact('{"a":0.1,"b":1234567890123456,"c":[12345678.12500000]}')).toEqual({
      a: 0.1,
      b: 1234567890123456,
      c: [12345678.125],
    });
  });

  test("prints every integer unchanged", () => {
    fc.assert(
      fc.property(fc.bigInt(), (integer) => {
        expect(JSON.stringify(parseExact(`[${integer}]`))).toBe(`[${integer}]`);
      }),
    );
  });
});
