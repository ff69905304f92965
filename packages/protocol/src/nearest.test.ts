import { describe, expect, test } from "vitest";
import { nearest } from "./nearest.ts";

const known = ["serve", "demo", "agent", "changepassword", "reset-mfa", "check", "doctor", "config"];

describe("nearest", () => {
  test.each([
    ["sevre", "serve"],
    ["doctr", "doctor"],
    ["chekc", "check"],
    ["changepasword", "changepassword"],
    ["change-password", "changepassword"],
    ["resetmfa", "reset-mfa"],
    ["conf", "config"],
    ["demoo", "demo"],
  ])("finds for %s the word %s", (typed, word) => {
    expect(nearest(typed, known)).toBe(word);
  });

  test.each(["", "x", "migrate", "users", "zzzzzz"])("suggests nothing for %j, which is close to none", (typed) => {
    expect(nearest(typed, known)).toBeNull();
  });
});
