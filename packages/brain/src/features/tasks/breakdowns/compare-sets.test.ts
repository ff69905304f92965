import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Attribute } from "./attributes.ts";
import { createComparison, createReleaseComparison, type Difference, greatest } from "./compare-sets.ts";

type Task = readonly Attribute[];

const taskOf = (values: Record<string, string>): Task =>
  Object.entries(values).map(([field, value]) => ({ field, value }));
const times = (count: number, values: Record<string, string>): Task[] =>
  Array.from({ length: count }, () => taskOf(values));

function compared(failed: readonly Task[], passed: readonly Task[]): Difference[] {
  const comparison = createComparison();
  for (const task of failed) comparison.addFailed(task);
  for (const task of passed) comparison.addPassed(task);
  return greatest(comparison.differences());
}

/** All that differ, by definition. */
function byHand(failed: readonly Task[], passed: readonly Task[]): Difference[] {
  const having = (tasks: readonly Task[], { field, value }: Attribute) =>
    tasks.filter((task) => task.some((each) => each.field === field && each.value === value)).length;
  const all = new Map(failed.flat().map((each) => [JSON.stringify(each), each]));
  return [...all.values()].flatMap((each) => {
    const [inFailed, inPassed] = [having(failed, each), having(passed, each)];
    // 20 points, in integers.
    const isFar = 5 * Math.abs(inFailed * passed.length - inPassed * failed.length) >= failed.length * passed.length;
    if (passed.length === 0 || inFailed < 5 || !isFar) return [];
    return [{ ...each, failed_share: inFailed / failed.length, passed_share: inPassed / passed.length }];
  });
}

const pointsOf = ({ failed_share, passed_share }: Difference) => Math.abs(failed_share - passed_share);

describe("comparing failed tasks with passed ones", () => {
  test("shows what distinguishes them, greatest difference first", () => {
    const failed = [...times(9, { region: "eu", worker: "w-1" }), ...times(1, { region: "us", worker: "w-2" })];
    const passed = [...times(5, { region: "eu", worker: "w-2" }), ...times(15, { region: "us", worker: "w-2" })];
    expect(compared(failed, passed)).toEqual([
      { field: "worker", value: "w-1", failed_share: 0.9, passed_share: 0 },
      { field: "region", value: "eu", failed_share: 0.9, passed_share: 0.25 },
    ]);
  });

  test("also shows what passed tasks have more often, as long as enough failed ones have it", () => {
    const failed = [...times(5, { plan: "pro" }), ...times(15, { plan: "free" })];
    expect(compared(failed, times(4, { plan: "pro" }))).toEqual(
      [
        { field: "plan", value: "free", failed_share: 0.75, passed_share: 0 },
        { field: "plan", value: "pro", failed_share: 0.25, passed_share: 1 },
      ].sort((a, b) => pointsOf(b) - pointsOf(a) || b.failed_share - a.failed_share),
    );
  });

  test("needs five failed tasks and twenty points, both inclusive", () => {
    expect(compared(times(4, { a: "x" }), times(10, { a: "y" }))).toEqual([]);
    expect(compared(times(5, { a: "x" }), times(10, { a: "y" }))).toHaveLength(1);
    const half = [...times(5, { a: "x" }), ...times(5, { a: "y" })];
    expect(compared(half, [...times(3, { a: "x" }), ...times(7, {})])).toContainEqual(
      expect.objectContaining({ value: "x", failed_share: 0.5, passed_share: 0.3 }),
    );
    expect(compared(half, [...times(4, { a: "x" }), ...times(6, { a: "y" })])).toEqual([]);
  });

  test("is empty while one of the sets is empty", () => {
    expect(compared(times(50, { a: "x" }), [])).toEqual([]);
    expect(compared([], times(50, { a: "x" }))).toEqual([]);
  });

  test("equals its definition for any two sets, in whichever order their tasks come", () => {
    const value = fc.constantFrom("x", "y", "z");
    const task = fc
      .record({ a: value, b: value, c: value, d: value, e: value, f: value }, { requiredKeys: [] })
      .map((values) => taskOf(values as Record<string, string>));
    const tasks = fc.array(task, { maxLength: 40 });
    fc.assert(
      fc.property(tasks, tasks, (failed, passed) => {
        const found = compared(failed, passed);
        const expected = byHand(failed, passed);
        expect(found).toHaveLength(Math.min(10, expected.length));
        for (const each of found) expect(expected).toContainEqual(each);
        const least = Math.min(...found.map(pointsOf));
        const left = expected.filter(
          (each) => !found.some(({ field, value: own }) => field === each.field && own === each.value),
        );
        for (const each of left) expect(pointsOf(each)).toBeLessThanOrEqual(least);
        for (const [index, each] of found.slice(1).entries())
          expect(pointsOf(each)).toBeLessThanOrEqual(pointsOf(found[index] as Difference));
        expect(compared([...failed].reverse(), [...passed].reverse())).toEqual(found);
      }),
      { numRuns: 300 },
    );
  });

  test("keeps a bounded number of values", () => {
    const failed = Array.from({ length: 60_000 }, (_, index) => taskOf({ id: `id-${index}`, region: "eu" }));
    expect(compared(failed, times(10, { region: "us" }))).toEqual([
      { field: "region", value: "eu", failed_share: 1, passed_share: 0 },
    ]);
  });
});

type Side = "failed" | "passed";
/** `[how many, of which side, release, hour]` */
type Some = readonly [number, Side, string | null, number];

function releasesCompared(...all: readonly Some[]) {
  const comparison = createReleaseComparison();
  for (const [count, side, release, hour] of all)
    for (let index = 0; index < count; index += 1)
      comparison.add(side, { release, received_at: new Date(Date.UTC(2026, 0, 2, hour, index % 60)) });
  return comparison.result();
}

describe("comparing releases", () => {
  test("shows the release of the failures in the hours in which both ran", () => {
    const { differences, ...about } = releasesCompared(
      [50, "passed", "1", 7],
      [10, "failed", "2", 8],
      [30, "passed", "1", 8],
      [10, "passed", "2", 8],
      [40, "passed", "2", 9],
    );
    expect(about).toEqual({ releases: 2, overlap: true });
    expect(differences).toEqual([{ field: "release", value: "2", failed_share: 1, passed_share: 0.25 }]);
  });

  test("ignores releases that did not run in the same hour", () => {
    expect(releasesCompared([50, "failed", "1", 7], [50, "passed", "2", 8])).toEqual({
      releases: 2,
      overlap: false,
      differences: [],
    });
  });

  test("does not count tasks without a release as a release", () => {
    expect(releasesCompared([50, "failed", "1", 7], [50, "passed", null, 7], [50, "passed", "", 7])).toEqual({
      releases: 1,
      overlap: false,
      differences: [],
    });
    // They still count as tasks of the hour.
    const { differences } = releasesCompared([10, "failed", "1", 7], [5, "passed", "2", 7], [5, "passed", null, 7]);
    expect(differences).toContainEqual({ field: "release", value: "1", failed_share: 1, passed_share: 0 });
  });

  test("of no tasks is empty", () => {
    expect(releasesCompared()).toEqual({ releases: 0, overlap: false, differences: [] });
  });
});
