import { expect, test } from "vitest";
import { fireStyle, isUnresolved } from "./fire-status.ts";

test.each([
  ["done", ["acked_success", "terminal_completed"]],
  ["failed", ["failed", "acked_failed", "terminal_failed", "terminal_timeout"]],
  ["in flight", ["pending", "accepted", "delivered"]],
  ["buffered", ["buffered", "buffer_stale", "buffer_expired"]],
  ["skipped", ["operator_skipped", "terminal_cancelled"]],
])("the group %s contains %j", (group, statuses) => {
  expect(statuses.map((status) => fireStyle(status).group)).toEqual(statuses.map(() => group));
});

test("the three buffer states differ by their mark", () => {
  const marks = ["buffered", "buffer_stale", "buffer_expired"].map((status) => fireStyle(status).mark);
  expect(new Set(marks).size).toBe(3);
});

test("an unknown status keeps its name", () => {
  expect(fireStyle("parked")).toEqual({ group: "in flight", label: "parked", mark: "arrow" });
});

test("an operator may resolve a fire without an outcome, or one that timed out", () => {
  const statuses = ["pending", "accepted", "delivered", "buffered", "terminal_timeout"];
  expect(statuses.filter(isUnresolved)).toEqual(statuses);
  const final = ["acked_success", "acked_failed", "failed", "buffer_stale", "buffer_expired", "operator_skipped"];
  expect(final.filter(isUnresolved)).toEqual([]);
  expect(["terminal_completed", "terminal_failed", "terminal_cancelled"].filter(isUnresolved)).toEqual([]);
});
