import { newestSlot, slotsBetween } from "@svc/cadence";
import { cadenceOrNull } from "../../schedules/index.ts";
import { maxSkippedSlots } from "../firing/decide.ts";
import type { OverdueSchedule } from "./misfire-store.ts";

interface MissedRange {
  /** Slots before it are missed. */
  readonly due: Date;
  /** Misfires before it are no longer kept. */
  readonly keptFrom: Date;
  readonly limit: number;
}

/**
 * The slots of a schedule that nothing fired and that are not reported, oldest first. The cursor is the first slot of the outage, and
 * the newest report shows how far earlier sweeps came. At most as many slots of an outage are reported as `fire_all_missed` fires.
 */
export function missedSlots(schedule: OverdueSchedule, { due, keptFrom, limit }: MissedRange): Date[] {
  const { next_run_at: first, newest_missed_at: newest, missed } = schedule;
  const cap = Math.min(limit, maxSkippedSlots - missed);
  if (first === null || cap <= 0) return [];
  const cadence = cadenceOrNull(schedule);
  const slots: number[] = [];
  let after = newest?.getTime() ?? first.getTime();
  if (newest === null && first < keptFrom) {
    // Reports of the first slots may have been deleted; they must not be repeated.
    after = (cadence === null ? null : newestSlot(cadence, after, keptFrom.getTime())) ?? after;
  } else if (newest === null) slots.push(after);
  if (cadence !== null) slots.push(...slotsBetween(cadence, after, due.getTime() - 1, cap - slots.length).slots);
  return slots.map((slot) => new Date(slot));
}
