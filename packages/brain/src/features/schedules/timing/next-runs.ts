import type { ScheduleRow } from "../../../schema/tables/index.ts";
import { cadenceOrNull } from "../slots.ts";

/** The next slots, at most `count`: from the stored one if there is one, else as if it were enabled now. */
export function nextRuns(row: ScheduleRow, now: Date, count: number): Date[] {
  const cadence = cadenceOrNull(row);
  const runs: Date[] = [];
  let slot = row.next_run_at?.getTime() ?? cadence?.next(now.getTime()) ?? null;
  for (; slot !== null && runs.length < count; slot = cadence?.next(slot) ?? null) runs.push(new Date(slot));
  return runs;
}
