import { createFakeClock } from "@svc/testkit";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { pruneQueues } from "./loops.ts";
import { unseenQueues } from "./unseen-store.ts";

const projectId = "11111111-2222-4333-8444-555555555555";
const horizon = new Date("2026-01-01T00:00:00.000Z");
const before = new Date(horizon.getTime() - 1);

for (const dialect of testDialects) {
  describe(`retention of queues on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);

    test("deletes those that were not named within the task retention", async () => {
      const { database } = opened;
      await addProject(database, projectId);
      const queue = (index: number, last_seen_at: Date | null, updated_at: Date) => ({
        id: `00000000-0000-4000-8000-00000000000${index}`,
        project_id: projectId,
        engine: "bullmq",
        name: `q${index}`,
        broker_type: null,
        broker_url_hint: null,
        last_seen_at,
        pending_count: 0,
        consumer_count: 0,
        oldest_waiting_since: null,
        depth_reported_at: null,
        consumers_reported_at: null,
        metadata: "{}",
        created_at: before,
        updated_at,
      });
      const rows = [
        queue(1, before, horizon),
        queue(2, before, horizon),
        queue(3, null, before),
        queue(4, horizon, before),
        // Retention counts back from a day before the newest row.
        queue(5, new Date("2026-04-02T10:00:00.000Z"), before),
      ];
      await database.write((tx) => tx.insertInto("queues").values(rows).execute());
      const deps = {
        database,
        clock: createFakeClock("2026-04-01T10:00:00.000Z"),
        settings: { SVC_TASK_RETENTION_DAYS: 90 },
      };

      expect(await pruneQueues.tick({ ...deps, signal: AbortSignal.abort() })).toEqual({ deleted: 0 });
      expect(await unseenQueues.remove(database, horizon, 1)).toBe(1);
      expect(await pruneQueues.tick({ ...deps, signal: new AbortController().signal })).toEqual({ deleted: 2 });

      const left = await database.read.selectFrom("queues").select("name").orderBy("name").execute();
      expect(left).toEqual([{ name: "q4" }, { name: "q5" }]);
    });
  });
}
