import { expect, test } from "vitest";
import { timeLeft } from "./enrollment-left.ts";

const hourMs = 3_600_000;

test.each([
  [7 * 24 * hourMs, "7 days left."],
  [7 * 24 * hourMs - 1, "6 days left."],
  [24 * hourMs, "1 day left."],
  [24 * hourMs - 1, "23 hours left."],
  [hourMs, "1 hour left."],
  [hourMs - 1, "Less than an hour left."],
  [-5, "Less than an hour left."],
])("%i ms before the deadline: %o", (ms, text) => {
  expect(timeLeft(ms)).toBe(text);
});
