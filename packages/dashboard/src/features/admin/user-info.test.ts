import { describe, expect, test } from "vitest";
import { splitUserInfo } from "./user-info.ts";

const hidden = (value: string) => splitUserInfo(value).map(({ text, isUserInfo }) => (isUserInfo ? "*" : text));

describe("the credentials in a URL", () => {
  test.each([
    ["https://user:password@example.org/path", ["https://", "*", "@example.org/path"]],
    ["redis://:letmein@10.0.0.1:6379", ["redis://", "*", "@10.0.0.1:6379"]],
    ["smtp://user:pass/word@example.org", ["smtp://", "*", "@example.org"]],
    ["smtp://user:p@ss@example.org", ["smtp://", "*", "@example.org"]],
    ['["https://a:b@one.example","https://two.example"]', ['["https://', "*", '@one.example","https://two.example"]']],
    ["https://example.org/path?x=1", ["https://example.org/path?x=1"]],
    ["svc@example.org", ["svc@example.org"]],
    ["", []],
  ])("of %s are cut out", (value, parts) => {
    expect(hidden(value)).toEqual(parts);
    expect(
      splitUserInfo(value)
        .map(({ text }) => text)
        .join(""),
    ).toBe(value);
  });
});
