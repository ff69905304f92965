import { expect, test } from "vitest";
import { factsOf, jsonText, printable, tableOf } from "./printed.ts";

test("escapes control characters except line breaks and tabs", () => {
  expect(printable("a\u001b[31m\u0007\u009b2J\u202ered\r\tb\nc")).toBe(
    "a\\u001b[31m\\u0007\\u009b2J\\u202ered\\u000d\tb\nc",
  );
  const value = { text: "\u001b\u0085\u202e\u007f" };
  expect(jsonText(value)).toBe('{"text":"\\u001b\\u0085\\u202e\\u007f"}');
  expect(JSON.parse(jsonText(value))).toEqual(value);
});

test("a table has aligned columns, one line per row and a dash for missing values", () => {
  const rows = [
    { id: "1", text: "two\nlines" },
    { id: "long-one", text: null },
  ];
  expect(tableOf(rows, { id: ({ id }) => id, text: ({ text }) => text, last: () => "" })).toEqual([
    "ID        TEXT       LAST",
    "1         two lines  -",
    "long-one  -          -",
  ]);
});

test("facts leave out empty values and indent further lines", () => {
  expect(factsOf({ a: null, id: "x", args: [], trace: "first\nsecond", n: 0, flag: false })).toEqual([
    "id     x",
    "trace  first\n       second",
    "n      0",
    "flag   false",
  ]);
});
