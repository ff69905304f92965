import { chunks } from "../../../platform/chunks.ts";
import { days, minutes } from "../../../platform/durations.ts";
import type { Metrics } from "../../../platform/metrics.ts";
import type { Core, MisfireAlertRow } from "../../../schema/tables/index.ts";
import { type Audit, type AuditEntry, ownOrigin } from "../../audit/index.ts";
import { type MisfireKind, openFireStatuses } from "../states.ts";
import {
  firesSince,
  insertMisfires,
  type LimitedSchedule,
  limitedSchedules,
  missedSlots,
  runningSince,
  type ScheduleFacts,
} from "./misfire-store.ts";

export interface MisfireDeps extends Core {
  readonly audit: Pick<Audit, "append">;
  readonly metrics: Pick<Metrics, "counter">;
  readonly settings: {
    readonly SVC_SCHEDULER_MISFIRE_GRACE_SECONDS: number;
    readonly SVC_SCHEDULER_MISFIRE_SWEEP_SECONDS: number;
  };
}

const rowsPerBatch = 500;
const schedulesPerBatch = 100;
/** How long after its limit a fire is still checked: sweeps may be late or fail. */
const marginMs = minutes(10);

/** Finds slots that were not fired in time, fires that started late, and tasks that run too long. Each is reported once. */
export function createMisfires({ database, clock, audit, metrics, settings }: MisfireDeps) {
  const detected = metrics.counter({
    name: "svc_scheduler_misfires_detected_total",
    help: "slots of schedules that were not fired in time, that started late, or whose task ran too long",
  });

  async function report(found: readonly MisfireAlertRow[]): Promise<number> {
    let reported = 0;
    for (const some of chunks(found, rowsPerBatch)) {
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
      const grace_seconds = settings.SVC_SCHEDULER_MISFIRE_GRACE_SECONDS;
      let reported = 0;
      for (let batch = rowsPerBatch; batch === rowsPerBatch && !signal.aborted; reported += batch) {
        const now = clock.now();
        const due = new Date(now.getTime() - grace_seconds * 1000);
        const missed = await missedSlots(database.slow, due, rowsPerBatch);
        batch = await report(
          missed.flatMap(({ next_run_at, ...schedule }) =>
            next_run_at === null
              ? []
              : misfireOf(schedule, { kind: "missed_slot", slot: next_run_at, since: next_run_at, grace_seconds, now }),
          ),
        );
      }
      return reported;
    },
    /** Fires that start later, and tasks that run longer, than their schedule allows. */
    async sweepLimits(signal: AbortSignal): Promise<number> {
      let reported = 0;
      let after: string | null = null;
      for (let batch = schedulesPerBatch; batch === schedulesPerBatch && !signal.aborted; ) {
        const schedules: LimitedSchedule[] = await limitedSchedules(database.slow, after, schedulesPerBatch);
        const now = clock.now();
        reported += await report([...(await lateStarts(schedules, now)), ...(await longRuns(schedules, now))]);
        after = schedules.at(-1)?.id ?? null;
        batch = schedules.length;
      }
      return reported;
    },
  };

  async function lateStarts(schedules: readonly LimitedSchedule[], now: Date): Promise<MisfireAlertRow[]> {
    const byId = new Map(schedules.map((schedule) => [schedule.id, schedule]));
    const pairs = pairsOf(schedules, ({ late_start_seconds: limit }) => limit, marginMs, now);
    const fires = await firesSince(database.slow, pairs);
    return fires.flatMap((fire) => {
      const schedule = byId.get(fire.schedule_id);
      const startedAt = fire.dispatched_at ?? fire.acked_at ?? (isOpen(fire.status) ? now : null);
      if (schedule === undefined || startedAt === null) return [];
      const { late_start_seconds: grace_seconds, ...facts } = schedule;
      const at = { slot: fire.scheduled_for, since: fire.scheduled_for, grace_seconds: grace_seconds ?? 0 };
      return misfireOf(facts, { kind: "late_start", ...at, now: startedAt, detectedAt: now });
    });
  }

  async function longRuns(schedules: readonly LimitedSchedule[], now: Date): Promise<MisfireAlertRow[]> {
    const byId = new Map(schedules.map((schedule) => [schedule.id, schedule]));
    // Its task may have waited in a queue for a day.
    const pairs = pairsOf(schedules, ({ long_run_seconds: limit }) => limit, days(1), now);
    const running = await runningSince(database.slow, pairs);
    return running.flatMap(({ schedule_id, scheduled_for: slot, started_at: since }) => {
      const schedule = byId.get(schedule_id);
      if (schedule === undefined) return [];
      return misfireOf(schedule, { kind: "long_run", slot, since, grace_seconds: schedule.long_run_seconds ?? 0, now });
    });
  }
}

const isOpen = (status: string): boolean => openFireStatuses.some((open) => open === status);

const pairsOf = (
  schedules: readonly LimitedSchedule[],
  limitOf: (schedule: LimitedSchedule) => number | null,
  moreMs: number,
  now: Date,
) =>
  schedules.flatMap((schedule): [string, Date][] => {
    const limit = limitOf(schedule);
    return limit === null ? [] : [[schedule.id, new Date(now.getTime() - limit * 1000 - moreMs)]];
  });

interface Overrun {
  readonly kind: MisfireKind;
  readonly slot: Date;
  /** From when the time is measured. */
  readonly since: Date;
  readonly grace_seconds: number;
  /** Until when it is measured. */
  readonly now: Date;
  readonly detectedAt?: Date;
}

/** The misfire, when more than the allowed time has passed. */
function misfireOf(
  { id, project_id, name, engine, kind }: ScheduleFacts,
  { kind: misfire_kind, slot, since, grace_seconds, now, detectedAt = now }: Overrun,
): MisfireAlertRow[] {
  const lateMs = now.getTime() - since.getTime();
  if (lateMs <= grace_seconds * 1000) return [];
  const lateness_seconds = Math.floor(lateMs / 1000);
  const of = { schedule_id: id, expected_fire_at: slot, misfire_kind, project_id };
  return [{ ...of, detected_at: detectedAt, lateness_seconds, grace_seconds, name, engine, kind }];
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
