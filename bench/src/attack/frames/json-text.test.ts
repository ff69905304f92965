import { describe, expect, test } from "vitest";
import { canonicalNumber, canonicalOf, numbersOf, readText } from "./json-text.ts";

describe("the canonical form of the independent verifier", () => {
  test.each([
    ["-0", "0"],
    ["-0.0", "-0.0"],
    ["1.0", "1.0"],
    ["100.0", "100.0"],
    ["1E16", "1e+16"],
    ["1e15", "1000000000000000.0"],
    ["1e-4", "0.0001"],
    ["0.00001", "1e-05"],
    ["5e-324", "5e-324"],
    ["1.5E+300", "1.5e+300"],
    ["9007199254740993", "9007199254740993"],
    ["9007199254740993.0", "9007199254740992.0"],
    ["123456789012345678901234567890", "123456789012345678901234567890"],
  ])("prints the number %s as %s", (lexeme, printed) => {
    expect(canonicalNumber(lexeme)).toBe(printed);
  });

  test("sorts keys by code point and keeps the last duplicate", () => {
    expect(canonicalOf(readText('{"\u{1f600}":1,"\ue000":2,"a":3,"a":4}'))).toBe('{"a":4,"\ue000":2,"\u{1f600}":1}');
    expect(canonicalOf(readText('{"b":[true,null,{"z":1,"a":""}],"B":1}'))).toBe(
      '{"B":1,"b":[true,null,{"a":"","z":1}]}',
    );
  });

  test.each(["01", "1.", ".5", "+1", "NaN", "1e", "{,}", "[1,]", '"\t"', '"\\x41"', "nul", "{}{}", ""])(
    "rejects %j as JSON",
    (text) => {
      expect(() => readText(text)).toThrow();
    },
  );

  test("returns all numbers as written, for duplicates the last", () => {
    expect([...numbersOf(readText('{"a":[1.50,{"b":-0}],"c":1,"c":1E5,"d":"2.50"}'))].sort()).toEqual([
      "-0",
      "1.50",
      "1E5",
    ]);
  });
});
