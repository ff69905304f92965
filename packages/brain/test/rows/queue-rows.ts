import { randomUUID } from "node:crypto";
import type { QueueRow } from "../../src/schema/tables/index.ts";

/** A queue known from events that no agent has reported. */
export function queueRow(given: Partial<QueueRow> & Pick<QueueRow, "project_id" | "name">): QueueRow {
  const at = new Date();
  return {
    id: randomUUID(),
    engine: "bullmq",
    broker_type: null,
    broker_url_hint: null,
    last_seen_at: null,
    pending_count: 0,
    consumer_count: 0,
    oldest_waiting_since: null,
    depth_reported_at: null,
    consumers_reported_at: null,
    oldest_reported_at: null,
    metadata: "{}",
    created_at: at,
    updated_at: at,
    ...given,
  };
}
