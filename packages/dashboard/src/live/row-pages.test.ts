import { describe, expect, test } from "vitest";
import { patchPages, rowsOf } from "./row-pages.ts";

interface Row {
  id: string;
  depth?: number;
  note?: string;
}

const loaded = (...pages: Row[][]) => ({
  pages: pages.map((items) => ({ items, next_cursor: null })),
  pageParams: pages.map(() => null),
});

describe("patchPages", () => {
  test("updates rows in place, appends new ones and drops removed ones", () => {
    const before = loaded([{ id: "a", depth: 1, note: "kept" }, { id: "b" }], [{ id: "c" }]);
    const after = patchPages<Row, null>(before, { rows: [{ id: "a", depth: 2 }, { id: "d" }], removed: ["b"] });
    expect(after.pages.map((page) => page.items)).toEqual([
      [{ id: "a", depth: 2, note: "kept" }],
      [{ id: "c" }, { id: "d" }],
    ]);
  });

  test("keeps unchanged rows", () => {
    const before = loaded([{ id: "a" }, { id: "b" }]);
    const after = patchPages<Row, null>(before, { rows: [{ id: "b", depth: 1 }] });
    expect(after.pages[0]?.items[0]).toBe(before.pages[0]?.items[0]);
  });
});

test("rowsOf lists a row once that was pushed before its page loaded", () => {
  expect(rowsOf(loaded([{ id: "a" }, { id: "z", depth: 1 }], [{ id: "z", depth: 1 }])).map(({ id }) => id)).toEqual([
    "a",
    "z",
  ]);
});
