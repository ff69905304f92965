import { expect, test } from "vitest";
import { maximumChange, readChange, stepped } from "./pool-change.ts";

test.each([
  ["3", 3],
  [" -2 ", -2],
  ["+4", 4],
  ["", 0],
  ["many", 0],
  ["1.5", 0],
])("%o is a change of %d", (text, change) => {
  expect(readChange(text)).toBe(change);
});

test("steps skip 0, which would change nothing", () => {
  expect(stepped(1, -1, 4)).toBe(-1);
  expect(stepped(-1, 1, 4)).toBe(1);
  expect(stepped(0, 1, 4)).toBe(1);
});

test("steps end at an empty pool and at the maximum change", () => {
  expect(stepped(-3, -1, 4)).toBe(-4);
  expect(stepped(-4, -1, 4)).toBeNull();
  expect(stepped(maximumChange, 1, 4)).toBeNull();
  expect(stepped(-4, -1, null)).toBe(-5);
  expect(stepped(-maximumChange, -1, null)).toBeNull();
});
