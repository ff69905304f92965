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
  test("changes rows where they stand, adds new ones at the end and takes removed ones out", () => {
    const before = loaded([{ id: "a", depth: 1, note: "kept" }, { id: "b" }], [{ id: "c" }]);
    const after = patchPages<Row, null>(before, { rows: [{ id: "a", depth: 2 }, { id: "d" }], removed: ["b"] });
    expect(after.pages.map((page) => page.items)).toEqual([
      [{ id: "a", depth: 2, note: "kept" }],
      [{ id: "c" }, { id: "d" }],
    ]);
  });

  test("keeps rows that did not change as they are", () => {
    const before = loaded([{ id: "a" }, { id: "b" }]);
    const after = patchPages<Row, null>(before, { rows: [{ id: "b", depth: 1 }] });
    expect(after.pages[0]?.items[0]).toBe(before.pages[0]?.items[0]);
  });
});

test("rowsOf shows a row once that was pushed before its page came", () => {
  expect(rowsOf(loaded([{ id: "a" }, { id: "z", depth: 1 }], [{ id: "z", depth: 1 }])).map(({ id }) => id)).toEqual([
    "a",
    "z",
  ]);
});
