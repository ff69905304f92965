import { describe, expect, test } from "vitest";
import { age, bytes, duration, idTail, nameText, percent, printable, printableLines, shortCount } from "./format.ts";

describe("duration", () => {
  test.each([
    [0, "0 ms"],
    [999, "999 ms"],
    [1000, "1.0 s"],
    [59_990, "59.9 s"],
    [60_000, "1 min"],
    [73_000, "1 min 13 s"],
    [3_600_000, "1 h"],
    [7_500_000, "2 h 5 min"],
    [273_600_000, "3 d 4 h"],
  ])("%i ms is %s", (ms, text) => {
    expect(duration(ms)).toBe(text);
  });
});

test("age has no tenths, which would flicker", () => {
  expect(age(3_900)).toBe("3 s");
  expect(age(-50)).toBe("0 s");
});

describe("percent", () => {
  test("is never 0 % with a failure, nor 100 % with a success", () => {
    expect(percent(0.0001)).toBe("<0.1 %");
    expect(percent(0.9999)).toBe(">99.9 %");
    expect(percent(0)).toBe("0 %");
    expect(percent(0.0038)).toBe("0.4 %");
    expect(percent(0.31)).toBe("31 %");
  });
});

test("shortCount truncates instead of rounding up", () => {
  expect(shortCount(9_999)).toBe("9,999");
  expect(shortCount(12_490)).toBe("12.4k");
  expect(shortCount(999_999)).toBe("999k");
  expect(shortCount(1_960_000)).toBe("1.9M");
});

test("bytes name their unit", () => {
  expect([bytes(12), bytes(1536), bytes(3 << 20)]).toEqual(["12 B", "1.5 KB", "3.0 MB"]);
});

describe("printable", () => {
  test("shows characters that reorder or hide text", () => {
    expect(printable("safe\u202Egpj.exe")).toBe("safe\\u202egpj.exe");
    expect(printable("a\u0000b\u200bc")).toBe("a\\u0000b\\u200bc");
  });

  test("keeps text of every script", () => {
    expect(printable("naročilo 注文 🙂")).toBe("naročilo 注文 🙂");
  });

  test("keeps the lines and tabs of a traceback", () => {
    expect(printableLines("a\r\n\tat b\u202E")).toBe("a\n\tat b\\u202e");
  });
});

test.each([
  ["9f31c0d2-6b1e-4a57-9d80-2f7a55e0c4b1", "55e0c4b1"],
  ["42", "42"],
  ["payments:649", "649"],
  ["webhook-log:225", "225"],
  ["emails:9f31c0d2-6b1e-4a57-9d80-2f7a55e0c4b1", "55e0c4b1"],
  ["repeat:7d1f:1732624500", "1732624500"],
  ["ends:", "ends:"],
  ["ends-with-a-colon:", "a-colon:"],
  ["order-🙂🙂🙂🙂🙂🙂🙂🙂🙂", "🙂🙂🙂🙂🙂🙂🙂🙂"],
  ["queue:a\u202Eb", "a\\u202eb"],
])("idTail of %s: %s", (id, tail) => {
  expect(idTail(id)).toBe(tail);
});

test("nameText always has visible text", () => {
  expect([nameText(""), nameText(" \t"), nameText("a\u202Eb")]).toEqual(["(no name)", "(no name)", "a\\u202eb"]);
});
