/** What ingest notes for the counters, before it is folded into rollups. */
import type { CounterDeltaRow } from "../src/schema/tables/index.ts";

/** Ends of tasks named mail in the queue mails, within one minute; the database numbers the rows. */
export function counterDelta(
  given: Partial<CounterDeltaRow> & Pick<CounterDeltaRow, "project_id" | "bucket_at" | "kind" | "count">,
): CounterDeltaRow {
  const row: Omit<CounterDeltaRow, "seq"> = {
    counter: "rollup",
    engine: "bullmq",
    name: "mail",
    queue: "mails",
    worker: "",
    run_ms_sum: 0,
    run_count: 0,
    run_histogram: null,
    wait_histogram: null,
    ...given,
  };
  return row as CounterDeltaRow;
}
