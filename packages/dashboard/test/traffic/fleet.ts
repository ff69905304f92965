import { waitFor } from "@svc/testkit";
import type { TestBrain } from "@svc/testkit/brain";
import { createEagerClock, createScriptedAdapter, type ScriptedAdapter } from "@svc/testkit/peer";
import { report } from "./task-traffic.ts";

type Snapshot = Awaited<ReturnType<Parameters<ScriptedAdapter["answerSnapshot"]>[0]>>;

export interface Fleet {
  adapter: ScriptedAdapter;
  agentId: string;
  /** Changes the fleet's snapshot; the agent reports it without waiting for its next heartbeat. */
  report(snapshot: Snapshot): void;
  stopAgent(): Promise<unknown>;
}

/** The heartbeat interval that the server requests. */
const heartbeatMs = 10_000;

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();

/** A snapshot with a queue without workers, a queue with a long wait, a normal queue, a full worker and an idle one. */
export function fleetSnapshot(): Snapshot {
  return {
    queue_depths: { "search-bulk": 18, billing: 194, emails: 46, reports: 0 },
    queue_consumers: { "search-bulk": 0, billing: 4, emails: 20, reports: 1 },
    queue_oldest: { "search-bulk": ago(840), billing: ago(341), emails: ago(3) },
    worker_details: {
      "billing-1": {
        hostname: "worker-a.internal",
        pid: 4711,
        concurrency: 4,
        load_average: 3.4,
        memory_bytes: 268_435_456,
        active_tasks: 4,
        active_queues: ["billing"],
        stats: { total: { "billing.charge": 1204 }, uptime: 86_400 },
        conf: { worker_concurrency: 4, timezone: "UTC" },
      },
      "mailer-1": {
        hostname: "worker-b.internal",
        pid: 812,
        concurrency: 20,
        load_average: 0.41,
        memory_bytes: 134_217_728,
        active_tasks: 3,
        active_queues: ["emails", "reports"],
      },
    },
  };
}

/** Stores the loss of 31 events from `fromAgo` to `toAgo` seconds ago, as the server does when an agent's loss counters rise. */
export async function noteLoss(
  brain: TestBrain,
  agentId: string,
  { fromAgo, toAgo }: Record<"fromAgo" | "toAgo", number>,
) {
  await brain.running.brain.database.write((tx) =>
    tx
      .insertInto("loss_intervals")
      .values({
        id: crypto.randomUUID(),
        project_id: brain.project.id,
        agent_id: agentId,
        reason: "capacity",
        from_at: new Date(ago(fromAgo)),
        to_at: new Date(ago(toAgo)),
        event_records: 31,
        other_frames: 0,
      })
      .execute(),
  );
}

/** Connects an agent with the snapshot above and with running and failed tasks. Resolves when the brain shows them. */
export async function connectFleet(brain: TestBrain): Promise<Fleet> {
  const adapter = createScriptedAdapter("bullmq", ["retry_task", "cancel_task", "bulk_retry", "list_dead_letters"]);
  adapter.answerSnapshot(async () => fleetSnapshot());
  const clock = createEagerClock();
  const connected = await brain.connectAgent({ engines: [adapter], framework: "node", workerRole: "other", clock });
  report({ adapter }, [
    ...["charge-1", "charge-2", "charge-3"].flatMap((taskId, at) => [
      { kind: "task.sent", taskId, ago: 60 - at, data: { task_name: "billing.charge", queue: "billing" } },
      { kind: "task.started", taskId, ago: 50 - at, data: { worker: "billing-1", wait_ms: 10_000 } },
    ]),
    {
      kind: "task.failed",
      taskId: "charge-1",
      ago: 20,
      data: { worker: "billing-1", runtime_ms: 30_000, exception: "PaymentError: upstream 503 after 30 s" },
    },
    { kind: "task.sent", taskId: "mail-1", ago: 30, data: { task_name: "emails.send", queue: "emails" } },
    { kind: "task.started", taskId: "mail-1", ago: 29, data: { worker: "mailer-1", wait_ms: 900 } },
    { kind: "task.succeeded", taskId: "mail-1", ago: 28, data: { worker: "mailer-1", runtime_ms: 340 } },
  ]);
  const at = `/projects/${brain.project.slug}`;
  await waitFor(async () => {
    await brain.flushNotes();
    const [queues, workers, tasks] = await Promise.all(
      ["queues", "workers", "tasks"].map((list) => brain.as.root.get(`${at}/${list}`)),
    );
    const known = (queues?.body.items ?? []).filter((one: { depth_reported_at: unknown }) => one.depth_reported_at);
    return known.length === 4 && workers?.body.items.length === 2 && tasks?.body.items.length === 4;
  });
  await brain.runLoop("stats.fold-counters");
  return {
    adapter,
    agentId: connected.minted.agentId,
    report(snapshot) {
      adapter.answerSnapshot(async () => snapshot);
      clock.fire(heartbeatMs);
    },
    stopAgent: () => connected.agent.stop(),
  };
}
