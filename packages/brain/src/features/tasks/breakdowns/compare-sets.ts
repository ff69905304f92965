import { hours } from "../../../platform/durations.ts";
import { bucketStart } from "../../stats/index.ts";
import type { Attribute } from "./attributes.ts";
import type { SampledTask } from "./sample-reads.ts";

export interface Difference extends Attribute {
  /** Shares from 0 to 1 of the failed and the passed tasks that have the value. */
  readonly failed_share: number;
  readonly passed_share: number;
}

/** Number of tasks per set; for an attribute, of tasks that have it. */
interface SetCounts {
  failed: number;
  passed: number;
}
type Tally = Attribute & SetCounts;

/** A value that fewer failed tasks have is no pattern. */
const leastFailed = 5;
/** The shares must differ by at least 1 / this number: 20 points. */
const differenceParts = 5;
const mostDifferences = 10;
/** Maximum number of distinct attributes that are counted; one first seen after these is not frequent. */
const maxTallies = 50_000;

/** Null when the shares are too close, too few failed tasks have the attribute, or one of the sets is empty. */
function differenceOf({ field, value }: Attribute, having: SetCounts, all: SetCounts): Difference | null {
  // In integers, so that a value on the border is always on the same side of it.
  const distance = Math.abs(having.failed * all.passed - having.passed * all.failed) * differenceParts;
  const isFar = all.passed > 0 && having.failed >= leastFailed && distance >= all.failed * all.passed;
  if (!isFar) return null;
  return { field, value, failed_share: having.failed / all.failed, passed_share: having.passed / all.passed };
}

/** The greatest differences first, at most 10. */
export const greatest = (differences: readonly Difference[]): Difference[] =>
  differences.toSorted(byDifference).slice(0, mostDifferences);

/**
 * Finds attributes that differ between two sets of tasks. All failed tasks are added first; values that few of them have are then dropped,
 * so that the passed ones cost no memory.
 */
export function createComparison() {
  const tallies = new Map<string, Tally>();
  const keyOf = ({ field, value }: Attribute): string => `${field}\u0000${value}`;
  const all: SetCounts = { failed: 0, passed: 0 };

  return {
    /** Each attribute of a task once. */
    addFailed(attributes: readonly Attribute[]): void {
      all.failed += 1;
      for (const { field, value } of attributes) {
        const key = keyOf({ field, value });
        const tally = tallies.get(key);
        if (tally !== undefined) tally.failed += 1;
        else if (tallies.size < maxTallies) tallies.set(key, { field, value, failed: 1, passed: 0 });
      }
    },
    addPassed(attributes: readonly Attribute[]): void {
      if (all.passed === 0) dropRare(tallies);
      all.passed += 1;
      for (const attribute of attributes) {
        const tally = tallies.get(keyOf(attribute));
        if (tally !== undefined) tally.passed += 1;
      }
    },
    /** In no particular order. */
    differences: (): Difference[] =>
      [...tallies.values()].map((tally) => differenceOf(tally, tally, all)).filter((one) => one !== null),
  };
}

function dropRare(tallies: Map<string, Tally>): void {
  for (const [key, tally] of tallies) if (tally.failed < leastFailed) tallies.delete(key);
}

const pointsOf = (one: Difference): number => Math.abs(one.failed_share - one.passed_share);

const byDifference = (a: Difference, b: Difference): number =>
  pointsOf(b) - pointsOf(a) ||
  b.failed_share - a.failed_share ||
  (a.field < b.field ? -1 : a.field > b.field ? 1 : a.value < b.value ? -1 : 1);

/**
 * Compares the releases of failed and passed tasks in only those hours in which more than one release ran. In other hours the releases
 * differ as soon as the two sets differ in time, whatever the release does to its tasks.
 */
export function createReleaseComparison() {
  const hourly = new Map<number, Map<string | null, SetCounts>>();
  const isOfRelease = (release: string | null): release is string => release !== null && release !== "";

  return {
    add(side: keyof SetCounts, { release, received_at }: Pick<SampledTask, "release" | "received_at">): void {
      const hour = bucketStart(received_at, hours(1)).getTime();
      const ofHour = hourly.get(hour) ?? new Map<string | null, SetCounts>();
      hourly.set(hour, ofHour);
      const counts = ofHour.get(release) ?? { failed: 0, passed: 0 };
      counts[side] += 1;
      ofHour.set(release, counts);
    },
    /** `releases` of the tasks, whether some `overlap` in an hour, and the differences in these hours, in no particular order. */
    result(): { releases: number; overlap: boolean; differences: Difference[] } {
      const releases = new Set([...hourly.values()].flatMap((ofHour) => [...ofHour.keys()]).filter(isOfRelease));
      const all: SetCounts = { failed: 0, passed: 0 };
      const having = new Map<string, SetCounts>();
      for (const ofHour of hourly.values()) {
        if ([...ofHour.keys()].filter(isOfRelease).length < 2) continue;
        for (const [release, counts] of ofHour) {
          add(all, counts);
          if (!isOfRelease(release)) continue;
          const sum = having.get(release) ?? { failed: 0, passed: 0 };
          add(sum, counts);
          having.set(release, sum);
        }
      }
      const differences = [...having].map(([value, counts]) => differenceOf({ field: "release", value }, counts, all));
      return {
        releases: releases.size,
        overlap: having.size > 0,
        differences: differences.filter((one) => one !== null),
      };
    },
  };
}

function add(sum: SetCounts, { failed, passed }: SetCounts): void {
  sum.failed += failed;
  sum.passed += passed;
}
