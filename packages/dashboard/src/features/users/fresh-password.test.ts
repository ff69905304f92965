import { expect, test } from "vitest";
import { freshPassword } from "./fresh-password.ts";

test("a generated password is long, legible and random", () => {
  const made = Array.from({ length: 200 }, () => freshPassword());
  expect(new Set(made).size).toBe(200);
  expect(made.every((one) => /^[a-zA-Z2-9]{20}$/.test(one) && !/[loIO]/.test(one))).toBe(true);
  expect(freshPassword(64)).toHaveLength(64);
});
