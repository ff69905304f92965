import { CadenceError } from "@svc/cadence";
import type { ScheduleRow } from "../../../schema/tables/index.ts";
import { cadenceOf } from "../slots.ts";

/** The next slots, at most `count`: from the stored one if there is one, else as if it were enabled now. Empty for cadences that are not understood. */
export function nextRuns(row: ScheduleRow, now: Date, count: number): Date[] {
  try {
    const cadence = cadenceOf(row);
    const runs: Date[] = [];
    let slot = row.next_run_at?.getTime() ?? cadence.next(now.getTime());
    for (; slot !== null && runs.length < count; slot = cadence.next(slot)) runs.push(new Date(slot));
    return runs;
  } catch (error) {
    if (error instanceof CadenceError) return row.next_run_at === null || count === 0 ? [] : [row.next_run_at];
    throw error;
  }
}
