import { createFakeClock } from "@svc/testkit";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { pruneWorkers } from "./loops.ts";
import { unseenWorkers } from "./store.ts";

const projectId = "11111111-2222-4333-8444-555555555555";
const horizon = new Date("2026-01-01T00:00:00.000Z");
const before = new Date(horizon.getTime() - 1);

for (const dialect of testDialects) {
  describe(`retention of workers on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);

    test("deletes offline workers that were not named within the task retention", async () => {
      const { database } = opened;
      await addProject(database, projectId);
      const worker = (index: number, state: string, last_heartbeat: Date | null, updated_at: Date) => ({
        id: `00000000-0000-4000-8000-00000000000${index}`,
        project_id: projectId,
        engine: "bullmq",
        name: `w${index}`,
        hostname: null,
        pid: null,
        concurrency: null,
        queues: "[]",
        state,
        state_key: null,
        state_at: null,
        last_heartbeat,
        load_average: null,
        memory_bytes: null,
        active_tasks: 0,
        metadata: "{}",
        created_at: before,
        updated_at,
      });
      const rows = [
        worker(1, "offline", before, horizon),
        worker(2, "offline", before, horizon),
        worker(3, "offline", null, before),
        worker(4, "offline", horizon, before),
        worker(5, "online", before, before),
        // Retention counts back from a day before the newest row.
        worker(6, "offline", new Date("2026-04-02T10:00:00.000Z"), before),
      ];
      await database.write((tx) => tx.insertInto("workers").values(rows).execute());
      const deps = {
        database,
        clock: createFakeClock("2026-04-01T10:00:00.000Z"),
        settings: { SVC_TASK_RETENTION_DAYS: 90 },
      };

      expect(await pruneWorkers.tick({ ...deps, signal: AbortSignal.abort() })).toEqual({ deleted: 0 });
      expect(await unseenWorkers.remove(database, horizon, 1)).toBe(1);
      expect(await pruneWorkers.tick({ ...deps, signal: new AbortController().signal })).toEqual({ deleted: 2 });

      const left = await database.read.selectFrom("workers").select("name").orderBy("name").execute();
      expect(left).toEqual([{ name: "w4" }, { name: "w5" }, { name: "w6" }]);
    });
  });
}
