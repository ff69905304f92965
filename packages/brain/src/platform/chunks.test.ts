import { expect, test } from "vitest";
import { chunks } from "./chunks.ts";

test("items come in order, in full chunks and a last shorter one", () => {
  expect([...chunks([1, 2, 3, 4, 5], 2)]).toEqual([[1, 2], [3, 4], [5]]);
  expect([...chunks([1, 2], 2)]).toEqual([[1, 2]]);
  expect([...chunks([], 2)]).toEqual([]);
});
