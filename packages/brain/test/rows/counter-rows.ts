/** Counter changes as ingest writes them, before they are folded into rollups. */
import type { Database } from "../../src/platform/database/database.ts";
import type { CounterDeltaRow, Tables } from "../../src/schema/tables/index.ts";

/** Finished tasks named mail in the queue mails, within one minute; the database numbers the rows. */
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

const rowsPerStatement = 500;

/** Writes changes as ingest does. */
export const noteChanges = ({ write }: Database<Tables>, changes: readonly CounterDeltaRow[]): Promise<void> =>
  write(async (tx) => {
    for (let start = 0; start < changes.length; start += rowsPerStatement) {
      await tx
        .insertInto("counter_deltas")
        .values(changes.slice(start, start + rowsPerStatement))
        .execute();
    }
  });
