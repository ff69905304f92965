import { describe, expect, test } from "vitest";
import { passwordRules, shippedPolicy } from "./password-rules.ts";

const met = (password: string) => passwordRules(password, shippedPolicy, false).map(({ isMet }) => isMet);

describe("the rules of a password", () => {
  test.each([
    ["", [false, false, null]],
    ["Short-71", [false, true, null]],
    ["twelve chars", [true, false, null]],
    ["Twelve chars", [true, true, null]],
    ["sixteen symbols.", [true, true, null]],
    ["ÄÖÜäöü123456", [true, true, null]],
    ["🐦🐦🐦🐦🐦🐦", [false, false, null]],
  ])("give the same result as the server: %o", (password, expected) => {
    expect(met(password)).toEqual(expected);
  });

  test("show the maximum length only once it is exceeded", () => {
    expect(met("a".repeat(256))).toHaveLength(3);
    expect(passwordRules("a".repeat(257), shippedPolicy, false).at(-1)).toEqual({
      text: "256 characters or fewer",
      isMet: false,
    });
  });

  test("are those of the server", () => {
    const rules = passwordRules("", { ...shippedPolicy, min_length: 20, required_character_classes: 4 }, false);
    expect(rules.map(({ text }) => text).slice(0, 2)).toEqual([
      "At least 20 characters",
      "Four of lowercase, uppercase, digit, symbol; or 16 characters",
    ]);
  });

  test("say that they may differ where the server has not reported them", () => {
    expect(passwordRules("", shippedPolicy, true)[0]?.text).toContain("unless this server requires more or fewer");
  });
});
