import { randomUUID } from "node:crypto";
import type { TestBrain } from "@svc/testkit/brain";

export const longFleetRows = 2000;
const rowsPerStatement = 100;

const numbered = (word: string, at: number) => `${word}-${String(at).padStart(4, "0")}`;

/** Stores the maximum number of queues, workers and agents that a page lists, named `queue-0000` and so on. */
export async function storeLongFleet(brain: TestBrain): Promise<void> {
  const at = new Date();
  const project = { project_id: brain.project.id, metadata: "{}", created_at: at, updated_at: at };
  const queue = (index: number) => ({
    ...project,
    id: randomUUID(),
    engine: "bullmq",
    name: numbered("queue", index),
    broker_type: null,
    broker_url_hint: null,
    last_seen_at: at,
    pending_count: 0,
    consumer_count: 1,
    oldest_waiting_since: null,
    depth_reported_at: at,
    consumers_reported_at: at,
    oldest_reported_at: null,
  });
  const worker = (index: number) => ({
    ...project,
    id: randomUUID(),
    engine: "bullmq",
    name: numbered("worker", index),
    hostname: `host-${index % 50}.internal`,
    pid: 1000 + index,
    concurrency: 8,
    queues: JSON.stringify([numbered("queue", index)]),
    state: "unknown",
    state_key: null,
    state_at: null,
    last_heartbeat: at,
    load_average: null,
    memory_bytes: null,
    active_tasks: index % 8,
    details_at: null,
  });
  const agent = (index: number) => ({
    ...project,
    id: randomUUID(),
    name: numbered("agent", index),
    token_hash: randomUUID(),
    state: "unknown",
    transport: "ws",
    protocol_version: "2",
    agent_version: "0.1.0",
    framework_adapter: "node",
    host_name: `host-${index % 50}.internal`,
    engine_adapters: '["bullmq"]',
    scheduler_adapters: "[]",
    capabilities: JSON.stringify({ bullmq: ["retry_task", "cancel_task", "bulk_retry", "list_dead_letters"] }),
    runtime_features: "[]",
    last_seen_at: at,
    last_connect_at: at,
    revoked_at: null,
  });
  const { database } = brain.running.brain;
  for (let start = 0; start < longFleetRows; start += rowsPerStatement) {
    const some = Array.from({ length: rowsPerStatement }, (_, index) => start + index);
    await database.write(async (tx) => {
      await tx.insertInto("queues").values(some.map(queue)).execute();
      await tx.insertInto("workers").values(some.map(worker)).execute();
      await tx.insertInto("agents").values(some.map(agent)).execute();
    });
  }
}
