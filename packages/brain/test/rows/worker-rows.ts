import { randomUUID } from "node:crypto";
import type { WorkerRow } from "../../src/schema/tables/index.ts";

/** An online worker with its last heartbeat at `at`. */
export function workerRow({
  at,
  ...given
}: { at: Date } & Partial<WorkerRow> & Pick<WorkerRow, "project_id">): WorkerRow {
  return {
    id: randomUUID(),
    engine: "bullmq",
    name: "w",
    hostname: null,
    pid: null,
    concurrency: null,
    queues: "[]",
    state: "online",
    state_key: null,
    state_at: null,
    last_heartbeat: at,
    load_average: null,
    memory_bytes: null,
    active_tasks: 0,
    metadata: "{}",
    details_at: null,
    created_at: at,
    updated_at: at,
    ...given,
  };
}
