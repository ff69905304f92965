/** What the strip needs of a misfire. */
interface MissedSlot {
  schedule_id: string;
  expected_fire_at: string;
  /** Absent from servers that know only missed slots. */
  misfire_kind?: string;
}

/** The slots that were not fired in time, by schedule. */
export function missedBySchedule(misfires: readonly MissedSlot[]): Map<string, string[]> {
  const slots = new Map<string, string[]>();
  for (const { schedule_id, expected_fire_at, misfire_kind = "missed_slot" } of misfires) {
    if (misfire_kind !== "missed_slot") continue;
    const own = slots.get(schedule_id);
    if (own) own.push(expected_fire_at);
    else slots.set(schedule_id, [expected_fire_at]);
  }
  return slots;
}

export const misfireKinds: Readonly<Record<string, string>> = {
  missed_slot: "Not fired in time",
  late_start: "Started late",
  long_run: "Ran too long",
};
