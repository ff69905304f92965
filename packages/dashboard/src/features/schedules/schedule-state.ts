/** The scheduler of this service. All others belong to an engine. */
const ownScheduler = "svc-scheduler";

/** What the state of a schedule depends on. */
export interface ScheduleFacts {
  scheduler: string;
  kind: string;
  is_enabled: boolean;
  paused_at?: string | null;
  quarantined_at?: string | null;
  consecutive_failures?: number | null;
  next_run_at?: string | null;
  skipped_slots_24h?: number | null;
  total_runs: number;
}

export type ScheduleState = "quarantined" | "tripped" | "paused" | "finished" | "disabled" | "on";

/** Whether this service fires it. Schedules of an engine are only mirrored. */
export const isOwn = ({ scheduler }: Pick<ScheduleFacts, "scheduler">): boolean => scheduler === ownScheduler;

/** What a schedule does now. `threshold` is the number of failed fires in a row that disable it, 0 for none. */
export function stateOf(schedule: ScheduleFacts, threshold: number): ScheduleState {
  if (schedule.quarantined_at) return "quarantined";
  if (!schedule.is_enabled) {
    if (threshold > 0 && (schedule.consecutive_failures ?? 0) >= threshold) return "tripped";
    return schedule.kind === "clocked" && schedule.total_runs > 0 ? "finished" : "disabled";
  }
  return schedule.paused_at ? "paused" : "on";
}

/** The choices of the list, in the order of their tabs. */
export const shownChoices = ["tripped", "missed", "off", "native"] as const;
export type Shown = (typeof shownChoices)[number];

export const shownLabels: Readonly<Record<Shown, string>> = {
  tripped: "Stopped",
  missed: "Missed fires",
  off: "Off",
  native: "Native",
};

/** Whether a schedule belongs to a choice of the list. */
export function isShown(schedule: ScheduleFacts, threshold: number, shown: Shown | undefined): boolean {
  const state = stateOf(schedule, threshold);
  switch (shown) {
    case "tripped":
      return isStopped(state);
    case "missed":
      return (schedule.skipped_slots_24h ?? 0) > 0;
    case "off":
      return state !== "on";
    case "native":
      return !isOwn(schedule);
    default:
      return true;
  }
}

/** Whether a fault stopped it, so that an operator has to act. */
export const isStopped = (state: ScheduleState): boolean => state === "tripped" || state === "quarantined";

const rankOf = (state: ScheduleState): number => (isStopped(state) ? 0 : state === "on" ? 1 : 2);

/** Stopped ones first, then by next run, then those that are off; equal ones by name. */
export function byUrgency<Row extends ScheduleFacts & { name: string }>(
  rows: readonly Row[],
  threshold: number,
): Row[] {
  const nextOf = ({ next_run_at }: Row) => (next_run_at ? Date.parse(next_run_at) : Number.POSITIVE_INFINITY);
  return rows
    .map((row) => ({ row, rank: rankOf(stateOf(row, threshold)), next: nextOf(row) }))
    .sort(
      (a, b) => a.rank - b.rank || (a.next === b.next ? 0 : a.next - b.next) || a.row.name.localeCompare(b.row.name),
    )
    .map(({ row }) => row);
}
