import { openIngestAlone } from "@svc/brain/ingest";
import { createFakeClock } from "@svc/testkit";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";

const projectId = "11111111-2222-4333-8444-555555555555";
const agentId = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee";
const frameTs = "2026-01-02T03:04:05.000Z";
let numbers = 0;

function event(kind: string, taskId: string, data: Record<string, unknown>) {
  numbers += 1;
  return {
    id: `00000000-0000-4000-8000-${String(numbers).padStart(12, "0")}`,
    kind,
    engine: "celery",
    task_id: taskId,
    occurred_at: "2026-01-02T03:04:00.000Z",
    data,
  };
}

for (const dialect of testDialects) {
  describe(`metrics of tasks on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);

    test("carry the name in the task's row, whichever event it came from", async () => {
      await addProject(opened.database, projectId);
      const alone = openIngestAlone({ database: opened.database, clock: createFakeClock(frameTs) });
      const submit = (...events: unknown[]) => alone.ingest.submit({ projectId, agentId, frameTs, events });
      await submit(event("task.sent", "earlier", { task_name: "mail" }));
      await submit(
        event("task.succeeded", "earlier", { runtime_ms: 5 }),
        event("task.sent", "same", { task_name: "resize" }),
        event("task.succeeded", "same", { runtime_ms: 5 }),
        event("task.succeeded", "never", { runtime_ms: 5 }),
        event("task.failed", "", { runtime_ms: 5 }),
      );
      const text = await alone.metrics.text();
      await alone.stop();
      const found = text.matchAll(
        /^svc_(project_tasks_total|task_duration_seconds_count)\{.*task_name="(.+?)".*\} (\d+)$/gm,
      );
      expect([...found].map(([, metric, name, count]) => `${metric} ${name} ${count}`).sort()).toEqual([
        "project_tasks_total mail 1",
        "project_tasks_total mail 1",
        "project_tasks_total resize 1",
        "project_tasks_total unknown 1",
        "task_duration_seconds_count mail 1",
        "task_duration_seconds_count resize 1",
        "task_duration_seconds_count unknown 2",
      ]);
    });
  });
}
