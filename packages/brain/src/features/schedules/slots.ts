import { type Cadence, type CadenceDefinition, CadenceError, compileCadence } from "@svc/cadence";
import type { ScheduleRow } from "../../schema/tables/index.ts";

/** The owner of the schedules that this service fires. */
export const ownScheduler = "svc-scheduler";

/** Compiled cadences by definition: compiling costs more than a slot. Bounded; the oldest one makes room. */
const compiled = new Map<string, Cadence>();
const maxCompiled = 10_000;

/** @throws CadenceError for a definition that is wrong */
export function cadenceOf({ kind, expression, timezone }: CadenceDefinition): Cadence {
  const key = `${kind}\n${timezone}\n${expression}`;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const cadence = compileCadence({ kind, expression, timezone });
  const [oldest] = compiled.size >= maxCompiled ? compiled.keys() : [];
  if (oldest !== undefined) compiled.delete(oldest);
  compiled.set(key, cadence);
  return cadence;
}

/** Null for a definition that is not understood: that of an engine, or of other time-zone data. */
export function cadenceOrNull(definition: CadenceDefinition): Cadence | null {
  try {
    return cadenceOf(definition);
  } catch (error) {
    if (error instanceof CadenceError) return null;
    throw error;
  }
}

/** Whether a scheduler may fire it. */
export const isRunnable = ({
  is_enabled,
  paused_at,
  quarantined_at,
}: Pick<ScheduleRow, "is_enabled" | "paused_at" | "quarantined_at">): boolean =>
  is_enabled && paused_at === null && quarantined_at === null;

/** The columns that decide the next slot. */
export type Slotted = CadenceDefinition &
  Pick<ScheduleRow, "scheduler" | "is_enabled" | "paused_at" | "quarantined_at" | "next_run_at">;

/** The slot after an instant; null when none follows or it may not be fired. Schedules of engines keep what their engine reported. */
export function slotAfter(row: Slotted, after: Date): Date | null {
  if (row.scheduler !== ownScheduler) return row.next_run_at;
  if (!isRunnable(row)) return null;
  return successor(row, after);
}

/** The slot after a slot, whatever the state of the schedule. */
export function successor(row: CadenceDefinition, after: Date): Date | null {
  const slot = cadenceOf(row).next(after.getTime());
  return slot === null ? null : new Date(slot);
}
