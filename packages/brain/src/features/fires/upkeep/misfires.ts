import { chunks } from "../../../platform/chunks.ts";
import { days, minutes } from "../../../platform/durations.ts";
import type { Metrics } from "../../../platform/metrics.ts";
import type { Core, MisfireAlertRow } from "../../../schema/tables/index.ts";
import { type Audit, type AuditEntry, ownOrigin } from "../../audit/index.ts";
import type { MisfireKind } from "../states.ts";
import {
  insertMisfires,
  type LimitedSchedule,
  lateStarts,
  limitedSchedules,
  longRuns,
  type OverduePlace,
  type Overrun,
  overdueSchedules,
  type ScheduleFacts,
} from "./misfire-store.ts";
import { missedSlots } from "./missed-slots.ts";

export interface MisfireDeps extends Core {
  readonly audit: Pick<Audit, "append">;
  readonly metrics: Pick<Metrics, "counter">;
  readonly settings: {
    readonly SVC_SCHEDULER_MISFIRE_GRACE_SECONDS: number;
    readonly SVC_SCHEDULER_MISFIRE_SWEEP_SECONDS: number;
    readonly SVC_SCHEDULE_FIRES_RETENTION_DAYS: number;
  };
}

/** What a sweep does at most. The next one continues where it stopped. */
export interface SweepLimits {
  /** Misfires of one sweep. */
  readonly rows: number;
  /** Missed slots of one schedule in one sweep, so that one with many does not delay the others. */
  readonly slotsPerSchedule: number;
  /** Late fires of one schedule, and long runs, that are read at once. */
  readonly firesPerRead: number;
  /** Schedules that are read at once. */
  readonly schedulesPerRead: number;
}

const usualLimits: SweepLimits = { rows: 20_000, slotsPerSchedule: 1000, firesPerRead: 100, schedulesPerRead: 500 };
const rowsPerTransaction = 500;
/** Schedules whose fires are read in one statement: it has a part for each on the embedded database. */
const limitedPerRead = 100;
/** Fires before the last sweep that are still checked at the first one of a process, and after sweeps that failed. */
const longestPauseMs = days(1);
/** Difference between the clocks of two processes. */
const skewMs = minutes(1);

