import fc from "fast-check";
import { expect, test } from "vitest";
import { nearestCut } from "./export-cut.ts";

const untilMs = Date.UTC(2026, 10, 20);
const minuteMs = 60_000;

test("is the longest range that fits, within a few percent", async () => {
  // One task per minute.
  const countSince = async (sinceMs: number) => Math.floor((untilMs - sinceMs) / minuteMs);
  const cut = await nearestCut({ countSince, untilMs, sinceMs: null, cap: 50_000 });
  expect(cut?.rows).toBeLessThanOrEqual(50_000);
  expect(cut?.rows).toBeGreaterThan(46_000);
});

test("is null if even the newest second has too many", async () => {
  expect(await nearestCut({ countSince: async () => 100, untilMs, sinceMs: null, cap: 10 })).toBeNull();
});

test("never exceeds the cap, starts within the list, and needs few counts", async () => {
  const agesMs = fc.array(fc.integer({ min: 0, max: 200 * 86_400_000 }), { minLength: 1, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(agesMs, fc.integer({ min: 1, max: 20 }), fc.boolean(), async (ages, cap, isBounded) => {
      const sinceMs = isBounded ? untilMs - Math.max(...ages) : null;
      let counts = 0;
      const countSince = async (fromMs: number) => {
        counts += 1;
        return ages.filter((ageMs) => untilMs - ageMs >= fromMs).length;
      };
      const cut = await nearestCut({ countSince, untilMs, sinceMs, cap });
      expect(counts).toBeLessThanOrEqual(13);
      if (cut === null) return;
      expect(cut.rows).toBeLessThanOrEqual(cap);
      expect(await countSince(cut.sinceMs)).toBe(cut.rows);
      if (sinceMs !== null) expect(cut.sinceMs).toBeGreaterThanOrEqual(sinceMs);
    }),
  );
});
