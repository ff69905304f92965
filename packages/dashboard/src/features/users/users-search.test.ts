import { expect, test } from "vitest";
import { readUsersSearch } from "./users-search.ts";

test.each([
  [{ page: "3" }, { page: 3 }],
  [{ page: 2, colour: "red" }, { page: 2 }],
  [{ page: "1" }, {}],
  [{ page: "-4" }, {}],
  [{ page: "2.5" }, {}],
  [{ page: "x" }, {}],
  [{ page: 1e9 }, {}],
  [{}, {}],
])("%o is read as %o", (raw, read) => {
  expect(readUsersSearch(raw)).toEqual(read);
});
