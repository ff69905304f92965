import { expect, test } from "vitest";
import { mostPlaces, readPlaces, stepped } from "./pool-places.ts";

test.each([
  ["3", 3],
  [" -2 ", -2],
  ["+4", 4],
  ["", 0],
  ["many", 0],
  ["1.5", 0],
])("%o is %d places", (text, places) => {
  expect(readPlaces(text)).toBe(places);
});

test("steps go over 0, which would ask for nothing", () => {
  expect(stepped(1, -1, 4)).toBe(-1);
  expect(stepped(-1, 1, 4)).toBe(1);
  expect(stepped(0, 1, 4)).toBe(1);
});

test("steps end where a pool has no place left, and at the most that is asked for at a time", () => {
  expect(stepped(-3, -1, 4)).toBe(-4);
  expect(stepped(-4, -1, 4)).toBeNull();
  expect(stepped(mostPlaces, 1, 4)).toBeNull();
  expect(stepped(-4, -1, null)).toBe(-5);
  expect(stepped(-mostPlaces, -1, null)).toBeNull();
});
