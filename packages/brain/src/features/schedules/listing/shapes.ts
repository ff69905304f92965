import { CadenceError, describeCadence } from "@svc/cadence";
import { parseJson } from "@svc/protocol";
import type { ScheduleRow } from "../../../schema/tables/index.ts";
import type { SchedulePublic } from "../schemas.ts";

/** What answers add to a row. Only reads count failures. */
export interface ScheduleFacts {
  readonly consecutiveFailures: number | null;
  readonly skippedSlots: number;
}

const none: ScheduleFacts = { consecutiveFailures: null, skippedSlots: 0 };

/** A schedule as the API shows it. */
export function publicSchedule(row: ScheduleRow, { consecutiveFailures, skippedSlots } = none): SchedulePublic {
  const { definition_digest, position_epoch, position_sequence, position_event_id, args, kwargs, ...shown } = row;
  return {
    ...shown,
    args: parseJson(args) as unknown[],
    kwargs: parseJson(kwargs) as Record<string, unknown>,
    description: descriptionOf(row),
    consecutive_failures: consecutiveFailures,
    skipped_slots_24h: skippedSlots,
  };
}

/** Null for an expression of an engine's scheduler that is not understood here. */
function descriptionOf(row: ScheduleRow): string | null {
  try {
    return describeCadence(row);
  } catch (error) {
    if (error instanceof CadenceError) return null;
    throw error;
  }
}
