import type { DatabaseSync } from "node:sqlite";
import type { PoolClient } from "pg";
import type { DeltaRow } from "./deltas.ts";

const insertText = `
  INSERT INTO counter_deltas (project_id, counter, bucket_at, engine, name, queue, worker, kind, count, run_ms_sum, run_count,
    run_histogram, wait_histogram)
  SELECT project_id, counter, to_timestamp(bucket_at / 1000.0), engine, name, queue, worker, kind, count, run_ms_sum, run_count,
    run_histogram, wait_histogram
  FROM jsonb_to_recordset($1::jsonb) AS r (project_id uuid, counter text, bucket_at bigint, engine text, name text, queue text,
    worker text, kind text, count bigint, run_ms_sum bigint, run_count bigint, run_histogram text, wait_histogram text)`;

/** Appends counter changes on PostgreSQL. */
export async function appendDeltas(client: PoolClient, rows: readonly DeltaRow[]): Promise<void> {
  if (rows.length === 0) return;
  await client.query({ name: "ingest-append-deltas", text: insertText, values: [JSON.stringify(rows)] });
}

/** Appends counter changes inside the writer thread. */
export function openDeltaStore(db: DatabaseSync) {
  const insert = db.prepare(
    `INSERT INTO counter_deltas (project_id, counter, bucket_at, engine, name, queue, worker, kind, count, run_ms_sum, run_count,
       run_histogram, wait_histogram) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return {
    append(rows: readonly DeltaRow[]): void {
      for (const row of rows) {
        insert.run(
          row.project_id,
          row.counter,
          row.bucket_at === null ? null : row.bucket_at * 1000,
          row.engine,
          row.name,
          row.queue,
          row.worker,
          row.kind,
          row.count,
          row.run_ms_sum,
          row.run_count,
          row.run_histogram,
          row.wait_histogram,
        );
      }
    },
  };
}
