import type { TaskFilters } from "@svc/client";
import { expect, test } from "vitest";
import { carriedFilter } from "./carried-filter.ts";

test("a filter that a bulk retry supports is passed unchanged", () => {
  const filters: TaskFilters = {
    state: "failure",
    queue: "emails",
    name: "billing.",
    search: "Acme",
    priority: "critical,low",
    since: "2026-05-20T08:00:00.000Z",
    until: "2026-05-20T09:00:00.000Z",
  };
  expect(carriedFilter(filters)).toEqual({ filter: { ...filters, priority: ["critical", "low"] }, error: null });
});

test.each<[string, TaskFilters, object]>([
  ["an engine", { state: "failure", q: "engine:bullmq" }, { state: "failure", engine: "bullmq" }],
  ["an engine in quotes", { state: "failure", q: 'engine:"my engine"' }, { state: "failure", engine: "my engine" }],
  ["engine and state", { q: "engine:celery state:revoked" }, { state: "revoked", engine: "celery" }],
  ["the same state twice", { state: "failure", q: "state:failure" }, { state: "failure" }],
])("%s in a search is passed as a filter", (_what, filters, filter) => {
  expect(carriedFilter(filters)).toEqual({ filter, error: null });
});

test.each<[string, TaskFilters, string]>([
  ["a worker", { state: "failure", worker: "mailer 1" }, 'worker:"mailer 1"'],
  ["an error", { state: "failure", q: 'error:"timed out"' }, 'error:"timed out"'],
  [
    "a value in the arguments",
    { state: "failure", q: "engine:bullmq args.customer:42" },
    "engine:bullmq args.customer:42",
  ],
  ["a negation", { state: "failure", q: "-engine:bullmq" }, "-engine:bullmq"],
  ["two engines", { state: "failure", q: "engine:a,b" }, "engine:a,b"],
  ["an engine twice", { state: "failure", q: "engine:a engine:b" }, "engine:a engine:b"],
  ["a pattern", { state: "failure", q: "engine:bull*" }, "engine:bull*"],
  ["a state next to a term", { q: "state:failure tag:vip" }, "state:failure tag:vip"],
  ["a worker next to a term", { state: "failure", q: "tag:vip", worker: "w" }, "tag:vip worker:w"],
])("%s is passed as a query", (_what, filters, q) => {
  expect(carriedFilter(filters)).toEqual({ filter: { state: "failure", q }, error: null });
});

test.each<[string, TaskFilters, string]>([
  ["several states", { q: "state:failure,revoked" }, "choose a state first"],
  ["two states that differ", { state: "failure", q: "state:revoked" }, "can't use the search"],
  ["a search that is not understood", { state: "failure", q: "engine:" }, "can't use the search"],
  [
    "a long search",
    { state: "failure", q: `any:${"x".repeat(990)}`, worker: "mailer" },
    "a search of more than 1000 characters",
  ],
  ["a long name", { state: "failure", name: "x".repeat(201) }, "can't use a name of more than 200 characters"],
  ["a long text", { state: "failure", search: "x".repeat(201) }, "can't use a text of more than 200 characters"],
  ["any state", { queue: "emails" }, "choose a state first"],
  ["a state that is not final", { state: "started" }, "Tasks in state started have not finished yet"],
])("%s gives an error that names it", (_what, filters, error) => {
  const carried = carriedFilter(filters);
  expect(carried.filter).toBeNull();
  expect(carried.error).toContain(error);
});
