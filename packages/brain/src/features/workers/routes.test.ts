import { randomUUID } from "node:crypto";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeCursor } from "../../platform/http/content/cursors.ts";

const hourMs = 3_600_000;
const runningHour = Math.floor(Date.now() / hourMs) * hourMs;

for (const dialect of testDialects) {
  describe(`the worker routes on ${dialect}`, () => {
    let brain: TestBrain;
    const ids = [randomUUID(), randomUUID()];
    const now = new Date();

    beforeAll(async () => {
      brain = await startTestBrain({ dialect });
      const worker = (id: string, name: string) => ({
        id,
        project_id: brain.project.id,
        engine: "bullmq",
        name,
        hostname: "box-1",
        pid: 7,
        concurrency: 4,
        queues: '["mails"]',
        state: "online",
        state_key: null,
        state_at: null,
        last_heartbeat: now,
        load_average: 0.5,
        memory_bytes: 123_456_789_012,
        active_tasks: 2,
        metadata: '{"stats":{"n":1},"conf":{}}',
        created_at: now,
        updated_at: now,
      });
      const rollup = (name: string, kind: string, hoursAgo: number, count: number) => ({
        project_id: brain.project.id,
        engine: "bullmq",
        worker: name,
        hour_at: new Date(runningHour - hoursAgo * hourMs),
        kind,
        count,
      });
      await brain.running.brain.database.write(async (tx) => {
        await tx
          .insertInto("workers")
          .values([worker(ids[0] as string, "w2"), worker(ids[1] as string, "w1")])
          .execute();
        await tx
          .insertInto("worker_rollups")
          .values([
            rollup("w1", "task.succeeded", 0, 5),
            rollup("w1", "task.succeeded", 24, 2),
            rollup("w1", "task.succeeded", 25, 100),
            rollup("w1", "task.failed", 1, 3),
            rollup("w1", "task.retried", 1, 4),
            rollup("w1", "task.revoked", 1, 1),
            rollup("w1", "task.started", 1, 50),
            rollup("w3", "task.failed", 1, 9),
          ])
          .execute();
      });
    });
    afterAll(() => brain.stop());

    test("list workers by engine and name, with the counters of the last 24 hours", async () => {
      const { status, body } = await brain.as.viewer.get("/projects/shop/workers");
      expect(status).toBe(200);
      expect(body.next_cursor).toBeNull();
      expect(body.items.map(({ name }: { name: string }) => name)).toEqual(["w1", "w2"]);
      expect(body.items[0]).toEqual({
        id: ids[1],
        project_id: brain.project.id,
        engine: "bullmq",
        name: "w1",
        hostname: "box-1",
        pid: 7,
        concurrency: 4,
        queues: ["mails"],
        state: "online",
        state_reported_at: null,
        last_heartbeat: now.toISOString(),
        load_average: 0.5,
        memory_bytes: 123_456_789_012,
        active_tasks: 2,
        processed: 11,
        failed: 3,
        succeeded: 7,
        retried: 4,
        created_at: now.toISOString(),
      });
      expect(body.items[1]).toMatchObject({ processed: 0, failed: 0, succeeded: 0, retried: 0 });
    });

    test("page by cursor", async () => {
      const first = (await brain.as.viewer.get("/projects/shop/workers?limit=1")).body;
      // The cursor contains no names, because names may be masked.
      expect(first.next_cursor).toBe(encodeCursor([first.items[0].id]));
      const second = (await brain.as.viewer.get(`/projects/shop/workers?limit=1&cursor=${first.next_cursor}`)).body;
      expect([first.items[0].name, second.items[0].name, second.next_cursor]).toEqual(["w1", "w2", null]);
      const other = (await brain.as.viewer.get(`/projects/shop/workers?limit=1&cursor=${encodeCursor(["x"])}`)).body;
      expect(other.items).toEqual(first.items);
    });

    test("show one worker with what it reported about itself", async () => {
      const { status, body } = await brain.as.viewer.get(`/projects/shop/workers/${ids[1]?.toUpperCase()}`);
      expect([status, body.metadata, body.succeeded]).toEqual([200, { stats: { n: 1 }, conf: {} }, 7]);
    });

    test("answer 404 to unknown ids and strangers, and 422 to an invalid id", async () => {
      const get = (id: string) => brain.as.viewer.get(`/projects/shop/workers/${id}`);
      expect((await get(randomUUID())).status).toBe(404);
      expect((await get("w1")).status).toBe(422);
      expect((await brain.as.stranger.get(`/projects/shop/workers/${ids[0]}`)).status).toBe(404);
    });
  });
}
