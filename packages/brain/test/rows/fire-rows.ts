/** Rows of schedules and their fires for tests, as the service writes them. */
import { randomUUID } from "node:crypto";
import { firePartitions } from "../../src/features/fires/firing/partitions.ts";
import type { BrainDatabase, ScheduleFireRow, ScheduleRow } from "../../src/schema/tables/index.ts";
import { scheduleRow } from "./schedule-rows.ts";

/** An enabled schedule of this service that fires every minute. */
export const ownScheduleRow = (given: Partial<ScheduleRow> & Pick<ScheduleRow, "project_id">): ScheduleRow =>
  scheduleRow({
    task_name: "mail.digest",
    expression: "60",
    queue: "mail",
    args: "[1]",
    // With a space, as the server database prints it.
    kwargs: '{"to": "all"}',
    schedule_revision: 1,
    ...given,
  });

/** A fire that was accepted at `fired_at`. */
export function fireRow(
  given: Partial<ScheduleFireRow> & Pick<ScheduleFireRow, "project_id" | "schedule_id" | "fired_at">,
): ScheduleFireRow {
  return {
    id: randomUUID(),
    fire_id: randomUUID(),
    command_id: null,
    status: "accepted",
    scheduled_for: given.fired_at,
    dispatched_at: null,
    acked_at: null,
    latency_ms: null,
    error_code: null,
    error_message: null,
    triggered_by_user_id: null,
    engine: "bullmq",
    task_id: null,
    ...given,
  };
}

/** Stores fires, with the partitions that they need. */
export async function plantFires(database: BrainDatabase, rows: ScheduleFireRow[]): Promise<void> {
  await firePartitions(database)?.ensureFor(rows.map(({ fired_at }) => fired_at.getTime()));
  await database.write((tx) => tx.insertInto("schedule_fires").values(rows).execute());
}
