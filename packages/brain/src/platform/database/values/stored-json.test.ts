import { parseJson } from "@svc/protocol";
import { describe, expect, test } from "vitest";
import { storedJson, withStorableNumbers } from "./stored-json.ts";

const nines = (count: number) => "9".repeat(count);

describe("stored JSON", () => {
  test.each([0, 1, 500, 998, 999, 1000, 1001])(
    "has a number of over 1000 digits as a string, after %i others",
    (before) => {
      const padding = "x".repeat(before);
      const value = parseJson(`{"p":"${padding}","n":${nines(1001)},"f":0.${nines(999)}}`) as Record<string, unknown>;
      const stored = `{"p":"${padding}","n":"${nines(1001)}","f":"0.${nines(999)}"}`;
      expect(storedJson(value)).toBe(stored);
      expect(JSON.stringify(withStorableNumbers(value))).toBe(stored);
    },
  );

  test("keeps the digits of shorter numbers, and the text of strings", () => {
    const text = `{"n":${nines(1000)},"e":1e+300,"s":"1e99999"}`;
    const value = parseJson(text) as Record<string, unknown>;
    expect(storedJson(value)).toBe(text);
    expect(JSON.stringify(withStorableNumbers(value))).toBe(text);
  });

  test("has a number with a vast exponent as a string", () => {
    const value = parseJson(`[1e-20000,1E999999,${nines(20)}]`);
    expect(storedJson(value)).toBe(`["1e-20000","1E999999",${nines(20)}]`);
  });

  test("replaces what the server database refuses in texts and keys", () => {
    expect(storedJson({ "a\0": ["\ud800"] })).toBe('{"a\ufffd":["\ufffd"]}');
  });
});
