import { openIngestAlone } from "@svc/brain/ingest";
import { createFakeClock } from "@svc/testkit";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { compactRollups, foldCounters } from "./fold-counters.ts";
import { decodeHistogram } from "./histogram.ts";

const agentId = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee";
const now = new Date("2026-01-10T10:30:00.000Z");
const twoDaysOn = new Date("2026-01-12T12:00:00.000Z");
let numbers = 0;
const nextId = () => {
  numbers += 1;
  return `00000000-0000-4000-8000-${String(numbers).padStart(12, "0")}`;
};
const { signal } = new AbortController();

// Like two processes whose clocks differ, or of which one lost its lease: only the database separates them.
for (const dialect of testDialects) {
  describe(`folding and compacting at once on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const fold = (at: Date) => foldCounters.tick({ database: opened.database, clock: createFakeClock(at), signal });
    const compact = () => compactRollups.tick({ database: opened.database, clock: createFakeClock(twoDaysOn), signal });

    async function ingest(projectId: string, minute: string): Promise<void> {
      const alone = openIngestAlone({ database: opened.database, clock: createFakeClock(now) });
      const succeeded = {
        id: nextId(),
        kind: "task.succeeded",
        engine: "bullmq",
        task_id: nextId(),
        occurred_at: `2026-01-10T10:${minute}:00.000Z`,
        data: { task_name: "mail", runtime_ms: 250 },
      };
      await alone.ingest.submit({ projectId, agentId, frameTs: now.toISOString(), events: [succeeded] });
      await alone.stop();
    }

    /** Resolves when this number of transactions wait for a lock; SQLite has one writer, so there it resolves at once. */
    async function waiting(count: number): Promise<void> {
      if (dialect === "sqlite") return;
      await expect
        .poll(async () => {
          const { rows } = await sql`
            SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(
            opened.database.read,
          );
          return rows.length;
        })
        .toBe(count);
    }

    /** Folds and compacts while the fold, with its rollups written, waits for a lock on a task count that the test holds. */
    async function foldAndCompact(projectId: string, foldAt: Date): Promise<void> {
      const held = Promise.withResolvers<void>();
      const release = Promise.withResolvers<void>();
      const holding = opened.database.write(async (tx) => {
        await tx.updateTable("task_counts").set({ count: 1 }).where("project_id", "=", projectId).execute();
        held.resolve();
        await release.promise;
      });
      await held.promise;
      const folding = fold(foldAt);
      await waiting(1);
      const compacting = compact();
      await waiting(2);
      release.resolve();
      await Promise.all([holding, folding, compacting]);
    }

    async function counted(projectId: string) {
      const rows = await opened.database.read
        .selectFrom("rollups")
        .selectAll()
        .where("project_id", "=", projectId)
        .where("engine", "=", "bullmq")
        .execute();
      return rows.map(({ grain_minutes, count, run_ms_sum, run_count, run_histogram }) => ({
        grain_minutes,
        count,
        run_ms_sum,
        run_count,
        measured: [...decodeHistogram(run_histogram).values()].reduce((sum, times) => sum + times, 0),
      }));
    }

    test("a minute that grows while it is moved keeps what was added", async () => {
      const projectId = await addProject(opened.database, "11111111-2222-4333-8444-000000000001");
      await ingest(projectId, "01");
      await fold(now);
      await ingest(projectId, "01");

      await foldAndCompact(projectId, now);
      await compact();

      expect(await counted(projectId)).toEqual([
        { grain_minutes: 60, count: 2, run_ms_sum: 500, run_count: 2, measured: 2 },
      ]);
    });

    test("an hour that gets a late event and its minutes at once includes both", async () => {
      const projectId = await addProject(opened.database, "11111111-2222-4333-8444-000000000002");
      await ingest(projectId, "02");
      await fold(now);
      await ingest(projectId, "03");

      await foldAndCompact(projectId, twoDaysOn);

      expect(await counted(projectId)).toEqual([
        { grain_minutes: 60, count: 2, run_ms_sum: 500, run_count: 2, measured: 2 },
      ]);
    });

    test("two folds at once count each change once", async () => {
      const projectId = await addProject(opened.database, "11111111-2222-4333-8444-000000000003");
      for (let times = 0; times < 5; times += 1) {
        await ingest(projectId, "04");
        await Promise.all([fold(now), fold(now)]);
      }
      expect(await counted(projectId)).toEqual([
        { grain_minutes: 1, count: 5, run_ms_sum: 1250, run_count: 5, measured: 5 },
      ]);
    });
  });
}
