import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { quotasOf, sampleOf, spread } from "./sample.ts";

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

test("an order that is spread has every element once, and those of its beginning all over", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 500 }), (count) => {
      const elements = Array.from({ length: count }, (_, index) => index);
      const order = spread(elements);
      expect([...order].sort((a, b) => a - b)).toEqual(elements);
      for (const some of [2, 3, 10, 50].filter((each) => each <= count)) {
        const seen = [-1, ...order.slice(0, some).sort((a, b) => a - b), count];
        const gaps = seen.slice(1).map((at, place) => at - (seen[place] as number));
        expect(Math.max(...gaps)).toBeLessThanOrEqual((3 * count) / some + 1);
      }
    }),
  );
});

test("a sample keeps time for its parts, and visits them all over the range", async () => {
  const asked: { hour: number; deadlineMs: number }[] = [];
  const from = new Date(0);
  const hourMs = 3_600_000;
  const parts = Array.from({ length: 24 }, (_, hour) => {
    return { from: new Date(hour * hourMs), to: new Date((hour + 1) * hourMs - 1), count: 10 };
  });
  const deadlineMs = performance.now() + 60_000;
  const { ids, hasMore } = await sampleOf(
    async (part, limit, untilMs) => {
      asked.push({ hour: part.from.getTime() / hourMs, deadlineMs: untilMs });
      return { ids: Array.from({ length: limit }, (_, index) => `${part.from.getTime()}-${index}`), hasMore: true };
    },
    { from, to: new Date(24 * hourMs) },
    { most: 48, deadlineMs, weights: async () => parts },
  );
  expect([ids.length, hasMore]).toEqual([48, true]);
  const [whole, ...visits] = asked;
  expect(deadlineMs - (whole?.deadlineMs ?? deadlineMs)).toBeGreaterThan(29_000);
  expect(new Set(visits.slice(0, 5).map(({ hour }) => Math.floor(hour / 8)))).toEqual(new Set([0, 1, 2]));
  for (const { deadlineMs: untilMs } of visits.slice(0, -1)) expect(untilMs).toBeLessThan(deadlineMs);
});
