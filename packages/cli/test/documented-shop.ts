/** A service as the documentation assumes it: the project `default`, a BullMQ agent with failed tasks, and the credentials of a caller. */
import { randomUUID } from "node:crypto";
import type { Command, CommandOutcome } from "@svc/agent";
import type { EventRecord } from "@svc/protocol";
import { startTestBrain, type TestBrain, testPassword } from "@svc/testkit/brain";
import { createScriptedAdapter, waitFor } from "@svc/testkit/peer";

const capabilities = ["retry_task", "bulk_retry", "retry_by_reference_v1", "list_dead_letters", "requeue_dead_letter"];

/** The tasks that documented commands name. */
const failedTasks = [
  { taskId: "emails:42", queue: "emails", customer: 7 },
  { taskId: "mail:4711", queue: "mail", customer: 7 },
  { taskId: "billing:1", queue: "billing", customer: 42 },
];

export interface DocumentedShop {
  readonly brain: TestBrain;
  /** Values in the documentation, and their replacements here. */
  readonly values: readonly (readonly [written: RegExp, here: string])[];
}

export async function startDocumentedShop(): Promise<DocumentedShop> {
  const brain = await startTestBrain();
  const adapter = createScriptedAdapter("bullmq", capabilities);
  await brain.connectAgent({ engines: [adapter] });
  const event = (kind: string, task: (typeof failedTasks)[number]): EventRecord => ({
    id: randomUUID(),
    kind,
    engine: "bullmq",
    task_id: task.taskId,
    occurred_at: new Date().toISOString(),
    data: {
      queue: task.queue,
      task_name: "send",
      kwargs: { customer: task.customer },
      ...(kind === "task.failed" && { exception: "mailbox full" }),
    },
  });
  const emit = (events: EventRecord[]) => adapter.context.sink.emit(events, { key: "at", value: randomUUID() });
  emit(failedTasks.map((task) => event("task.failed", task)));
  adapter.answerCommands(async ({ action, parameters }: Command): Promise<CommandOutcome> => {
    if (action === "dlq.list") {
      const entries = failedTasks
        .filter(({ queue }) => queue === parameters.queue)
        .map(({ taskId, queue }) => ({
          task_id: taskId,
          task_name: "send",
          queue,
          failed_at: "2026-05-20T08:00:00Z",
          attempts: 3,
          error_excerpt: "mailbox full",
        }));
      return { status: "success", result: { entries, next_cursor: null, total: entries.length, engine: "bullmq" } };
    }
    const { task_id: taskId, filter } = parameters as { task_id?: string; filter?: { task_ids: string[] } };
    const ids = taskId === undefined ? (filter?.task_ids ?? []) : [taskId];
    emit(failedTasks.filter((task) => ids.includes(task.taskId)).map((task) => event("task.succeeded", task)));
    return { status: "success", result: { results: ids.map((id) => ({ task_id: id, status: "success" })) } };
  });
  const { root } = brain.as;
  await waitFor(async () => (await root.get("/projects/shop/tasks?state=failure")).body.items.length === 3);
  // The test project replaces the first one.
  await root.patch("/projects/default", { slug: "before" });
  await root.delete("/projects/before");
  const renamed = await root.patch("/projects/shop", { slug: "default" });
  if (renamed.status !== 200) throw new Error(`renaming the project answered ${renamed.status}`);
  const scopes = ["commands:write", "commands:read", "tasks:read", "projects:read"];
  const { body } = await root.post("/api-keys", { name: "documented", scopes });
  return {
    brain,
    values: [
      [/https:\/\/svc\.example\.com|http:\/\/(?:localhost|127\.0\.0\.1):7700/g, brain.url],
      [/you@example\.com|ann@example\.com/g, "admin@example.org"],
      [/"password":"…"/g, `"password":"${testPassword}"`],
      [/\/var\/lib\/svc/g, "data"],
      [/svk_…/g, body.token],
      [/0197…/g, brain.project.id],
    ],
  };
}
