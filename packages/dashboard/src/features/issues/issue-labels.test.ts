import type { Issue } from "@svc/client";
import { parseTaskQuery } from "@svc/client/task-query";
import { expect, test } from "vitest";
import { tagOf, tasksOfIssue, titleOf } from "./issue-labels.ts";

const issue = (facts: Partial<Issue>): Issue => ({
  fingerprint: "f",
  error_class: "PaymentError",
  template: "upstream <n>",
  status: "ongoing",
  occurrences: 1,
  open_count: 1,
  recovered_count: 0,
  is_capped: false,
  first_seen: "2026-11-20T10:00:00.000Z",
  last_seen: "2026-11-20T12:00:00.000Z",
  engine_count: 1,
  engines: ["bullmq"],
  sample_exception: "PaymentError: upstream 503\n    at post",
  sample_task_name: "billing.charge",
  ...facts,
});

test.each([
  ["PaymentError", "upstream <n>", { type: "PaymentError", message: "upstream <n>" }],
  ["PaymentError", null, { type: "PaymentError", message: "" }],
  [null, "killed", { type: "killed", message: "" }],
  [null, null, { type: "No error message", message: "" }],
])("the title of class %j and template %j is %j", (error_class, template, title) => {
  expect(titleOf({ error_class, template })).toEqual(title);
});

test("the tasks of an issue are the failed ones with its fingerprint, regardless of their error", () => {
  const fingerprint = "5f0c3a97e1b24d688b1e2f7a90c4d3e6";
  for (const sample_exception of ["PaymentError: upstream 503", 'bad "quote": x', null]) {
    const { q = "", ...others } = tasksOfIssue(issue({ fingerprint, sample_exception }));
    expect(others).toEqual({ state: "failure" });
    const tests = [{ kind: "is", text: fingerprint }];
    expect(parseTaskQuery(q)).toMatchObject({ query: [{ field: "fingerprint", isNegated: false, tests }], faults: [] });
  }
});

test("an issue is new in the range of its first failure, unless it recovered", () => {
  const first = Date.parse("2026-11-20T10:00:00.000Z");
  expect(tagOf(issue({}), first)).toBe("new");
  expect(tagOf(issue({}), first + 1)).toBeNull();
  expect(tagOf(issue({ status: "recovered" }), first)).toBe("recovered");
});
