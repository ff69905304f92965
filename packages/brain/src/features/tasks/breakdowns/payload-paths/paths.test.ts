import { redactionMarker } from "@svc/protocol";
import { expect, test } from "vitest";
import { pathsOf } from "./paths.ts";

const paths = (value: unknown) => [...pathsOf(JSON.stringify(value))];

test("paths lead to scalars, through objects and the elements of a list", () => {
  expect(paths([{ customer: 42, user: { id: "u", tags: ["a", "b"] }, at: null }])).toEqual([
    "customer",
    "user.id",
    "user.tags",
    "at",
  ]);
  expect(paths({ items: [{ sku: "A" }, { sku: "B", count: 2 }] })).toEqual(["items.sku", "items.count"]);
});

test("a name with a meaning in a query is quoted", () => {
  expect(paths({ "first name": 1, "a.b": { "0": 2 } })).toEqual(['"first name"', '"a.b"."0"']);
});

test("no path leads to what a query cannot reach, to an empty object, or to a redacted value", () => {
  expect(paths([[{ inner: 1 }], "plain"])).toEqual([]);
  expect(paths({ none: {}, empty: [] })).toEqual([]);
  expect(paths({ password: redactionMarker, note: `card ${redactionMarker}`, [`a ${redactionMarker}`]: 1 })).toEqual(
    [],
  );
  expect(paths({ ["n".repeat(81)]: 1 })).toEqual([]);
});

test("a payload nested deeper than a query may go is cut there", () => {
  const deep = (steps: number): unknown => (steps === 0 ? 1 : { n: deep(steps - 1) });
  expect(paths(deep(16))).toEqual([Array.from({ length: 16 }, () => "n").join(".")]);
  expect(paths(deep(17))).toEqual([]);
});
