import { cutNote, omittedMembersNote, omittedTextNote } from "@svc/protocol/markers";
import { describe, expect, test } from "vitest";
import { hasMarker, readArgs, readKwargs } from "./json-inputs.ts";

describe("typed inputs", () => {
  test("are read as a list and an object, with their exact numbers", () => {
    expect(readArgs("[1, {}]")).toMatchObject({ value: [1, {}], error: null });
    expect(JSON.stringify(readArgs("[12345678901234567890]").value)).toBe("[12345678901234567890]");
    expect(readKwargs('{"a": null}')).toMatchObject({ value: { a: null }, error: null });
  });

  test.each([
    ["", "Required"],
    ["[1,", "Not valid JSON"],
    ["{}", "Must be a list"],
    ["null", "Must be a list"],
    ['["[REDACTED]"]', "Enter the real value"],
    ['[{"deep": [{"[REDACTED]": 1}]}]', "Enter the real value"],
    [`["${"ä".repeat(32_768)}"]`, "Must be 64 KB or less"],
  ])("the list %j is refused", (text, message) => {
    const { value, error } = readArgs(text);
    expect(value).toBeNull();
    expect(error).toContain(message);
  });

  test.each([
    ["[]", "Must be an object"],
    ["null", "Must be an object"],
    ['{"__svc_priority": 1}', "Names can't start with __svc_"],
    ['{"token": "[REDACTED]"}', "Enter the real value"],
  ])("the object %j is refused", (text, message) => {
    expect(readKwargs(text).error).toContain(message);
  });

  test("may have up to 64 KB", () => {
    expect(readArgs(`["${"x".repeat(65_532)}"]`).error).toBeNull();
  });

  test.each([
    `[{"body": "Dear ... ${cutNote(61_808)}"}]`,
    `[{"k${cutNote(3)}": 1}]`,
    `[{"to": [1, 2, "${omittedMembersNote(49_998)}"]}]`,
    `[{"a": 1, "...": "${omittedMembersNote(1)}"}]`,
    `["${omittedTextNote(2_000_000)}"]`,
  ])("%s is refused with its marker", (text) => {
    const { value, error, isMarked } = readArgs(text);
    expect(value).toBeNull();
    expect(error).toMatch(/^Still contains \[.* (truncated|not reported)\]. Enter the real value$/);
    expect(isMarked).toBe(true);
    expect(hasMarker(JSON.parse(text))).toBe(true);
  });

  test("a text that only mentions a marker is not redacted", () => {
    expect(hasMarker(["the word [REDACTED] is here", "[3 more not reported] it says", cutNote(3).concat(".")])).toBe(
      false,
    );
  });
});
