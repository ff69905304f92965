import { waitFor } from "@svc/testkit";
import type { TestBrain } from "@svc/testkit/brain";

type Connected = Pick<Awaited<ReturnType<TestBrain["connectAgent"]>>, "adapter">;

export interface ReportedEvent {
  kind: string;
  taskId: string;
  /** Seconds before now. */
  ago?: number;
  data?: Record<string, unknown>;
}

let position = 0;

/** Sends task events through a connected agent, as an engine's adapter would. */
export function report({ adapter }: Connected, events: readonly ReportedEvent[]): void {
  const now = Date.now();
  adapter.context.sink.emit(
    events.map(({ kind, taskId, ago = 0, data = {} }) => ({
      kind,
      engine: adapter.name,
      task_id: taskId,
      occurred_at: new Date(now - ago * 1000).toISOString(),
      data,
    })),
    { key: "test", value: String(++position) },
  );
}

/** Reports events, and resolves when the brain shows the last of their tasks. An open list would only announce new ones. */
export async function reportAndWait(
  brain: TestBrain,
  connected: Connected,
  events: readonly ReportedEvent[],
): Promise<void> {
  report(connected, events);
  const path = `/projects/${brain.project.slug}/tasks/${connected.adapter.name}/${encodeURIComponent(events.at(-1)?.taskId ?? "")}`;
  await waitFor(async () => (await brain.as.root.get(path)).status === 200);
}

export const trace = `PaymentError: upstream 503
    at GatewayClient.post (/app/src/gateway.ts:87:11)
    at async Worker.processJob (/app/node_modules/bullmq/dist/worker.js:512:28)`;

/**
 * Reports one task of every kind: finished, failed after a retry, running, waiting, with a parent and a child. Resolves when
 * the brain lists them, their queues and their workers; a page loaded earlier shows them only after its next read.
 */
export async function reportSample(brain: TestBrain, connected: Connected): Promise<void> {
  report(connected, [
    {
      kind: "task.sent",
      taskId: "ok-1",
      ago: 90,
      data: {
        task_name: "emails.send_receipt",
        queue: "emails",
        args: [{ order: 88213, access_token: "x" }],
        priority: "high",
      },
    },
    { kind: "task.started", taskId: "ok-1", ago: 88, data: { worker: "mailer-1", wait_ms: 2000 } },
    { kind: "task.succeeded", taskId: "ok-1", ago: 85, data: { runtime_ms: 3000, result: { sent: true } } },
    {
      kind: "task.sent",
      taskId: "bad-1",
      ago: 80,
      data: { task_name: "billing.charge", queue: "billing", max_attempts: 2, args: [{ gateway: "eu-1" }] },
    },
    { kind: "task.started", taskId: "bad-1", ago: 78, data: { worker: "billing-1", attempt: 0 } },
    {
      kind: "task.retried",
      taskId: "bad-1",
      ago: 70,
      data: { attempt: 0, exception: "PaymentError: upstream 503", traceback: trace },
    },
    { kind: "task.started", taskId: "bad-1", ago: 60, data: { worker: "billing-1", attempt: 1 } },
    {
      kind: "task.failed",
      taskId: "bad-1",
      ago: 50,
      data: { attempt: 1, exception: "PaymentError: upstream 503", traceback: trace },
    },
    { kind: "task.sent", taskId: "root-1", ago: 40, data: { task_name: "billing.run_invoices", queue: "billing" } },
    { kind: "task.started", taskId: "root-1", ago: 39, data: { worker: "billing-1" } },
    {
      kind: "task.sent",
      taskId: "child-1",
      ago: 30,
      data: { task_name: "media.render_pdf", queue: "media", parent_task_id: "root-1", root_task_id: "root-1" },
    },
    {
      kind: "task.sent",
      taskId: "wait-1",
      ago: 5,
      data: { task_name: "search.reindex", queue: "search", priority: "low" },
    },
  ]);
  const statsPath = `/projects/${brain.project.slug}/stats`;
  await waitFor(async () => (await brain.as.root.get(statsPath)).body.tasks_total >= 5);
  await brain.flushNotes();
}
