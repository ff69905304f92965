import { expect, test } from "vitest";
import { plural } from "./plural.ts";

test("prints the singular for one, the plural for every other count, and groups digits", () => {
  expect(plural(1, "task")).toBe("1 task");
  expect(plural(0, "task")).toBe("0 tasks");
  expect(plural(2400, "entry", "entries")).toBe("2,400 entries");
});
