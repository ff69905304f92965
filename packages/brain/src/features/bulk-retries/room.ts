import type { BulkRetryRequestRow } from "../../schema/tables/index.ts";
import { paceOf } from "./pace.ts";
import { sentOf } from "./states.ts";

/** How many more of its children the request's own limits let go now; 0 or less for none. */
export const roomOf = (row: BulkRetryRequestRow, now: Date): number =>
  Math.min(
    row.max_in_flight - row.claimed_count,
    row.canary_size === null ? Infinity : row.canary_size - sentOf(row),
    row.rate_per_minute === null ? Infinity : paceOf(row.rate_per_minute, row.next_claim_at, now).allowed,
  );
