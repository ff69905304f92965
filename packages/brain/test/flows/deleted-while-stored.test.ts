import { waitFor } from "@svc/testkit";
import { startTestBrain } from "@svc/testkit/brain";
import { migratedDatabaseUrl, testDialects } from "@svc/testkit/databases";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";

describe.runIf(testDialects.includes("postgres"))("a task that is deleted while its next event is being stored", () => {
  test("is built only from the events since the deletion, counted once, and found by its text", async () => {
    const { url, drop } = await migratedDatabaseUrl("postgres");
    const brain = await startTestBrain({ databaseUrl: url });
    const rival = new pg.Client({ connectionString: url });
    await rival.connect();
    onTestFinished(async () => {
      await rival.end();
      await brain.stop();
      await drop();
    });
    const { adapter } = await brain.connectAgent();
    const path = `/projects/${brain.project.slug}/tasks`;
    const emit = (kind: string, seconds: number, data: Record<string, unknown>) =>
      adapter.context.sink.emit([
        {
          kind,
          engine: "scripted",
          task_id: "deleted-1",
          occurred_at: new Date(Date.now() - 60_000 + seconds * 1000).toISOString(),
          data: { task_name: "app.race", ...data },
        },
      ]);
    const read = async () => (await brain.as.viewer.get(`${path}/scripted/deleted-1`)).body;

    emit("task.started", 0, { queue: "first", worker: "w1" });
    await waitFor(async () => (await read())?.state === "started");

    await rival.query("BEGIN");
    await rival.query("DELETE FROM task_search WHERE id IN (SELECT id FROM tasks WHERE task_id = 'deleted-1')");
    await rival.query("DELETE FROM tasks WHERE task_id = 'deleted-1'");
    emit("task.succeeded", 5, { result: 7 });
    await waitFor(async () => {
      const { rows } = await rival.query(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      return rows.length > 0;
    });
    await rival.query("COMMIT");

    await waitFor(async () => (await read())?.state === "success");
    // The queue, worker and time of the started event are deleted.
    expect(await read()).toMatchObject({
      state: "success",
      queue: null,
      worker_name: null,
      started_at: null,
      result: 7,
    });
    const found = await brain.as.viewer.get(`${path}?search=app.race`);
    expect(found.body.items).toHaveLength(1);
  });
});
