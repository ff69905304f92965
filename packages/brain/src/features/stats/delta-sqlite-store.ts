import type { DatabaseSync } from "node:sqlite";
import type { DeltaRow } from "./deltas.ts";

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

export type DeltaStore = ReturnType<typeof openDeltaStore>;
