import { type Clock, systemClock } from "../../../platform/clock.ts";

export type StepClock = Pick<Clock, "monotonicMs">;
/** Rows of the first step, and at most however fast it goes. */
export type StepRows = readonly [first: number, most: number];

/** What a walk knows of its rows: walks that go on from one another share it, so that only the first one begins without. */
export interface StepCost {
  /** Rows of the next step, as far as time does not matter. */
  rows?: number;
  rowMs?: number;
}

/** What one step may take, so that other reads get their turn in between. */
const wantedMs = 40;
const growth = 4;
/** What a row is taken to cost at least where the time is short: the next one may have to come from the disk. */
const leastRowMs = 0.1;
/** How much of a cost is kept in mind when a step was cheaper. */
const kept = 0.5;

/** A pace for `budgetMs` milliseconds from now; Infinity is no bound. A first step is made whatever the time. */
export function createPace(
  [first, most]: StepRows,
  budgetMs: number,
  clock: StepClock = systemClock,
  cost: StepCost = {},
) {
  const deadlineMs = clock.monotonicMs() + budgetMs;
  let rows = 0;
  let startMs = 0;
  /** Milliseconds. */
  const leftMs = () => deadlineMs - clock.monotonicMs();
  const payable = () => Math.floor(leftMs() / Math.max(cost.rowMs ?? 0, leastRowMs));
  return {
    /** Rows of the next step, one at least, which begins now. */
    next() {
      rows = cost.rows ?? Math.min(first, most);
      if (cost.rowMs !== undefined) rows = Math.max(1, Math.min(rows, payable(), Math.floor(wantedMs / cost.rowMs)));
      startMs = clock.monotonicMs();
      return rows;
    },
    /** Tells that the step has ended, and how many rows it has read. */
    done(read: number) {
      const tookMs = clock.monotonicMs() - startMs;
      cost.rowMs = Math.max(tookMs / Math.max(1, read), (cost.rowMs ?? 0) * kept);
      cost.rows = read < rows ? rows : Math.min(rows * growth, most);
    },
    leftMs,
    /** Whether the time that is left does not pay for one more row. */
    isOver: () => payable() < 1,
  };
}

/**
 * How many rows the steps of a walk read, a step being what lies between two looks at the clock. Steps begin small and grow as far as what
 * a row has cost allows, and none is asked for more than the time that is left is thought to pay for: a database can hardly be stopped
 * within a statement, and rows that have to come from the disk cost a hundred times those in memory.
 */
export type Pace = ReturnType<typeof createPace>;
