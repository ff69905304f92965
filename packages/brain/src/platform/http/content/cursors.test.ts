import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeCursor, encodeCursor } from "./cursors.ts";
import { clampLimit, pageOf } from "./paging.ts";

describe("a cursor", () => {
  test("comes back as the values it was made of", () => {
    const at = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date("9999-01-01") });
    const text = fc.string({ unit: "grapheme", maxLength: 50 }).filter((value) => !value.includes("\0"));
    fc.assert(
      fc.property(at, text, fc.maxSafeInteger(), (instant, id, count) => {
        const cursor = encodeCursor([instant, id, count]);
        expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(decodeCursor(cursor, ["instant", "string", "integer"])).toEqual([instant, id, count]);
      }),
    );
  });

  test("that is malformed, of another list or too long starts from the top", () => {
    const kinds = ["instant", "string"] as const;
    const wrong = [
      undefined,
      "",
      "%%%",
      "e30",
      "x".repeat(2000),
      encodeCursor(["no instant", "x"]),
      encodeCursor([new Date(), 5]),
      encodeCursor([new Date(), "a\0b"]),
      encodeCursor([new Date()]),
      encodeCursor([new Date(), "x", "y"]),
    ];
    for (const text of wrong) expect(decodeCursor(text, kinds)).toBeNull();
    fc.assert(fc.property(fc.string(), (text) => void decodeCursor(text, kinds)));
  });
});

describe("paging", () => {
  const sizes = { SVC_REST_DEFAULT_PAGE_SIZE: 50, SVC_REST_MAX_PAGE_SIZE: 500 };
  test.each([
    [undefined, 50],
    [0, 50],
    [-3, 50],
    [1, 1],
    [500, 500],
    [501, 500],
  ])("limit %s gives %i rows", (limit, rows) => expect(clampLimit(limit, sizes)).toBe(rows));

  test("without a limit gives no more rows than the maximum, should that be the smaller one", () => {
    expect(clampLimit(undefined, { ...sizes, SVC_REST_MAX_PAGE_SIZE: 20 })).toBe(20);
  });

  test("a page names the next one only when a row beyond it was read", () => {
    expect(pageOf([1, 2, 3], 3, String)).toEqual({ items: [1, 2, 3], next_cursor: null });
    expect(pageOf([1, 2, 3, 4], 3, String)).toEqual({ items: [1, 2, 3], next_cursor: "3" });
    expect(pageOf([], 3, String)).toEqual({ items: [], next_cursor: null });
  });
});
