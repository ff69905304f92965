import { expect, test } from "vitest";
import type { Known } from "./facets.ts";
import { meantSearch, placeOf } from "./payload-keys.ts";

const paths = (...values: string[]) => values.map((value) => ({ value, count: "9" }));
const known: Known = { args: paths("customer", "order.id", "customer.id"), result: paths("total", "id") };

test("a key is found in payloads, an exact path before the end of a longer one", () => {
  expect(["customer", "id", "total", "region"].map((key) => placeOf(known, key))).toEqual([
    "args.customer",
    "result.id",
    "result.total",
    "args.region",
  ]);
  expect(placeOf({ args: paths("user.name") }, "name")).toBe("args.user.name");
});

test("a text becomes a search term in addition to the other filters", () => {
  expect(meantSearch({ queue: "mail", search: "customer=42", q: "tag:vip", task: "a/b" }, known)).toEqual({
    q: "args.customer:42",
    search: { queue: "mail", q: "tag:vip args.customer:42" },
  });
});

test("a word of the search is replaced in place, and plain text stays", () => {
  expect(meantSearch({ search: "mail", q: "state:failure total=5" }, known)).toEqual({
    q: "state:failure result.total:5",
    search: { search: "mail", q: "state:failure result.total:5" },
  });
});

test("without such a word there is no suggestion", () => {
  expect(meantSearch({ search: "mail", q: "queue:a" }, known)).toBeNull();
});
