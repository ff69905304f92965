import { expect, test } from "vitest";
import { inPinnedOrder } from "./steady-order.ts";

const rows = (...keys: string[]) => keys.map((key) => ({ key }));

test("known rows keep their order, new ones follow in theirs, removed ones leave no gap", () => {
  const kept = inPinnedOrder(rows("new-b", "c", "new-a", "a"), ["a", "b", "c"]);
  expect(kept.map(({ key }) => key)).toEqual(["a", "c", "new-b", "new-a"]);
});
