import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { quotasOf } from "./sample.ts";

describe("quotas of a sample", () => {
  test("are whole, give out everything, and are in proportion to within one", () => {
    const counts = fc.array(fc.integer({ min: 0, max: 10_000_000 }), { minLength: 1, maxLength: 100 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2000 }), counts, (most, given) => {
        const quotas = quotasOf(most, given);
        const total = given.reduce((sum, count) => sum + count, 0);
        const sum = quotas.reduce((all, quota) => all + quota, 0);
        expect(sum).toBe(total === 0 ? 0 : most);
        for (const [index, quota] of quotas.entries()) {
          const exact = total === 0 ? 0 : (most * (given[index] ?? 0)) / total;
          expect(Number.isInteger(quota) && Math.abs(quota - exact) < 1).toBe(true);
        }
      }),
    );
  });
});
