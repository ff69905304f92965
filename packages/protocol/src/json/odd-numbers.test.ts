import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { areNumbersCanonical, mayHoldOddNumber } from "./odd-numbers.ts";
import { parseJson } from "./parse-json.ts";

const lexeme = fc.stringMatching(/^-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?$/);
const space = fc.constantFrom("", " ", "\t\r\n");

describe("mayHoldOddNumber", () => {
  test("is true for every number that is not canonical or that no double holds", () => {
    fc.assert(
      fc.property(
        lexeme,
        space,
        fc.constantFrom("[1,~]", '{"a":~}', "[[~],2]", '["12:",~]'),
        (number, before, form) => {
          const text = form.replace("~", before + number);
          const isOdd =
            !areNumbersCanonical(text) || JSON.stringify(parseJson(text)) !== JSON.stringify(JSON.parse(text));
          if (isOdd) expect(mayHoldOddNumber(text)).toBe(true);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test.each([
    ["[1e999]", true],
    ["[-0]", true],
    ["[1.0]", true],
    ['{"a": 12345678901234567}', true],
    ["[123456789012345,0,-7]", false],
    ['{"at":"2026-01-02T03:04:05.678Z","host":"10.0.0.1","id":"0e1-0"}', false],
  ])("%s: %s", (text, expected) => {
    expect(mayHoldOddNumber(text)).toBe(expected);
  });
});
