import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareDecimals, plainDecimal } from "./decimals.ts";
import { createJsonTests, jsonFits, jsonHolds, matchesParts } from "./json-content.ts";

describe("decimal numbers", () => {
  test.each([
    ["12345678901234567890", "12345678901234567891", -1],
    ["1.50", "15e-1", 0],
    ["-0", "0.0e7", 0],
    ["-2", "-10", 1],
    ["1e30", "999", 1],
    ["-1", "0.1", -1],
    ["0.1", "0.09999999999999999999", 1],
    ["-7.5", "-75e-1", 0],
  ])("%s and %s are ordered by their exact values", (a, b, expected) => {
    expect(Math.sign(compareDecimals(a, b))).toBe(expected);
    expect(Math.sign(compareDecimals(b, a))).toBe(expected === 0 ? 0 : -expected);
  });

  test("are ordered as doubles are where doubles hold them", () => {
    const double = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(double, double, (a, b) => {
        expect(Math.sign(compareDecimals(String(a), String(b)))).toBe(a < b ? -1 : a > b ? 1 : 0);
        expect(Number(plainDecimal(String(a)))).toBe(a + 0);
      }),
    );
  });

  test.each([
    ["1.50e3", "1500"],
    ["-1.5e-3", "-0.0015"],
    ["1e+21", "1000000000000000000000"],
    ["-0.0", "0"],
  ])("%s is %s in plain digits", (text, plain) => {
    expect(plainDecimal(text)).toBe(plain);
  });
});

describe("what JSON holds", () => {
  test("is searched in texts and numbers, not in names, at any depth", () => {
    const depth = 100_000;
    const deep = `${"[".repeat(depth)}"Needle"${"]".repeat(depth)}`;
    expect(jsonHolds(deep, "needle")).toBe(true);
    expect(jsonHolds('{"needle":true,"a":[null,"nee"]}', "needle")).toBe(false);
    expect(jsonHolds("[12345678901234567890]", "67890")).toBe(true);
    expect(jsonHolds("[1e21]", "1000000000000000000000")).toBe(true);
  });

  test("is no member that every object has", () => {
    const tests = { path: ["constructor"], tests: [{ kind: "present" }] } as const;
    expect(jsonFits("{}", tests)).toBe(false);
    expect(jsonFits('{"constructor":null}', tests)).toBe(true);
    expect(jsonFits('{"__proto__":1}', { ...tests, path: ["__proto__"] })).toBe(true);
  });
});

test("parts between stars fit in their order and never overlap", () => {
  expect(matchesParts("aba", ["ab", "ba"])).toBe(false);
  expect(matchesParts("abba", ["ab", "ba"])).toBe(true);
  expect(matchesParts("a1b2c", ["a", "b", "c"])).toBe(true);
  expect(matchesParts("axc", ["a", "xc", "c"])).toBe(false);
  expect(matchesParts("", ["", ""])).toBe(true);
});

test("tests that several terms ask in turn of every row are read once, and not all that ever were are kept", () => {
  let read = 0;
  const testsOf = createJsonTests((text) => {
    read += 1;
    return JSON.parse(text);
  });
  const term = (name: number) => JSON.stringify({ path: [String(name)], tests: [{ kind: "present" }] });
  for (let row = 0; row < 10; row += 1) {
    for (const name of [1, 2, 3]) expect(testsOf(term(name)).path).toEqual([String(name)]);
  }
  expect(read).toBe(3);
  for (let name = 0; name < 1000; name += 1) testsOf(term(name));
  testsOf(term(1));
  expect(read).toBeGreaterThan(1000);
});
