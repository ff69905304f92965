/** What ingest notes for the counters, before it is folded into rollups. */
import { sql } from "kysely";
import type { Database } from "../src/platform/database/database.ts";
import type { CounterDeltaRow, Tables } from "../src/schema/tables/index.ts";

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

const rowsPerStatement = 500;

/** Notes changes as ingest does. */
export const noteChanges = ({ write }: Database<Tables>, changes: readonly CounterDeltaRow[]): Promise<void> =>
  write(async (tx) => {
    for (let start = 0; start < changes.length; start += rowsPerStatement) {
      await tx
        .insertInto("counter_deltas")
        .values(changes.slice(start, start + rowsPerStatement))
        .execute();
    }
  });

/** Leaves what an upgrade at this instant found: rollups, of which neither totals by name nor totals of queues were kept so far. */
export const forgetTotals = ({ write }: Database<Tables>, upgradedAt: Date): Promise<void> =>
  write(async (tx) => {
    await tx.deleteFrom("name_rollups").execute();
    await tx.deleteFrom("rollups").where("engine", "=", "").where("queue", "<>", "").execute();
    await sql`UPDATE schema_migrations SET applied_at = ${upgradedAt} WHERE name >= '0005'`.execute(tx);
    const earlier = new Date(upgradedAt.getTime() - 1);
    await sql`UPDATE schema_migrations SET applied_at = ${earlier} WHERE name < '0005'`.execute(tx);
  });
