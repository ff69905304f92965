import { describe, expect, test } from "vitest";
import { taskRow } from "../../../../test/traffic/task-rows.ts";
import { cellFilter } from "./cell-filter.ts";

const row = taskRow({ name: "billing.charge", queue: "billing" });

describe("a cell filter", () => {
  test("by name matches the exact name only", () => {
    expect(cellFilter("name", row, {})).toEqual({
      label: "Show only tasks named billing.charge",
      patch: { q: "name:billing.charge" },
    });
  });

  test("is added to the existing search", () => {
    expect(cellFilter("name", row, { q: "tag:vip" })?.patch).toEqual({ q: "tag:vip name:billing.charge" });
    expect(cellFilter("queue", row, { q: "tag:vip" })?.patch).toEqual({ queue: "billing" });
  });
});
