import { expect, test } from "vitest";
import { matchesWords } from "./list-filter.ts";

test("a filter matches when each of its words occurs in a text", () => {
  expect(matchesWords("MAIL bull", ["emails", "bullmq"])).toBe(true);
  expect(matchesWords("mail celery", ["emails", "bullmq", null])).toBe(false);
  expect(matchesWords("  ", [])).toBe(true);
});
