import fc from "fast-check";
import { expect, test } from "vitest";
import { sparkPaths } from "./spark-paths.ts";

const size = { width: 80, height: 20 };

test("a gap in the series is a gap in the line", () => {
  expect(sparkPaths([0, 10, null, null, 5], size)).toEqual({
    lines: ["M0 19L20 1", "M80 10h1"],
    areas: ["M0 20L0 19L20 1L20 20Z", "M80 20L80 10L80 20Z"],
  });
});

test("a series without values draws nothing", () => {
  expect(sparkPaths([null, null], size)).toEqual({ lines: [], areas: [] });
  expect(sparkPaths([], size)).toEqual({ lines: [], areas: [] });
});

test("every point lies inside the drawing", () => {
  const series = fc.array(fc.option(fc.integer({ min: 0, max: 1_000_000 })), { maxLength: 60 });
  fc.assert(
    fc.property(series, (values) => {
      for (const path of sparkPaths(values, size).areas) {
        for (const [, x, y] of path.matchAll(/([\d.]+) ([\d.]+)/g)) {
          expect(Number(x)).toBeLessThanOrEqual(size.width);
          expect(Number(y)).toBeLessThanOrEqual(size.height);
        }
        expect(path).not.toMatch(/NaN|Infinity|-/);
      }
    }),
  );
});
