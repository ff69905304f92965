import { expect, test } from "vitest";
import { droppedParams, longestFilter, rangeKeys, readFilter, searchOf } from "./page-search.ts";
import { parseSearch } from "./search-text.ts";

const queues = searchOf([...rangeKeys, "filter"]);

test("a page reads the parameters it knows, and reports the others", () => {
  const raw = parseSearch("?filter=mail&since=-6h&until=&colour=red");
  expect(queues(raw)).toEqual({ filter: "mail", since: "-6h" });
  expect(droppedParams(raw, queues)).toEqual(["colour"]);
  expect(searchOf([])(raw)).toEqual({});
  expect(droppedParams(raw, searchOf([]))).toEqual(["filter", "since", "colour"]);
});

test("invalid values are dropped", () => {
  const raw = { filter: "x".repeat(longestFilter + 1), since: "yesterday", until: "-1h" };
  expect(queues(raw)).toEqual({ until: "-1h" });
  expect(droppedParams(raw, queues)).toEqual(["filter", "since"]);
  expect(readFilter(raw)).toBe("");
  expect(readFilter({ filter: 5 })).toBe("");
});
