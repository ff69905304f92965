import { describe, expect, test } from "vitest";
import { taskRow } from "../../../../test/traffic/task-rows.ts";
import { cellFilter } from "./cell-filter.ts";

const row = taskRow({ name: "billing.charge", queue: "billing" });

describe("a filter by a cell", () => {
  test("of a name leaves out tasks that only have it in theirs", () => {
    expect(cellFilter("name", row, {})).toEqual({
      words: "Show only tasks named billing.charge",
      patch: { q: "name:billing.charge" },
    });
  });

  test("is added to the search there is", () => {
    expect(cellFilter("name", row, { q: "tag:vip" })?.patch).toEqual({ q: "tag:vip name:billing.charge" });
    expect(cellFilter("queue", row, { q: "tag:vip" })?.patch).toEqual({ queue: "billing" });
  });
});
