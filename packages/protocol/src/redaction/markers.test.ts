import { expect, test } from "vitest";
import { cutText } from "./cut.ts";
import {
  cutNote,
  findCutNote,
  isIncompleteText,
  omittedMembersNote,
  omittedTextNote,
  redactionMarker,
} from "./markers.ts";

test.each([
  redactionMarker,
  cutText("x".repeat(9_000), 8_192),
  cutNote(Number.MAX_SAFE_INTEGER),
  omittedMembersNote(3),
  omittedTextNote(2_000_000),
])("%s is a marker", (text) => {
  expect(isIncompleteText(text)).toBe(true);
});

test.each([
  "",
  "see [REDACTED]",
  "[...5 more bytes truncated] and then more",
  "5 more bytes truncated]",
  "log: [3 more not reported]",
  "[x characters not reported]",
])("%j is not a marker", (text) => {
  expect(isIncompleteText(text)).toBe(false);
});

test("a cut text says how much is missing", () => {
  expect(findCutNote(cutText("é".repeat(10), 8))).toEqual({ note: "[...12 more bytes truncated]", bytes: 12 });
  expect(findCutNote("whole")).toBeNull();
});
