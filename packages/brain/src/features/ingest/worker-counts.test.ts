import { openIngestAlone } from "@svc/brain/ingest";
import { createFakeClock } from "@svc/testkit";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";

const projectId = "11111111-2222-4333-8444-555555555555";
const agentId = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee";
const frameTs = "2026-01-10T10:30:00.000Z";
const hour = new Date("2026-01-10T10:00:00.000Z");
let numbers = 0;

function event(kind: string, taskId: string, data: Record<string, unknown> = { worker: "w" }) {
  numbers += 1;
  return {
    id: `00000000-0000-4000-8000-${String(numbers).padStart(12, "0")}`,
    kind,
    engine: "celery",
    task_id: taskId,
    occurred_at: "2026-01-10T10:01:00.000Z",
    data,
  };
}

for (const dialect of testDialects) {
  describe(`counts of workers on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);

    test("include every task event that names the worker, even without a task, and no event about the worker itself", async () => {
      await addProject(opened.database, projectId);
      const alone = openIngestAlone({ database: opened.database, clock: createFakeClock(frameTs) });
      const events = [
        event("task.sent", "t"),
        event("task.started", "t"),
        event("task.failed", "t"),
        event("task.failed", "", { worker: "w", task_name: "mail", queue: "q", runtime_ms: 20 }),
        event("worker.online", ""),
        event("worker.heartbeat", "named-by-mistake"),
        event("queue.depth_report", "", { worker: "w", depths: {} }),
      ];

      await alone.ingest.submit({ projectId, agentId, frameTs, events });
      await alone.foldCounters();
      await alone.stop();

      const { read } = opened.database;
      const workers = await read.selectFrom("worker_rollups").selectAll().orderBy("kind").execute();
      const ofWorker = { project_id: projectId, engine: "celery", worker: "w", hour_at: hour };
      expect(workers).toEqual([
        { ...ofWorker, kind: "task.failed", count: 2 },
        { ...ofWorker, kind: "task.started", count: 1 },
      ]);
      const rollups = await read
        .selectFrom("rollups")
        .select(["kind", "name", "queue", "count", "run_ms_sum"])
        .where("engine", "=", "celery")
        .execute();
      const key = ({ kind, name }: { kind: string; name: string }) => `${kind} ${name}`;
      expect(rollups.sort((a, b) => (key(a) < key(b) ? -1 : 1))).toEqual([
        { kind: "queue.depth_report", name: "", queue: "", count: 1, run_ms_sum: 0 },
        { kind: "task.failed", name: "mail", queue: "q", count: 1, run_ms_sum: 20 },
        { kind: "task.failed", name: "unknown", queue: "", count: 1, run_ms_sum: 0 },
        { kind: "task.sent", name: "unknown", queue: "", count: 1, run_ms_sum: 0 },
        { kind: "task.started", name: "unknown", queue: "", count: 1, run_ms_sum: 0 },
        { kind: "worker.heartbeat", name: "", queue: "", count: 1, run_ms_sum: 0 },
        { kind: "worker.online", name: "", queue: "", count: 1, run_ms_sum: 0 },
      ]);
      const states = await read.selectFrom("workers").select(["name", "state"]).execute();
      expect(states).toEqual([{ name: "w", state: "online" }]);
    });
  });
}
