import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TimeRange } from "../../stats/index.ts";
import { type PartSample, partsOf, type ReadParts, type SampledPlace, sampleOf, spread } from "./sample.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const far = () => performance.now() + 60_000;
const hourOf = ({ at }: SampledPlace) => Math.floor(at.getTime() / hourMs);

/** Reads tasks at these times, newest first, as a database does. */
const reading =
  (instants: readonly number[]): ReadParts =>
  async (parts, limit) =>
    parts.map(({ from, to }): PartSample => {
      const own = instants.filter((ms) => ms >= from.getTime() && ms <= to.getTime()).sort((x, y) => y - x);
      const tasks = own.slice(0, limit).map((ms) => ({ id: String(ms), name: "a", at: new Date(ms) }));
      return { tasks, isWhole: own.length <= limit };
    });
const rangeOf = (fromMs: number, toMs: number): TimeRange => ({ from: new Date(fromMs), to: new Date(toMs) });

describe("the parts of a range", () => {
  test("cover it without gaps or overlaps, in a bounded number", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: dayMs }), fc.integer({ min: 1, max: 90 * dayMs }), (fromMs, lengthMs) => {
        const range = rangeOf(fromMs, fromMs + lengthMs);
        const parts = partsOf(range);
        expect(parts.length).toBeLessThanOrEqual(300);
        expect([parts[0]?.from, parts.at(-1)?.to]).toEqual([range.from, range.to]);
        for (const [index, { from }] of parts.slice(1).entries())
          expect(from.getTime() - (parts[index]?.to.getTime() ?? 0)).toBe(1);
      }),
    );
  });

  test("end at every hour of the day where they are longer than an hour", () => {
    for (const days of [30, 90]) {
      const ends = partsOf(rangeOf(0, days * dayMs)).map(({ to }) => new Date(to.getTime() + 1).getUTCHours());
      expect(new Set(ends).size).toBe(24);
    }
  });
});

describe("a sample", () => {
  test("of a busy day has as many tasks of each hour, spread over the hour", async () => {
    const everySecond = Array.from({ length: 24 * 360 }, (_, index) => index * 10_000);
    const { tasks, isWhole } = await sampleOf(reading(everySecond), rangeOf(0, dayMs - 1), {
      most: 2000,
      perHour: 83,
      deadlineMs: far(),
    });
    expect(isWhole).toBe(false);
    const byHour = Map.groupBy(tasks, hourOf);
    expect(byHour.size).toBe(24);
    for (const own of byHour.values()) {
      expect(own.length).toBe(83);
      const tens = new Set(own.map(({ at }) => Math.floor((at.getTime() % hourMs) / (10 * minuteMs))));
      expect(tens.size).toBe(6);
    }
  });

  test("takes more from the parts that have tasks when others have none, up to the limit of an hour", async () => {
    const burst = Array.from({ length: 3 * 500 }, (_, index) => (index % 3) * 5 * hourMs + index * 100);
    const range = rangeOf(0, dayMs - 1);
    const { tasks, isWhole } = await sampleOf(reading(burst), range, { most: 2000, perHour: 83, deadlineMs: far() });
    expect([tasks.length, isWhole]).toEqual([3 * 83, false]);
    const whole = await sampleOf(reading(burst), range, { most: 2000, perHour: 500, deadlineMs: far() });
    expect([whole.tasks.length, whole.isWhole]).toEqual([1500, true]);
  });

  test("is within its limits and contains no task twice", async () => {
    const instants = fc.uniqueArray(fc.integer({ min: 0, max: 3 * dayMs }), { maxLength: 300 });
    const limits = fc.record({ most: fc.integer({ min: 1, max: 200 }), perHour: fc.integer({ min: 1, max: 50 }) });
    await fc.assert(
      fc.asyncProperty(instants, limits, async (given, { most, perHour }) => {
        const range = rangeOf(0, 3 * dayMs);
        const { tasks, isWhole } = await sampleOf(reading(given), range, { most, perHour, deadlineMs: far() });
        expect(new Set(tasks.map(({ id }) => id)).size).toBe(tasks.length);
        expect(tasks.length).toBeLessThanOrEqual(most);
        for (const own of Map.groupBy(tasks, hourOf).values()) expect(own.length).toBeLessThanOrEqual(perHour);
        expect(isWhole).toBe(tasks.length === given.length);
      }),
      { numRuns: 50 },
    );
  });

  test("covers the range even when the time ends after the first statement", async () => {
    const everyMinute = Array.from({ length: 24 * 60 }, (_, index) => index * minuteMs);
    const { tasks, isWhole } = await sampleOf(reading(everyMinute), rangeOf(0, dayMs - 1), {
      most: 2000,
      perHour: 83,
      deadlineMs: performance.now(),
    });
    expect(isWhole).toBe(false);
    expect(new Set(tasks.map((task) => Math.floor(hourOf(task) / 2))).size).toBe(12);
  });

  test("without an answer in time is empty, and says that it is incomplete", async () => {
    const never: ReadParts = async () => null;
    const limits = { most: 20, perHour: 20, deadlineMs: performance.now() };
    expect(await sampleOf(never, rangeOf(0, dayMs), limits)).toEqual({ tasks: [], isWhole: false });
  });
});

test("a spread order has every element once, and every prefix of it is spread", () => {
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
