import type { FireScheduleRequest } from "@svc/protocol";
import type { Schedule } from "../schedules/row.ts";
import type { Step } from "./plan.ts";

/** Slots that are prepared at the same time at most. */
const maxPrepared = 10_000;

export interface PreparedFire {
  readonly controlToken: string;
  readonly step: Step & { kind: "fire" };
  readonly request: FireScheduleRequest;
}

/** Fires that are computed shortly before their slot, so that at the slot they only have to be sent. */
export function createPreparedFires() {
  const fires = new Map<Schedule, PreparedFire>();
  return {
    /** How many more can be prepared. */
    room: (): number => maxPrepared - fires.size,
    has: (schedule: Schedule): boolean => fires.has(schedule),
    set: (schedule: Schedule, fire: PreparedFire): void => void fires.set(schedule, fire),
    /** Removes and returns the fire of the current slot; undefined if none was prepared or the schedule has changed since. */
    take(schedule: Schedule): PreparedFire | undefined {
      const fire = fires.get(schedule);
      if (fire === undefined) return undefined;
      fires.delete(schedule);
      return fire.controlToken === schedule.controlToken && fire.step.slot === schedule.nextRunAt ? fire : undefined;
    },
    forget: (schedule: Schedule): void => void fires.delete(schedule),
  };
}
