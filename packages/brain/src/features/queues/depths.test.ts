import { createFakeClock } from "@svc/testkit";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { plansOf } from "../../../test/query-plans.ts";
import { countsOfQueues, depthsOfQueues, totalsOfQueues } from "./activity-reads.ts";
import { deleteOldDepths, writeDepthCells } from "./depth-store.ts";
import { pruneQueueDepths } from "./loops.ts";
import { createQueues } from "./queues.ts";

const projectId = "11111111-2222-4333-8444-555555555555";
const queueId = "21111111-2222-4333-8444-555555555555";
const now = new Date("2026-04-01T10:30:30.000Z");
const hourMs = 3_600_000;

for (const dialect of testDialects) {
  describe(`the depths of queues over time on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const cells = () =>
      opened.database.read
        .selectFrom("queue_depths")
        .select(["cell_at", "pending_count", "consumer_count"])
        .orderBy("cell_at")
        .execute();
    const report = (at: Date, pending: number, consumers = 1) =>
      opened.database.write((tx) =>
        writeDepthCells(
          tx,
          [
            {
              project_id: projectId,
              id: queueId,
              pending_count: pending,
              consumer_count: consumers,
              depth_reported_at: at,
            },
          ],
          now,
        ),
      );

    beforeAll(() => addProject(opened.database, projectId));
    beforeEach(() =>
      opened.database.write(async (tx) => {
        await tx.deleteFrom("queue_depths").execute();
      }),
    );

    test("keep the highest depth and the last consumers of each two minutes", async () => {
      await report(new Date("2026-04-01T10:28:05.000Z"), 4);
      await report(new Date("2026-04-01T10:28:55.000Z"), 9);
      await report(new Date("2026-04-01T10:29:55.000Z"), 2, 3);
      await report(new Date("2026-04-01T10:30:05.000Z"), 1);
      expect(await cells()).toEqual([
        { cell_at: new Date("2026-04-01T10:28:00.000Z"), pending_count: 9, consumer_count: 3 },
        { cell_at: new Date("2026-04-01T10:30:00.000Z"), pending_count: 1, consumer_count: 1 },
      ]);
    });

    test("ignore reports older than the retention, or ahead of the clock", async () => {
      await report(new Date(now.getTime() - 25 * hourMs), 1);
      await report(new Date(now.getTime() + hourMs), 1);
      expect(await cells()).toEqual([]);
    });

    test("come from the reports of agents", async () => {
      const queues = createQueues({
        database: opened.database,
        clock: createFakeClock(now.toISOString()),
        publish() {},
        onError(error) {
          throw error;
        },
      });
      queues.depthsReported(projectId, "bullmq", [["mails", 12]], now);
      queues.touch(projectId, "bullmq", "only named", now);
      await queues.flush();
      await queues.stop();
      expect((await cells()).map(({ pending_count }) => pending_count)).toEqual([12]);
    });

    test("stay as reported, whatever else is reported of the queue later", async () => {
      const clock = createFakeClock(now.toISOString());
      const queues = createQueues({
        database: opened.database,
        clock,
        publish() {},
        onError(error) {
          throw error;
        },
      });
      const health = (consumers: number, depths: Record<string, string> = {}) => ({
        "bullmq.queue_consumers": JSON.stringify({ later: consumers }),
        ...depths,
      });
      queues.applyHealth(projectId, now, health(2, { "bullmq.queue_depths": '{"later":5}' }));
      await queues.flush();
      clock.advance(300_000);
      queues.applyHealth(projectId, clock.now(), health(9));
      await queues.flush();
      const [cell, ...others] = await cells();
      expect([cell?.pending_count, cell?.consumer_count, others]).toEqual([5, 2, []]);

      await opened.database.write((tx) => tx.deleteFrom("queue_depths").execute());
      queues.touch(projectId, "bullmq", "later", clock.now());
      await queues.flush();
      await queues.stop();
      expect(await cells()).toEqual([]);
    });

    test("are deleted after a day, in bounded steps", async () => {
      await report(new Date(now.getTime() - 10 * hourMs), 1);
      await report(new Date(now.getTime() - 9 * hourMs), 2);
      await report(now, 3);
      // Retention counts back from a day before the newest row.
      const newest = { project_id: projectId, queue_id: queueId, pending_count: 4, consumer_count: 1 };
      const cell_at = new Date(now.getTime() + 48 * hourMs);
      await opened.database.write((tx) =>
        tx
          .insertInto("queue_depths")
          .values({ ...newest, cell_at })
          .execute(),
      );
      const later = createFakeClock(new Date(now.getTime() + 16 * hourMs).toISOString());
      const deps = { database: opened.database, clock: later };
      expect(await pruneQueueDepths.tick({ ...deps, signal: AbortSignal.abort() })).toEqual({ deleted: 0 });
      expect(await deleteOldDepths(opened.database, new Date(now.getTime() - 8 * hourMs), 1)).toBe(1);
      expect(await pruneQueueDepths.tick({ ...deps, signal: new AbortController().signal })).toEqual({ deleted: 1 });
      expect((await cells()).map(({ pending_count }) => pending_count)).toEqual([3, 4]);
    });

    test("are read through their index by queue and time, whatever else is stored", async () => {
      const { database } = opened;
      const plan = await plansOf(database, async (slow) => {
        const watched = { ...database, slow };
        await depthsOfQueues(watched, projectId, { from: now, ids: [queueId] });
        const asked = { from: now, to: now, kinds: ["task.sent"], names: ["a", "b"] };
        await totalsOfQueues(watched, projectId, asked);
        await countsOfQueues(watched, projectId, asked);
      });
      if (dialect === "sqlite") {
        expect(plan).toMatch(/SEARCH queue_depths .*\(project_id=\? AND queue_id=\? AND cell_at>\?\)/);
        expect(plan).toMatch(
          /SEARCH rollups .*rollup_totals \(project_id=\? AND queue=\? AND kind=\? AND bucket_at>\? AND bucket_at<\?\)/,
        );
        expect(plan).toMatch(
          /SEARCH rollups .*rollups_by_queue \(project_id=\? AND queue=\? AND bucket_at>\? AND bucket_at<\?\)/,
        );
      } else {
        expect(plan).toMatch(/Index Cond: \(\(project_id = .*queue_id = .*cell_at >= /);
        expect(plan).toMatch(/Index Cond: \(\(project_id = .*bucket_at >= .*bucket_at < /);
      }
    });
  });
}
