import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { placeLabels, placer, runsOf, sinceFirst, spread, within } from "./marks.ts";

const buckets = [0, 10, 20, 30].map((fromMs) => ({ fromMs, toMs: fromMs + 10 }));

test("buckets fill the chart's width, and instants outside are clamped", () => {
  const x = placer(buckets, 50, 200);
  expect([0, 10, 40].map(x)).toEqual([50, 100, 250]);
  expect([-5, 90].map(x)).toEqual([50, 250]);
});

test("a bucket knows the marks in it and the bands that touch it", () => {
  const bucket = { fromMs: 10, toMs: 20 };
  const marks = [9, 10, 19, 20].map((atMs) => ({ atMs, label: String(atMs) }));
  expect(within(marks, bucket).map(({ label }) => label)).toEqual(["10", "19"]);
  const bands = [
    { fromMs: 0, toMs: 10, label: "before" },
    { fromMs: 0, toMs: 11, label: "into" },
    { fromMs: 12, toMs: 13, label: "inside" },
    { fromMs: 20, toMs: 30, label: "after" },
  ];
  expect(within(bands, bucket).map(({ label }) => label)).toEqual(["into", "inside"]);
});

describe("labels of marks", () => {
  const area = { left: 0, right: 400 };

  test("are placed on the side with room", () => {
    expect(
      placeLabels(
        [
          { x: 30, text: "one", isMinor: false },
          { x: 380, text: "two", isMinor: false },
        ],
        area,
        6,
      ),
    ).toEqual([
      { x: 380, text: "two", isBefore: true },
      { x: 30, text: "one", isBefore: false },
    ]);
  });

  test("of minor marks are dropped first, however new", () => {
    const release = { x: 300, text: "release 2", isMinor: false };
    expect(placeLabels([release, { x: 320, text: "connected", isMinor: true }], area, 6)).toEqual([
      { x: 300, text: "release 2", isBefore: true },
    ]);
  });

  test("of older marks are dropped first", () => {
    expect(
      placeLabels(
        [
          { x: 340, text: "older", isMinor: false },
          { x: 360, text: "newer", isMinor: false },
        ],
        area,
        6,
      ),
    ).toEqual([{ x: 360, text: "newer", isBefore: true }]);
  });
});

describe("spread", () => {
  test("keeps what is far enough apart", () => {
    expect(spread([100, 10, 50], 12, { least: 0, most: 200 })).toEqual([100, 10, 50]);
  });

  test("spreads what is too close, within the bounds", () => {
    expect(spread([195, 196, 197], 12, { least: 0, most: 200 })).toEqual([176, 188, 200]);
  });

  test("keeps gap, order and bounds wherever there is room", () => {
    const heights = fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 8 });
    fc.assert(
      fc.property(heights, (given) => {
        const moved = spread(given, 12, { least: 0, most: 200 });
        const sorted = moved.toSorted((a, b) => a - b);
        expect(sorted.every((at, index) => index === 0 || at - (sorted[index - 1] ?? 0) >= 12)).toBe(true);
        expect(sorted.every((at) => at >= 0 && at <= 200)).toBe(true);
        for (const [i, a] of given.entries())
          for (const [j, b] of given.entries()) if (a < b) expect(moved[i]).toBeLessThan(moved[j] ?? 0);
      }),
    );
  });
});

test("a line is cut where a value is missing", () => {
  expect(runsOf([1, 2, null, 4, null, null, 7, 8])).toEqual([[0, 1], [3], [6, 7]]);
  expect(runsOf([null])).toEqual([]);
});

describe("sinceFirst", () => {
  const buckets = Array.from({ length: 96 }, (_, at) => ({ fromMs: at * 900_000, toMs: (at + 1) * 900_000, at }));
  const begins = (bornAt: number, firstAt: number) =>
    sinceFirst(buckets, { bornMs: bornAt * 900_000, bands: [], isFilled: ({ at }) => at >= firstAt })[0]?.at;

  test("begins with the first non-empty bucket if the subject is younger than the range", () => {
    expect(begins(60, 70)).toBe(70);
    expect(begins(60, 40)).toBe(40);
    expect(begins(60, 100)).toBe(60);
  });

  test("leaves a dozen buckets, so that one bar does not fill the chart", () => {
    expect(begins(95, 95)).toBe(84);
    expect(begins(95, 100)).toBe(84);
  });

  test("keeps empty buckets of a subject older than the range", () => {
    expect(begins(0, 70)).toBe(0);
    expect(sinceFirst(buckets, { bornMs: undefined, bands: [], isFilled: () => false })).toBe(buckets);
  });

  test("begins no later than the first known gap", () => {
    const lost = { fromMs: 50 * 900_000, toMs: 51 * 900_000, label: "3 events lost" };
    const shown = sinceFirst(buckets, { bornMs: 40 * 900_000, bands: [lost], isFilled: ({ at }) => at >= 70 });
    expect(shown[0]?.at).toBe(50);
  });
});
