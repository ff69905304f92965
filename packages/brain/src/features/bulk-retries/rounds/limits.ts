import { minutes } from "../../../platform/durations.ts";
import type { BulkRetryRequestRow } from "../../../schema/tables/index.ts";
import { sentOf } from "../states.ts";

/** How far a bulk retry may catch up with its rate after a pause between rounds. */
const catchUpMs = 1000;

/** Evenly spread sends: how many are allowed at `now`, and when the next one is allowed after `sent` of them. */
export function paceOf(perMinute: number, nextAt: Date | null, now: Date) {
  const everyMs = minutes(1) / perMinute;
  const fromMs = Math.max(nextAt?.getTime() ?? now.getTime(), now.getTime() - catchUpMs);
  const dueMs = now.getTime() - fromMs;
  return {
    allowed: dueMs < 0 ? 0 : Math.floor(dueMs / everyMs) + 1,
    nextAfter: (sent: number): Date => new Date(Math.ceil(fromMs + sent * everyMs)),
  };
}

/** Number of children that the request's own limits allow now; 0 or less for none. */
export const allowanceOf = (row: BulkRetryRequestRow, now: Date): number =>
  Math.min(
    row.max_in_flight - row.claimed_count,
    row.canary_size === null ? Infinity : row.canary_size - sentOf(row),
    row.rate_per_minute === null ? Infinity : paceOf(row.rate_per_minute, row.next_claim_at, now).allowed,
  );
