import { cutNote, omittedMembersNote, omittedTextNote } from "@svc/protocol/markers";
import { describe, expect, test } from "vitest";
import { hasMarker, readArgs, readKwargs } from "./override-text.ts";

describe("the inputs of a retry", () => {
  test("are read as a list and an object, with their exact numbers", () => {
    expect(readArgs("[1, {}]")).toMatchObject({ value: [1, {}], fault: null });
    expect(JSON.stringify(readArgs("[12345678901234567890]").value)).toBe("[12345678901234567890]");
    expect(readKwargs('{"a": null}')).toMatchObject({ value: { a: null }, fault: null });
  });

  test.each([
    ["", "Is needed"],
    ["[1,", "Is not JSON"],
    ["{}", "Must be a list"],
    ["null", "Must be a list"],
    ['["[REDACTED]"]', "put the real value there"],
    ['[{"deep": [{"[REDACTED]": 1}]}]', "put the real value there"],
    [`["${"ä".repeat(32_768)}"]`, "longer than 64 KB"],
  ])("the list %j is refused", (text, words) => {
    const { value, fault } = readArgs(text);
    expect(value).toBeNull();
    expect(fault).toContain(words);
  });

  test.each([
    ["[]", "Must be an object"],
    ["null", "Must be an object"],
    ['{"__svc_priority": 1}', "No name may begin with __svc_"],
    ['{"token": "[REDACTED]"}', "put the real value there"],
  ])("the object %j is refused", (text, words) => {
    expect(readKwargs(text).fault).toContain(words);
  });

  test("as long as 64 KB are taken", () => {
    expect(readArgs(`["${"x".repeat(65_532)}"]`).fault).toBeNull();
  });

  test.each([
    `[{"body": "Dear ... ${cutNote(61_808)}"}]`,
    `[{"k${cutNote(3)}": 1}]`,
    `[{"to": [1, 2, "${omittedMembersNote(49_998)}"]}]`,
    `[{"a": 1, "...": "${omittedMembersNote(1)}"}]`,
    `["${omittedTextNote(2_000_000)}"]`,
  ])("%s is refused, and says what is missing", (text) => {
    const { value, fault, isMarked } = readArgs(text);
    expect(value).toBeNull();
    expect(fault).toMatch(/^Still holds \[.* (truncated|not reported)\]: put the real value there$/);
    expect(isMarked).toBe(true);
    expect(hasMarker(JSON.parse(text))).toBe(true);
  });

  test("a text that only mentions the marker is no redacted value", () => {
    expect(
      hasMarker(["the word [REDACTED] stands here", "[3 more not reported] it says", cutNote(3).concat(".")]),
    ).toBe(false);
  });
});
