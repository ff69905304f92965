import { parseJson } from "@svc/protocol";
import type { ScheduleRow } from "../../../schema/tables/index.ts";

/** The parameters of the command `schedule.fire` for a fire of the schedule. */
export const fireParameters = (
  row: ScheduleRow,
  { fireId, scheduledFor }: { readonly fireId: string; readonly scheduledFor: Date },
): Record<string, unknown> => ({
  task_name: row.task_name,
  engine: row.engine,
  queue: row.queue,
  args: parseJson(row.args),
  kwargs: parseJson(row.kwargs),
  priority: row.priority,
  schedule_id: row.id,
  schedule_name: row.name,
  fire_id: fireId,
  scheduled_for: scheduledFor.toISOString(),
});

/** The idempotency key of a fire's command. */
export const fireKey = (scheduleId: string, fireId: string): string => `schedule:${scheduleId}:fire:${fireId}`;

/** The fire that such a key names. Null for another key. */
export const fireIdOfKey = (key: string | null): string | null =>
  /^schedule:[^:]+:fire:([^:]+)$/.exec(key ?? "")?.[1] ?? null;
