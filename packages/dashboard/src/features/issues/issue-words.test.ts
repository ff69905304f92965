import type { Issue } from "@svc/client";
import { parseTaskQuery } from "@svc/client/task-query";
import { expect, test } from "vitest";
import { byOccurrences, splitError, tagOf, tasksOfIssue } from "./issue-words.ts";

const issue = (facts: Partial<Issue>): Issue => ({
  fingerprint: "f",
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
  error_class: null,
  template: null,
  ...facts,
});

test("an error is its type and the rest of its first line", () => {
  expect(splitError("PaymentError: upstream 503: gone\n at post")).toEqual({
    type: "PaymentError",
    message: "upstream 503: gone",
  });
  expect(splitError("killed")).toEqual({ type: "killed", message: "" });
  expect(splitError(" \n")).toEqual({ type: "No error text", message: "" });
});

test("the tasks of an issue are the failed ones with its fingerprint, whatever their error says", () => {
  const fingerprint = "5f0c3a97e1b24d688b1e2f7a90c4d3e6";
  for (const sample_exception of ["PaymentError: upstream 503", 'bad "quote": x', null]) {
    const { q = "", ...others } = tasksOfIssue(issue({ fingerprint, sample_exception }));
    expect(others).toEqual({ state: "failure" });
    const tests = [{ kind: "is", text: fingerprint }];
    expect(parseTaskQuery(q)).toMatchObject({ query: [{ field: "fingerprint", isNegated: false, tests }], faults: [] });
  }
});

test("issues stand by how often they occurred, then by how new they are", () => {
  const issues = [
    issue({ fingerprint: "old", occurrences: 2, last_seen: "2026-11-20T09:00:00.000Z" }),
    issue({ fingerprint: "new", occurrences: 2 }),
    issue({ fingerprint: "most", occurrences: 9 }),
  ];
  expect(byOccurrences(issues).map(({ fingerprint }) => fingerprint)).toEqual(["most", "new", "old"]);
});

test("an issue is new in a range that holds its first failure, unless it has recovered", () => {
  const first = Date.parse("2026-11-20T10:00:00.000Z");
  expect(tagOf(issue({}), first)).toBe("new");
  expect(tagOf(issue({}), first + 1)).toBeNull();
  expect(tagOf(issue({ status: "recovered" }), first)).toBe("recovered");
});
