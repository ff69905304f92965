import { expect, test } from "vitest";
import { carriedFilter } from "./creating/carried-filter.ts";
import { listSearch } from "./list-search.ts";

test("the list has the same filter as the bulk retry", () => {
  const filter = {
    state: "failure",
    engine: "my engine",
    queue: "emails",
    search: "Acme",
    priority: ["high", "low"],
    since: "2026-05-20T08:00:00.000Z",
  } as const;
  const search = listSearch({ filter: { ...filter, priority: [...filter.priority] }, named_tasks: null });
  expect(search).toMatchObject({ state: "failure", q: 'engine:"my engine"', priority: "high,low" });
  expect(carriedFilter(search ?? {}).filter).toEqual(filter);
});

test("a list of task ids gives no filter", () => {
  expect(listSearch({ filter: { state: "failure", engine: "bullmq" }, named_tasks: 3 })).toBeNull();
});
