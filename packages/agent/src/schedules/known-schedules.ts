import { createHash } from "node:crypto";
import type { MirroredSchedule } from "./scheduler-adapter.ts";

export type ScheduleChange =
  | { readonly kind: "schedule.created" | "schedule.updated"; readonly schedule: MirroredSchedule }
  | { readonly kind: "schedule.deleted"; readonly name: string };

interface Known {
  readonly digest: string;
  readonly nextRunAt: string | undefined;
  readonly lastRunAt: string | undefined;
  readonly totalRuns: number;
  /** On the monotonic clock. */
  readonly reportedMs: number;
}

/** Runs of one schedule are reported at most this often. A change of its definition is reported at once. */
const runsEveryMs = 60_000;

/** What was last reported of each schedule, to find what has changed since. */
export class KnownSchedules {
  #known = new Map<string, Known>();

  /** Adds the time of the last run, where the engine does not know it and the mirror saw the next run move. */
  withLastRuns(read: readonly MirroredSchedule[], nowMs: number): readonly MirroredSchedule[] {
    return read.map((schedule) => {
      if (schedule.last_run_at !== undefined) return schedule;
      const lastRunAt = lastRunOf(schedule, this.#known.get(schedule.name), nowMs);
      return lastRunAt === undefined ? schedule : { ...schedule, last_run_at: lastRunAt };
    });
  }

  changesTo(read: readonly MirroredSchedule[], monotonicMs: number): readonly ScheduleChange[] {
    const changes: ScheduleChange[] = [];
    const missing = new Set(this.#known.keys());
    for (const schedule of read) {
      missing.delete(schedule.name);
      const known = this.#known.get(schedule.name);
      if (known === undefined) changes.push({ kind: "schedule.created", schedule });
      else if (hasChanged(schedule, known, monotonicMs)) changes.push({ kind: "schedule.updated", schedule });
    }
    for (const name of missing) changes.push({ kind: "schedule.deleted", name });
    return changes;
  }

  /** Notes reported changes. */
  note(changes: readonly ScheduleChange[], monotonicMs: number): void {
    for (const change of changes) {
      if (change.kind === "schedule.deleted") this.#known.delete(change.name);
      else this.#known.set(change.schedule.name, knownOf(change.schedule, monotonicMs));
    }
  }

  /** Notes a reported snapshot. */
  replace(schedules: readonly MirroredSchedule[], monotonicMs: number): void {
    this.#known = new Map(schedules.map((schedule) => [schedule.name, knownOf(schedule, monotonicMs)]));
  }
}

function lastRunOf({ total_runs }: MirroredSchedule, known: Known | undefined, nowMs: number) {
  if (known === undefined) return undefined;
  const { nextRunAt } = known;
  const hasRun = total_runs > known.totalRuns && nextRunAt !== undefined && Date.parse(nextRunAt) <= nowMs;
  return hasRun ? nextRunAt : known.lastRunAt;
}

function hasChanged(schedule: MirroredSchedule, known: Known, monotonicMs: number): boolean {
  if (digestOf(schedule) !== known.digest) return true;
  const hasRun = schedule.total_runs !== known.totalRuns || schedule.next_run_at !== known.nextRunAt;
  return hasRun && monotonicMs - known.reportedMs >= runsEveryMs;
}

const knownOf = (schedule: MirroredSchedule, reportedMs: number): Known => ({
  digest: digestOf(schedule),
  nextRunAt: schedule.next_run_at,
  lastRunAt: schedule.last_run_at,
  totalRuns: schedule.total_runs,
  reportedMs,
});

/** Of the definition, without what every run changes. */
function digestOf(schedule: MirroredSchedule): string {
  const { total_runs: _runs, last_run_at: _last, next_run_at: _next, ...definition } = schedule;
  return createHash("sha256").update(JSON.stringify(definition)).digest("base64").slice(0, 22);
}
