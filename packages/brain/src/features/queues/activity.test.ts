import { randomUUID } from "node:crypto";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RollupRow } from "../../schema/tables/index.ts";
import { depthCell, depthCellMs } from "./depth-store.ts";

const minuteMs = 60_000;
const dayMs = 86_400_000;
const minute = Math.floor(Date.now() / minuteMs) * minuteMs;

for (const dialect of testDialects) {
  describe(`the activity of the queues of a project on ${dialect}`, () => {
    let brain: TestBrain;
    const mails = randomUUID();
    const oldCell = new Date(depthCell(new Date(minute - 20 * minuteMs)));
    const get = (path: string) => brain.as.viewer.get(`/projects/shop/queues/${path}`);

    beforeAll(async () => {
      brain = await startTestBrain({ dialect });
      const at = new Date();
      const queue = (id: string, engine: string, name: string) => ({
        id,
        project_id: brain.project.id,
        engine,
        name,
        broker_type: null,
        broker_url_hint: null,
        last_seen_at: at,
        pending_count: 7,
        consumer_count: 2,
        oldest_waiting_since: null,
        depth_reported_at: at,
        consumers_reported_at: at,
        metadata: "{}",
        created_at: at,
        updated_at: at,
      });
      const counted = (given: Partial<RollupRow>): RollupRow => ({
        project_id: brain.project.id,
        grain_minutes: 1,
        bucket_at: new Date(minute - 10 * minuteMs),
        engine: "bullmq",
        name: "mail.send",
        queue: "mails/out",
        kind: "task.sent",
        count: 1,
        run_ms_sum: 0,
        run_count: 0,
        run_histogram: null,
        wait_histogram: null,
        ...given,
      });
      await brain.running.brain.database.write(async (tx) => {
        await tx
          .insertInto("queues")
          .values([
            queue(mails, "bullmq", "mails/out"),
            queue(randomUUID(), "celery", "mails/out"),
            queue(randomUUID(), "bullmq", "files"),
          ])
          .execute();
        await tx
          .insertInto("rollups")
          .values([
            counted({ count: 12 }),
            counted({ count: 3, name: "mail.bounce" }),
            counted({ count: 9, kind: "task.started" }),
            counted({ count: 5, kind: "task.succeeded" }),
            counted({ count: 2, kind: "task.failed" }),
            counted({ count: 1, kind: "task.rejected" }),
            counted({ count: 50, queue: "other" }),
            counted({ count: 60, engine: "celery" }),
            counted({ count: 400, bucket_at: new Date(minute - 90 * minuteMs) }),
            // The total is read for a queue whose name is unique, whatever the task names in it.
            counted({ count: 31, queue: "files", engine: "", name: "" }),
            counted({ count: 4, queue: "files", engine: "", name: "", kind: "task.failed" }),
            counted({ count: 31, queue: "files" }),
            // Totals of queues with the same name have no engine.
            counted({ count: 75, engine: "", name: "" }),
            // A total of the project, without a queue.
            counted({ count: 999, engine: "", name: "", queue: "" }),
          ])
          .execute();
        const depth = (cell_at: Date, pending_count: number) => ({
          project_id: brain.project.id,
          queue_id: mails,
          cell_at,
          pending_count,
          consumer_count: 2,
        });
        await tx
          .insertInto("queue_depths")
          .values([depth(oldCell, 40), depth(new Date(oldCell.getTime() - 3 * 3_600_000), 8)])
          .execute();
      });
    });
    afterAll(() => brain.stop());

    test("shows what entered and left each queue, with the depths over that time", async () => {
      const { status, body } = await get("activity?minutes=60");
      expect(status).toBe(200);
      expect(body).toMatchObject({ step_seconds: depthCellMs / 1000, truncated: false });
      expect(Date.parse(body.to) - Date.parse(body.from)).toBeGreaterThanOrEqual(60 * minuteMs);
      const [single, own, other] = body.items;
      expect(single).toMatchObject({ engine: "bullmq", name: "files", entered: 31, started: 0, ended: 4, failed: 4 });
      expect(own).toMatchObject({
        queue_id: mails,
        engine: "bullmq",
        name: "mails/out",
        entered: 15,
        started: 9,
        ended: 8,
        failed: 2,
      });
      expect(own.pending.filter((depth: number | null) => depth !== null)).toEqual([40]);
      const first = depthCell(new Date(body.from)).getTime();
      expect(own.pending.indexOf(40)).toBe((oldCell.getTime() - first) / depthCellMs);
      expect(other).toMatchObject({ engine: "celery", entered: 60, ended: 0 });
    });

    test("counts a single queue within the requested minutes", async () => {
      const only = (await get("activity?minutes=60&engine=celery&name=mails%2Fout")).body.items;
      expect(only.map(({ engine, entered }: { engine: string; entered: number }) => [engine, entered])).toEqual([
        ["celery", 60],
      ]);
      expect((await get("activity?minutes=5")).body.items[0]).toMatchObject({ entered: 0, started: 0 });
      expect((await get("activity?minutes=61")).status).toBe(422);
    });

    test("shows one queue by engine and name", async () => {
      const { status, body } = await get("bullmq/mails%2Fout");
      expect([status, body.id, body.pending_count]).toEqual([200, mails, 7]);
      expect((await get("bullmq/none")).status).toBe(404);
      expect((await brain.as.stranger.get("/projects/shop/queues/bullmq/mails%2Fout")).status).toBe(404);
    });

    test("returns the depths of one queue, all that are kept or a part", async () => {
      const all = (await get("bullmq/mails%2Fout/depths")).body;
      expect(all.series.map(({ pending }: { pending: number }) => pending)).toEqual([8, 40]);
      expect(all.series[1]).toEqual({ t: oldCell.toISOString(), pending: 40, consumers: 2 });
      const since = new Date(minute - 60 * minuteMs).toISOString();
      expect((await get(`bullmq/mails%2Fout/depths?since=${since}`)).body.series).toHaveLength(1);
      expect((await get(`bullmq/mails%2Fout/depths?since=${since}&until=${since}`)).status).toBe(422);
      const old = await get(`bullmq/mails%2Fout/depths?until=${new Date(minute - 2 * dayMs).toISOString()}`);
      expect([old.status, old.body.from, old.body.series]).toEqual([
        200,
        new Date(minute - 3 * dayMs).toISOString(),
        [],
      ]);
      expect((await get("bullmq/none/depths")).status).toBe(404);
    });
  });
}