/** Finds slots that were not fired in time, fires that started late, and tasks that run too long. Each is reported once. */
export function createMisfires(
  { database, clock, audit, metrics, settings }: MisfireDeps,
  limits: SweepLimits = usualLimits,
) {
  const detected = metrics.counter({
    name: "svc_scheduler_misfires_detected_total",
    help: "slots of schedules that were not fired in time, that started late, or whose task ran too long",
  });
  /** Where a sweep for missed slots stopped; null at the end. */
  let stoppedAt: OverduePlace | null = null;
  /** Where a sweep for overruns stopped; null at the end. */
  let stoppedAfter: string | null = null;
  /** When the last sweep of all limited schedules began: fires that were late or long before are reported. */
  let checkedAt: Date | null = null;
  let roundBeganAt: Date | null = null;

  async function report(found: readonly MisfireAlertRow[]): Promise<number> {
    let reported = 0;
    for (const some of chunks(found, rowsPerTransaction)) {
      const stored = await database.write(
        async (tx) => {
          const rows = await insertMisfires(tx, some);
          await audit.append(tx, rows.map(entryOf));
          return rows.length;
        },
        { alone: true },
      );
      if (stored > 0) detected.inc({}, stored);
      reported += stored;
    }
    return reported;
  }

  return {
    /** Slots that no scheduler fired. */
    async sweepMissed(signal: AbortSignal): Promise<number> {
      const grace = settings.SVC_SCHEDULER_MISFIRE_GRACE_SECONDS;
      const now = clock.now();
      const due = new Date(now.getTime() - grace * 1000);
      const keptFrom = new Date(now.getTime() - days(settings.SVC_SCHEDULE_FIRES_RETENTION_DAYS));
      const { slotsPerSchedule, schedulesPerRead } = limits;
      let left = limits.rows;
      let reported = 0;
      for (let read = schedulesPerRead; read === schedulesPerRead; ) {
        const schedules = await overdueSchedules(database.slow, { due, after: stoppedAt, limit: schedulesPerRead });
        read = schedules.length;
        let found: MisfireAlertRow[] = [];
        for (const [index, schedule] of schedules.entries()) {
          const slots = missedSlots(schedule, { due, keptFrom, limit: Math.min(slotsPerSchedule, left) });
          left -= slots.length;
          for (const slot of slots)
            found.push(rowOf(schedule, { kind: "missed_slot", slot, since: slot, until: now, grace, now }));
          if (found.length < rowsPerTransaction && left > 0 && index < schedules.length - 1) continue;
          reported += await report(found);
          found = [];
          stoppedAt = schedule;
          if (left === 0 || signal.aborted) return reported;
        }
      }
      stoppedAt = null;
      return reported;
    },
    /** Fires that start later, and tasks that run longer, than their schedule allows. */
    async sweepLimits(signal: AbortSignal): Promise<number> {
      const now = clock.now();
      if (stoppedAfter === null) roundBeganAt = now;
      const atOnce = Math.min(limits.schedulesPerRead, limitedPerRead);
      let reported = 0;
      for (let read = atOnce; read === atOnce; ) {
        const schedules = await limitedSchedules(database.slow, stoppedAfter, atOnce);
        read = schedules.length;
        for await (const found of overrunsOf(schedules, now)) {
          reported += await report(found);
          if (reported >= limits.rows || signal.aborted) return reported;
        }
        stoppedAfter = schedules.at(-1)?.id ?? null;
        if (signal.aborted) return reported;
      }
      stoppedAfter = null;
      checkedAt = roundBeganAt;
      return reported;
    },
  };

  /** Each batch must be stored before the next one is read: the reads leave out what is stored. */
  async function* overrunsOf(schedules: readonly LimitedSchedule[], now: Date): AsyncGenerator<MisfireAlertRow[]> {
    const byId = new Map(schedules.map((schedule) => [schedule.id, schedule]));
    const rowsOf = (kind: "late_start" | "long_run", overruns: readonly Overrun[]) =>
      overruns.flatMap(({ schedule_id, scheduled_for: slot, started_at: startedAt }) => {
        const schedule = byId.get(schedule_id);
        if (schedule === undefined) return [];
        return kind === "late_start"
          ? rowOf(schedule, { kind, slot, since: slot, until: startedAt, grace: schedule.late_start_seconds, now })
          : rowOf(schedule, { kind, slot, since: startedAt, until: now, grace: schedule.long_run_seconds, now });
      });

    const { firesPerRead } = limits;
    for (let pairs = uncheckedFires(schedules, now); pairs.length > 0; ) {
      const late = await lateStarts(database.slow, pairs, { now, limit: firesPerRead });
      if (late.length > 0) yield rowsOf("late_start", late);
      const ofSchedule = Map.groupBy(late, ({ schedule_id }) => schedule_id);
      pairs = [...ofSchedule].flatMap(([id, fires]): [string, Date][] =>
        fires.length < firesPerRead ? [] : [[id, fires.at(-1)!.fired_at]],
      );
    }
    for (let read = firesPerRead; read === firesPerRead; ) {
      const long = await longRuns(database.slow, schedules, { now, limit: firesPerRead });
      read = long.length;
      if (read > 0) yield rowsOf("long_run", long);
    }
  }

  /** From when the fires of each schedule must be checked: earlier ones had started, or were late, at the last complete sweep. */
  function uncheckedFires(schedules: readonly LimitedSchedule[], now: Date): [string, Date][] {
    const nowMs = now.getTime();
    const checkedMs = Math.min(checkedAt?.getTime() ?? 0, nowMs) - skewMs;
    const sinceMs = Math.max(checkedMs, nowMs - longestPauseMs);
    return schedules.flatMap(({ id, late_start_seconds: limit }): [string, Date][] =>
      limit === null ? [] : [[id, new Date(sinceMs - limit * 1000)]],
    );
  }
}

interface Measured {
  readonly kind: MisfireKind;
  readonly slot: Date;
  /** From when the time is measured. */
  readonly since: Date;
  /** Until when it is measured. */
  readonly until: Date;
  /** The limit in seconds. */
  readonly grace: number | null;
  readonly now: Date;
}

function rowOf(
  { id, project_id, name, engine, kind }: ScheduleFacts,
  { kind: misfire_kind, slot, since, until, grace, now }: Measured,
): MisfireAlertRow {
  const of = { schedule_id: id, expected_fire_at: slot, misfire_kind, project_id, detected_at: now };
  const lateness_seconds = Math.floor((until.getTime() - since.getTime()) / 1000);
  return { ...of, lateness_seconds, grace_seconds: grace ?? 0, name, engine, kind };
}

function entryOf(row: MisfireAlertRow): AuditEntry {
  const { schedule_id, project_id, misfire_kind, expected_fire_at, lateness_seconds, grace_seconds } = row;
  const { name, engine, kind } = row;
  return {
    ...ownOrigin,
    action: "scheduler.misfire_detected",
    target_type: "schedule",
    target_id: schedule_id,
    project_id,
    metadata: {
      ...{ misfire_kind, expected_fire_at: expected_fire_at.toISOString(), lateness_seconds, grace_seconds },
      ...{ name, engine, kind },
    },
  };
}
