import { type Clock, systemClock } from "../../../platform/clock.ts";

export type StepClock = Pick<Clock, "monotonicMs">;
/** Rows of the first step, and the maximum of any step. */
export type StepRows = readonly [first: number, most: number];

/** What a walk has measured about its rows; walks that continue one another share it, so that only the first one starts without. */
export interface StepCost {
  /** Rows of the next step, as long as time is not limiting. */
  rows?: number;
  rowMs?: number;
}

/** Target duration of one step, so that other reads get a turn in between. */
const wantedMs = 40;
const growth = 4;
/** Minimum assumed cost of a row when time is short: the next one may have to come from disk. */
const leastRowMs = 0.1;
/** Share of the previous cost that is kept when a step was cheaper. */
const keptShare = 0.5;

/** A pace for `budgetMs` milliseconds from now; Infinity is unlimited. The first step always runs. */
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
    /** Starts the next step and returns its rows, at least one. */
    next() {
      rows = cost.rows ?? Math.min(first, most);
      if (cost.rowMs !== undefined) rows = Math.max(1, Math.min(rows, payable(), Math.floor(wantedMs / cost.rowMs)));
      startMs = clock.monotonicMs();
      return rows;
    },
    /** Records that the step has ended, and how many rows it read. */
    done(read: number) {
      const tookMs = clock.monotonicMs() - startMs;
      cost.rowMs = Math.max(tookMs / Math.max(1, read), (cost.rowMs ?? 0) * keptShare);
      cost.rows = read < rows ? rows : Math.min(rows * growth, most);
    },
    leftMs,
    /** Whether the remaining time is too short for one more row. */
    isOver: () => payable() < 1,
  };
}

/**
 * How many rows each step of a walk reads, where a step ends with a check of the clock. Steps start small and grow as far as the measured
 * cost per row allows, and none is larger than the remaining time is expected to allow: a database can hardly be stopped within a statement,
 * and rows from disk cost a hundred times those in memory.
 */
export type Pace = ReturnType<typeof createPace>;
