import { expect, test } from "vitest";
import { inKeptOrder } from "./steady-order.ts";

const rows = (...keys: string[]) => keys.map((key) => ({ key }));

test("known rows keep their places, new ones follow in the order they come in, gone ones leave no hole", () => {
  const kept = inKeptOrder(rows("new-b", "c", "new-a", "a"), ["a", "b", "c"]);
  expect(kept.map(({ key }) => key)).toEqual(["a", "c", "new-b", "new-a"]);
});
