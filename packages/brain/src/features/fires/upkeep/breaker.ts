import { days } from "../../../platform/durations.ts";
import { type AuditEntry, ownOrigin } from "../../audit/index.ts";
import { type ChangeDeps, changeControl, lockSchedules } from "../../schedules/index.ts";
import { failingSchedules, schedulesWithFailures } from "./breaker-store.ts";

export interface BreakerDeps extends ChangeDeps {
  readonly settings: { readonly SVC_SCHEDULE_CIRCUIT_BREAKER_THRESHOLD: number };
}

const schedulesPerBatch = 500;

/** Disables schedules whose fires keep failing. */
export function createBreaker({ database, clock, audit, settings, publish }: BreakerDeps) {
  const threshold = settings.SVC_SCHEDULE_CIRCUIT_BREAKER_THRESHOLD;

  /** Decides again under the lock: the schedule may have fired or changed since it was read. */
  async function trip(id: string): Promise<boolean> {
    const disabled = await database.write(
      async (tx) => {
        const [schedule] = await lockSchedules(tx, [id]);
        if (schedule === undefined || (await failingSchedules(tx, [id], threshold)).length === 0) return null;
        await changeControl(tx, schedule, { is_enabled: false, now: clock.now() });
        const entry: AuditEntry = {
          ...ownOrigin,
          action: "schedule.circuit_breaker.tripped",
          target_type: "schedule",
          target_id: id,
          project_id: schedule.project_id,
          metadata: { name: schedule.name, threshold },
        };
        await audit.append(tx, entry);
        return schedule;
      },
      { alone: true },
    );
    if (disabled !== null) publish({ projectId: disabled.project_id, topic: "schedule.changed", ids: [id] });
    return disabled !== null;
  }

  return {
    /** Returns how many schedules it disabled. */
    async sweep(signal: AbortSignal): Promise<number> {
      if (threshold === 0) return 0;
      const since = new Date(clock.now().getTime() - days(1));
      let disabled = 0;
      let after: string | null = null;
      for (let batch = schedulesPerBatch; batch === schedulesPerBatch && !signal.aborted; ) {
        const ids: string[] = await schedulesWithFailures(database.slow, { since, after, limit: schedulesPerBatch });
        for (const id of await failingSchedules(database.slow, ids, threshold)) if (await trip(id)) disabled += 1;
        after = ids.at(-1) ?? null;
        batch = ids.length;
      }
      return disabled;
    },
  };
}
