import { createFakeClock } from "@svc/testkit";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeAll, describe, expect, test } from "vitest";
import { createQueues } from "./queues.ts";

const projectId = "11111111-2222-4333-8444-555555555555";
const startMs = Date.UTC(2026, 0, 2, 3, 4, 5);
const at = (second: number) => new Date(startMs + second * 1000);

for (const dialect of testDialects) {
  describe(`the hold of a queue on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    beforeAll(() => addProject(opened.database, projectId));

    /** Reports of one queue by second, and what is stored after them. */
    function setUp(name: string) {
      const queues = createQueues({
        database: opened.database,
        clock: createFakeClock(at(0).toISOString()),
        publish() {},
        onError(error) {
          throw error;
        },
      });
      return {
        queues,
        async stored() {
          await queues.flush();
          const row = await opened.database.read
            .selectFrom("queues")
            .select("metadata")
            .where("project_id", "=", projectId)
            .where("name", "=", name)
            .executeTakeFirstOrThrow();
          return JSON.parse(row.metadata);
        },
        report: (second: number, hold: unknown) =>
          queues.applyHealth(projectId, at(second), {
            "bullmq.queue_depths": JSON.stringify({ [name]: 1 }),
            ...(hold !== null && { "bullmq.queue_holds": JSON.stringify({ [name]: hold }) }),
          }),
      };
    }

    test("keeps the start of a pause until a report without it", async () => {
      const { report, stored } = setUp("mails");
      report(1, null);
      expect(await stored()).toEqual({});
      report(10, { paused: true });
      expect(await stored()).toEqual({ paused: true, paused_since: at(10).toISOString() });
      report(20, { paused: true, limited_until: at(90).toISOString() });
      expect(await stored()).toEqual({
        paused: true,
        paused_since: at(10).toISOString(),
        limited_until: at(90).toISOString(),
      });
      report(30, { limited_until: at(90).toISOString() });
      expect(await stored()).toEqual({ limited_until: at(90).toISOString() });
      report(40, null);
      expect(await stored()).toEqual({});
      report(50, { paused: true });
      expect(await stored()).toEqual({ paused: true, paused_since: at(50).toISOString() });
    });

    test("comes from the newest report, in one write or in two, whatever else is reported of the queue", async () => {
      const { queues, report, stored } = setUp("posts");
      report(20, { paused: true });
      report(19, null);
      expect(await stored()).toMatchObject({ paused: true });
      report(18, null);
      queues.touch(projectId, "bullmq", "posts", at(60));
      queues.applyHealth(projectId, at(60), { "bullmq.queue_consumers": '{"posts":4}' });
      expect(await stored()).toMatchObject({ paused: true });
      report(21, { limited_until: "tomorrow" });
      expect(await stored()).toEqual({});
    });

    test("is ignored without a depth report", async () => {
      const { queues, report, stored } = setUp("parts");
      report(5, null);
      queues.applyHealth(projectId, at(9), { "bullmq.queue_holds": '{"parts":{"paused":true}}' });
      expect(await stored()).toEqual({});
    });
  });
}
