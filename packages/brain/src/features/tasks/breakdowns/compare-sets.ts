import type { Attribute } from "./attributes.ts";

export interface Difference extends Attribute {
  /** From 0 to 1: of the failed tasks, and of the passed ones, that have the value. */
  readonly failed_share: number;
  readonly passed_share: number;
}

interface Tally extends Attribute {
  failed: number;
  passed: number;
}

/** Fewer failed tasks with a value are no pattern. */
const leastFailed = 5;
/** The shares must differ by one part of so many: 20 points. */
const differenceParts = 5;
const mostDifferences = 10;
/** Different attributes that are counted; one that only comes after so many others is not among the frequent ones. */
const maxTallies = 50_000;

/**
 * Which attributes part two sets of tasks. All failed ones are added first: a value that few of them have is then forgotten, so that the
 * passed ones cost no memory.
 */
export function createComparison() {
  const tallies = new Map<string, Tally>();
  const keyOf = ({ field, value }: Attribute): string => `${field}\u0000${value}`;
  let failed = 0;
  let passed = 0;

  return {
    /** Each attribute of a task once. */
    addFailed(attributes: readonly Attribute[]): void {
      failed += 1;
      for (const { field, value } of attributes) {
        const key = keyOf({ field, value });
        const tally = tallies.get(key);
        if (tally !== undefined) tally.failed += 1;
        else if (tallies.size < maxTallies) tallies.set(key, { field, value, failed: 1, passed: 0 });
      }
    },
    addPassed(attributes: readonly Attribute[]): void {
      if (passed === 0) forgetRare(tallies);
      passed += 1;
      for (const attribute of attributes) {
        const tally = tallies.get(keyOf(attribute));
        if (tally !== undefined) tally.passed += 1;
      }
    },
    /** The greatest differences first; none while one of the sets is empty, because then there is nothing to compare. */
    differences(): Difference[] {
      if (failed === 0 || passed === 0) return [];
      const all: Difference[] = [];
      for (const tally of tallies.values()) {
        // In whole numbers, so that what lies on the border is on one side of it.
        const distance = Math.abs(tally.failed * passed - tally.passed * failed) * differenceParts;
        if (tally.failed < leastFailed || distance < failed * passed) continue;
        const { field, value } = tally;
        all.push({ field, value, failed_share: tally.failed / failed, passed_share: tally.passed / passed });
      }
      return all.sort(byDifference).slice(0, mostDifferences);
    },
  };
}

function forgetRare(tallies: Map<string, Tally>): void {
  for (const [key, tally] of tallies) if (tally.failed < leastFailed) tallies.delete(key);
}

const pointsOf = (one: Difference): number => Math.abs(one.failed_share - one.passed_share);

const byDifference = (a: Difference, b: Difference): number =>
  pointsOf(b) - pointsOf(a) ||
  b.failed_share - a.failed_share ||
  (a.field < b.field ? -1 : a.field > b.field ? 1 : a.value < b.value ? -1 : 1);
