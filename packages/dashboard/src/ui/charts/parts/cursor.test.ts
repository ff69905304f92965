import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Cursor, cursorKey, cursorSpan } from "./cursor.ts";

const press = (cursor: Cursor | null, key: string, shiftKey = false) => cursorKey(cursor, { key, shiftKey }, 24);

describe("the cursor of a chart", () => {
  test("begins at the newest bucket", () => {
    expect(press(null, "ArrowLeft")).toEqual({ to: { at: 23, from: null } });
    expect(press(null, "Home")).toEqual({ to: { at: 0, from: null } });
  });

  test("walks by one, by ten and to the ends", () => {
    const cursor = { at: 12, from: null };
    const at = (key: string) => (press(cursor, key) as { to: Cursor }).to.at;
    expect(["ArrowLeft", "ArrowRight", "PageDown", "PageUp", "Home", "End"].map(at)).toEqual([11, 13, 2, 22, 0, 23]);
  });

  test("selects a range with Shift", () => {
    expect(press({ at: 12, from: null }, "ArrowLeft", true)).toEqual({ to: { at: 11, from: 12 } });
    expect(press({ at: 11, from: 12 }, "ArrowLeft", true)).toEqual({ to: { at: 10, from: 12 } });
    expect(cursorSpan({ at: 10, from: 12 })).toEqual({ first: 10, last: 12 });
  });

  test("Enter opens the bucket, or applies the selected range", () => {
    expect(press({ at: 3, from: null }, "Enter")).toEqual({ act: "open" });
    expect(press({ at: 3, from: 5 }, "Enter")).toEqual({ act: "range" });
    expect(press(null, "Enter")).toBeNull();
  });

  test("Esc clears the range, then the cursor", () => {
    expect(press({ at: 3, from: 5 }, "Escape")).toEqual({ to: { at: 3, from: null } });
    expect(press({ at: 3, from: null }, "Escape")).toEqual({ to: null });
    expect(press(null, "Escape")).toBeNull();
  });

  test("leaves every other key alone", () => {
    expect(press({ at: 3, from: null }, "t")).toBeNull();
  });

  test("never leaves the chart", () => {
    const keys = fc.array(
      fc.tuple(fc.constantFrom("ArrowLeft", "ArrowRight", "PageUp", "PageDown", "Home", "End"), fc.boolean()),
    );
    fc.assert(
      fc.property(keys, fc.integer({ min: 1, max: 200 }), (pressed, size) => {
        let cursor: Cursor | null = null;
        for (const [key, shiftKey] of pressed) {
          const move = cursorKey(cursor, { key, shiftKey }, size);
          if (move !== null && "to" in move) cursor = move.to;
        }
        const { first, last } = cursor === null ? { first: 0, last: 0 } : cursorSpan(cursor);
        expect(first).toBeGreaterThanOrEqual(0);
        expect(last).toBeLessThan(size);
      }),
    );
  });
});
