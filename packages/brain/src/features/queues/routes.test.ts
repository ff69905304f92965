import { randomUUID } from "node:crypto";
import { createFakeClock } from "@svc/testkit";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeCursor } from "../../platform/http/content/cursors.ts";

const seen = new Date("2026-01-02T03:04:05.678Z");

for (const dialect of testDialects) {
  describe(`GET /projects/{slug}/queues on ${dialect}`, () => {
    let brain: TestBrain;
    const list = (query = "") => brain.as.viewer.get(`/projects/shop/queues${query}`);
    const longName = "𝒒".repeat(100);

    beforeAll(async () => {
      // Without the fake clock, retention would delete queues last seen then.
      brain = await startTestBrain({ dialect, clock: createFakeClock(seen) });
      const queue = (engine: string, name: string, project_id = brain.project.id) => ({
        id: randomUUID(),
        project_id,
        engine,
        name,
        broker_type: "redis",
        broker_url_hint: "redis.internal:6379",
        last_seen_at: seen,
        pending_count: 3,
        consumer_count: 1,
        oldest_waiting_since: seen,
        depth_reported_at: seen,
        consumers_reported_at: null,
        metadata: '{"paused":true}',
        created_at: seen,
        updated_at: seen,
      });
      const other = await brain.as.root.post("/projects", { slug: "other", name: "Other" });
      await brain.running.brain.database.write((tx) =>
        tx
          .insertInto("queues")
          .values([
            queue("bullmq", "b"),
            queue("celery", "a"),
            queue("bullmq", longName),
            queue("bullmq", "B"),
            queue("bullmq", "x", other.body.id),
          ])
          .execute(),
      );
    });
    afterAll(() => brain.stop());

    test("shows the queues of the project by engine and name", async () => {
      const { status, body } = await list();
      expect(status).toBe(200);
      expect(body.items.map(({ engine, name }: { engine: string; name: string }) => [engine, name])).toEqual([
        ["bullmq", "B"],
        ["bullmq", "b"],
        ["bullmq", longName],
        ["celery", "a"],
      ]);
      expect(body.next_cursor).toBeNull();
      expect(body.items[0]).toEqual({
        id: expect.any(String),
        project_id: brain.project.id,
        engine: "bullmq",
        name: "B",
        broker_type: "redis",
        broker_url_hint: "redis.internal:6379",
        last_seen_at: seen.toISOString(),
        pending_count: 3,
        consumer_count: 1,
        oldest_waiting_since: seen.toISOString(),
        depth_reported_at: seen.toISOString(),
        consumers_reported_at: null,
        metadata: { paused: true },
        created_at: seen.toISOString(),
      });
    });

    test("returns each queue once over all pages", async () => {
      const names: string[] = [];
      let cursor: string | null = "";
      for (let page = 0; cursor !== null && page < 10; page += 1) {
        const { body } = await list(`?limit=1&cursor=${cursor}`);
        names.push(...body.items.map(({ name }: { name: string }) => name));
        // The cursor contains no names, because names may be masked.
        cursor = body.next_cursor;
        if (cursor !== null) expect(cursor).toBe(encodeCursor([body.items[0].id]));
      }
      expect(names).toEqual(["B", "b", longName, "a"]);
    });

    test("starts from the beginning when the queue of the cursor was deleted", async () => {
      const whole = (await list()).body;
      expect(await list(`?cursor=${encodeCursor([randomUUID()])}`)).toMatchObject({ status: 200, body: whole });
    });

    test("starts from the beginning with an invalid cursor of any length", async () => {
      const whole = (await list()).body;
      for (const cursor of ["nonsense", "a".repeat(3000), encodeCursor(["x"])]) {
        expect(await list(`?cursor=${cursor}`)).toMatchObject({ status: 200, body: whole });
      }
    });

    test("is hidden from strangers", async () => {
      expect((await brain.as.stranger.get("/projects/shop/queues")).status).toBe(404);
      expect((await brain.as.anonymous.get("/projects/shop/queues")).status).toBe(401);
    });
  });
}
