import type { Issue } from "@svc/client";
import { describe, expect, test } from "vitest";
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

describe("the tasks of an issue", () => {
  test("are the failed ones with its type of error", () => {
    expect(tasksOfIssue(issue({}))).toEqual({ state: "failure", q: 'error:"PaymentError"' });
  });

  test("are those of its name where the type cannot be asked for", () => {
    const byName = { state: "failure", name: "billing.charge" };
    expect(tasksOfIssue(issue({ sample_exception: 'bad "quote": x' }))).toEqual(byName);
    expect(tasksOfIssue(issue({ sample_exception: null }))).toEqual(byName);
    expect(tasksOfIssue(issue({ sample_exception: " ", sample_task_name: null }))).toEqual({ state: "failure" });
  });
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
