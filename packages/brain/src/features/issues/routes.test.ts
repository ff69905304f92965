import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { routeDialects } from "@svc/testkit/databases";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { insertTasks } from "../../../test/rows/task-rows.ts";

const hourMs = 3_600_000;
const now = Date.now();
const print = (index: number): string => String(index).padStart(32, "0");

for (const dialect of routeDialects) {
  describe(`GET /projects/{slug}/issues on ${dialect}`, () => {
    let brain: TestBrain;
    const list = (query = "") => brain.as.viewer.get(`/projects/shop/issues${query}`);
    const prints = async (query: string) => {
      const { status, body } = await list(query);
      expect(status).toBe(200);
      return body.items.map(({ fingerprint }: { fingerprint: string }) => Number(fingerprint));
    };

    beforeAll(async () => {
      brain = await startTestBrain({ dialect });
      const failed = (index: number, hoursAgo: number, more: object = {}) => ({
        project_id: brain.project.id,
        task_id: `t${index}-${hoursAgo}`,
        name: "mail",
        state: "failure",
        exception: "timeout",
        fingerprint: print(index),
        last_failed_at: new Date(now - hoursAgo * hourMs),
        // Otherwise retention would delete it.
        received_at: new Date(now - hoursAgo * hourMs),
        ...more,
      });
      await insertTasks(brain.running.brain.database, [
        failed(1, 0.5),
        failed(1, 30),
        failed(2, 2, { state: "success" }),
        failed(3, 40, { engine: "celery" }),
        { project_id: brain.project.id, task_id: "fine", state: "success" },
      ]);
    });
    afterAll(() => brain.stop());

    test("lists issues by their last failure, page after page", async () => {
      const first = (await list("?limit=2")).body;
      expect(first.items[0]).toEqual({
        fingerprint: print(1),
        error_class: null,
        template: "timeout",
        status: "ongoing",
        occurrences: 2,
        open_count: 2,
        recovered_count: 0,
        is_capped: false,
        first_seen: new Date(now - 30 * hourMs).toISOString(),
        last_seen: new Date(now - 0.5 * hourMs).toISOString(),
        engine_count: 1,
        engines: ["bullmq"],
        sample_exception: "timeout",
        sample_task_name: "mail",
      });
      expect(first.items).toHaveLength(2);
      expect(await prints(`?limit=2&cursor=${first.next_cursor}`)).toEqual([3]);
    });

    test.each([
      ["?status=ongoing", [1, 3]],
      ["?status=recovered", [2]],
      ["?engine=celery", [3]],
      ["?hours=1", [1]],
      ["?hours=36", [1, 2]],
      [
        `?since=${new Date(now - 48 * hourMs).toISOString()}&until=${new Date(now - 24 * hourMs).toISOString()}`,
        [1, 3],
      ],
      ["?cursor=nonsense", [1, 2, 3]],
      [`?fingerprint=${print(3)}`, [3]],
      [`?fingerprint=${print(1)}&limit=1`, [1]],
      [`?fingerprint=${print(3)}&engine=bullmq`, []],
      [`?fingerprint=${print(2)}&status=ongoing`, []],
      [`?fingerprint=${print(3)}&hours=36`, []],
      [`?fingerprint=${print(9)}`, []],
      ["?sort=last_seen&limit=1", [1]],
      ["?sort=occurrences&hours=36", [1, 2]],
      [`?sort=occurrences&fingerprint=${print(3)}`, [3]],
    ])("of %s are %j", async (query, expected) => {
      expect(await prints(query)).toEqual(expected);
    });

    test("have a trend of the last day, or of the range, on request", async () => {
      const { body } = await list("?trend=true");
      const [ongoing] = body.items;
      expect([ongoing.trend.length, ongoing.trend[23], ongoing.occurrences]).toEqual([24, 1, 2]);
      const wide = (await list("?trend=true&hours=48")).body.items[0].trend;
      expect(wide.reduce((sum: number, count: number) => sum + count)).toBe(2);
    });

    test("by occurrences are one page, which says whether its order is exact", async () => {
      const { body } = await list("?sort=occurrences&limit=2");
      expect(body).toMatchObject({
        items: [{ fingerprint: print(1), occurrences: 2 }, { fingerprint: print(2) }],
        next_cursor: null,
        is_exact: true,
      });
    });

    test.each([
      "?status=open",
      "?sort=name",
      "?hours=0",
      "?hours=8761",
      "?limit=201",
      "?since=soon",
      "?fingerprint=abc",
    ])("answers 422 to %s", async (query) => {
      expect((await list(query)).status).toBe(422);
    });

    test("is hidden from other users", async () => {
      expect((await brain.as.stranger.get("/projects/shop/issues")).status).toBe(404);
      expect((await brain.as.anonymous.get("/projects/shop/issues")).status).toBe(401);
    });
  });
}
