import { expect, test } from "vitest";
import { countsOf } from "./state-counts.ts";

test("state counts add up to the total, unless one of them is a lower bound", () => {
  const failure = { value: "failure", count: 5, exact: true };
  const counts = countsOf({ field: "state", values: [{ value: "success", count: 12, exact: true }, failure] });
  expect([counts?.exactly(undefined), counts?.exactly("failure"), counts?.exactly("retry")]).toEqual([17, 5, 0]);
  const capped = countsOf({ field: "state", values: [{ value: "success", count: 10_000, exact: false }, failure] });
  expect([capped?.exactly(undefined), capped?.exactly("success"), capped?.exactly("failure")]).toEqual([null, null, 5]);
  expect(capped?.all).toBe("10k+");
});
