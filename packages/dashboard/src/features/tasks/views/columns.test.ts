import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type ColumnId,
  type ColumnLayout,
  columnFacts,
  columnIds,
  defaultLayout,
  layoutText,
  moved,
  readLayout,
  resized,
  toggled,
  tracksOf,
  widthOf,
} from "./columns.ts";

type Change = (layout: ColumnLayout) => ColumnLayout;
const column = fc.constantFrom<ColumnId>(...columnIds);
const change: fc.Arbitrary<Change> = fc.oneof(
  column.map(
    (id): Change =>
      (layout) =>
        toggled(layout, id),
  ),
  fc.tuple(column, fc.integer()).map(
    ([id, to]): Change =>
      (layout) =>
        moved(layout, id, to),
  ),
  fc.tuple(column, fc.double({ noNaN: true })).map(
    ([id, width]): Change =>
      (layout) =>
        resized(layout, id, width),
  ),
);

describe("a layout of columns", () => {
  test("always has distinct columns, includes the name, and respects minimum widths", () => {
    fc.assert(
      fc.property(fc.array(change), (changes) => {
        const layout = changes.reduce((now, one) => one(now), defaultLayout(false));
        expect(new Set(layout.shown).size).toBe(layout.shown.length);
        expect(layout.shown).toContain("name");
        for (const id of layout.shown) {
          expect(widthOf(layout, id)).toBeGreaterThanOrEqual(columnFacts[id].leastRem);
          expect(widthOf(layout, id)).toBeLessThanOrEqual(40);
        }
        expect(readLayout(layoutText(layout))).toEqual(layout);
      }),
    );
  });

  test("moves a column and keeps the order of the others", () => {
    const layout: ColumnLayout = { shown: ["state", "name", "queue", "age"], widthsRem: {} };
    expect(moved(layout, "age", 1).shown).toEqual(["state", "age", "name", "queue"]);
    expect(moved(layout, "state", 99).shown).toEqual(["name", "queue", "age", "state"]);
    expect(moved(layout, "tags", 0)).toBe(layout);
  });

  test("gives the name column the remaining width", () => {
    const { columns, leastWidth } = tracksOf({ shown: ["state", "name"], widthsRem: { state: 7 } });
    expect(columns).toBe("calc(var(--gutter) + 1.75rem) 7rem minmax(12rem, 1fr)");
    expect(leastWidth).toBe("calc(2 * var(--gutter) + 22.25rem)");
  });
});

describe("a stored layout", () => {
  test.each([null, "", "null", "[]", "{}", '{"shown":"age"}', "{"])("%j is invalid", (text) => {
    expect(readLayout(text)).toBeNull();
  });

  test("drops unknown columns, duplicates and invalid widths", () => {
    const text = '{"shown":["age","moon","age"],"widths":{"age":1,"moon":3,"name":"wide","queue":1e9}}';
    expect(readLayout(text)).toEqual({ shown: ["name", "age"], widthsRem: { age: 4.5, queue: 40 } });
  });
});
