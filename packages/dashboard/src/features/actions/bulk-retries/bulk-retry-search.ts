import { type BulkRetryOutcome, bulkRetryOutcomes } from "@svc/client";
import { readRange } from "../../../address/range-text.ts";

/** What the address of a bulk retry may say: which of its tasks are listed. The range is not its own. */
export interface BulkRetrySearch {
  outcome?: BulkRetryOutcome;
  since?: string;
  until?: string;
}

export function readBulkRetrySearch(raw: Readonly<Record<string, unknown>>): BulkRetrySearch {
  const outcome = bulkRetryOutcomes.find((one) => one === raw.outcome);
  return { ...(outcome && { outcome }), ...readRange(raw) };
}
