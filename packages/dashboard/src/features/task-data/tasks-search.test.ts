import { describe, expect, test } from "vitest";
import { droppedParams } from "../../address/page-search.ts";
import { parseSearch, stringifySearch } from "../../address/search-text.ts";
import { activeFilters, filtersOf, readTasksSearch } from "./tasks-search.ts";

describe("the URL of the task list", () => {
  test("keeps what it understands and drops the rest", () => {
    const raw = parseSearch("?state=failure&priority=low,critical&queue=emails&since=-6h&colour=red&task=bullmq/a/b");
    expect(readTasksSearch(raw)).toEqual({
      state: "failure",
      priority: "critical,low",
      queue: "emails",
      since: "-6h",
      task: "bullmq/a/b",
    });
    expect(droppedParams(raw, readTasksSearch)).toEqual(["colour"]);
  });

  test("names each invalid value", () => {
    const raw = {
      state: "broken",
      priority: "urgent",
      since: "yesterday",
      until: "2026-13-40",
      queue: "x".repeat(201),
    };
    expect(readTasksSearch(raw)).toEqual({});
    expect(droppedParams(raw, readTasksSearch)).toEqual(["state", "priority", "since", "until", "queue"]);
  });

  test("survives a round trip through a URL", () => {
    const search = readTasksSearch({ name: "a&b=c", search: "50% + more", since: "2020-11-20T10:00:00Z" });
    expect(readTasksSearch(parseSearch(stringifySearch({ ...search })))).toEqual(search);
  });

  test("stays readable", () => {
    expect(stringifySearch({ priority: "high,critical", since: "2026-11-20T10:00:00Z" })).toBe(
      "?priority=high,critical&since=2026-11-20T10:00:00Z",
    );
  });
});

describe("filtersOf", () => {
  const now = Date.parse("2026-11-20T12:00:00Z");

  test("turns ages into timestamps, so that all pages share the same bounds", () => {
    expect(filtersOf({ since: "-90m", until: "-1h" }, now)).toEqual({
      since: "2026-11-20T10:30:00.000Z",
      until: "2026-11-20T11:00:00.000Z",
    });
  });

  test("leaves the drawer out", () => {
    const search = { state: "retry", task: "bullmq/1", tab: "events" } as const;
    expect(filtersOf(search, now)).toEqual({ state: "retry" });
    expect(activeFilters(search)).toEqual(["state"]);
  });
});
