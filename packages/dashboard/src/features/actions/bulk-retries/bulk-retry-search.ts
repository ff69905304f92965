import { type BulkRetryOutcome, bulkRetryOutcomes } from "@svc/client";
import { readRange } from "../../../address/range-text.ts";

/** The search parameters of a bulk retry: which of its tasks are listed. The range is shared by all pages. */
export interface BulkRetrySearch {
  outcome?: BulkRetryOutcome;
  since?: string;
  until?: string;
}

export function readBulkRetrySearch(raw: Readonly<Record<string, unknown>>): BulkRetrySearch {
  const outcome = bulkRetryOutcomes.find((one) => one === raw.outcome);
  return { ...(outcome && { outcome }), ...readRange(raw) };
}
