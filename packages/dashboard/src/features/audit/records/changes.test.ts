import { describe, expect, test } from "vitest";
import { changesIn } from "./changes.ts";

describe("what changed", () => {
  test("is the difference of before and after, and the rest is metadata", () => {
    const summary = changesIn({
      before: { role: "viewer", limits: [1], name: "a" },
      after: { role: "admin", limits: [1], note: "b" },
      reason: "requested",
    });
    expect(summary).toEqual({
      changes: [
        { name: "role", before: "viewer", after: "admin" },
        { name: "name", before: "a" },
        { name: "note", after: "b" },
      ],
      unchanged: 1,
      rest: { reason: "requested" },
    });
  });

  test("is a value next to its previous one", () => {
    expect(changesIn({ role: "admin", previous_role: "viewer", user_id: "u" })).toEqual({
      changes: [{ name: "role", before: "viewer", after: "admin" }],
      unchanged: 0,
      rest: { user_id: "u" },
    });
  });

  test.each([
    ["before alone", { before: { a: 1 } }],
    ["sides that are not objects", { before: "2026-01-01", after: null }],
    ["a previous value without a current one", { previous_role: "viewer" }],
  ])("is empty for %s", (_, metadata) => {
    expect(changesIn(metadata)).toEqual({ changes: [], unchanged: 0, rest: metadata });
  });
});
