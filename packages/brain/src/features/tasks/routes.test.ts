import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { routeDialects } from "@svc/testkit/databases";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GivenTask, insertTasks } from "../../../test/rows/task-rows.ts";

const startMs = Math.floor(Date.now() / 1000) * 1000 - 3_600_000;
const at = (second: number) => new Date(startMs + second * 1000);
const otherProjectId = "21111111-2222-4333-8444-555555555555";
const fingerprint = "0123456789abcdef".repeat(2);

for (const dialect of routeDialects) {
  describe(`the task routes on ${dialect}`, () => {
    let brain: TestBrain;
    const list = (query = "") => brain.as.viewer.get(`/projects/shop/tasks${query}`);
    const idsOf = (answer: { body: { items: { task_id: string }[] } }) =>
      answer.body.items.map(({ task_id }) => task_id);
    const listed = async (query: string) => idsOf(await list(query));

    beforeAll(async () => {
      brain = await startTestBrain({ dialect });
      const own = (task: Omit<GivenTask, "project_id">): GivenTask =>
        ({ ...task, project_id: brain.project.id }) as GivenTask;
      await insertTasks(brain.running.brain.database, [
        own({
          task_id: "t-1",
          name: "app.Mail",
          queue: "mails",
          state: "success",
          received_at: at(1),
          worker_name: "w1",
          runtime_ms: 12,
        }),
        own({
          task_id: "t-2",
          name: "app.mail",
          queue: "mails",
          state: "failure",
          priority: "high",
          received_at: at(2),
          exception: "Boom",
          fingerprint,
          last_failed_at: at(3),
        }),
        own({
          task_id: "t-3",
          name: "100%_done",
          queue: "reports",
          state: "pending",
          priority: "low",
          received_at: at(3),
        }),
        own({ task_id: "root", name: "flow", received_at: at(4), args: "[12345678901234567890]" }),
        own({ task_id: "child/1", name: "step", root_task_id: "root", parent_task_id: "root", received_at: at(5) }),
        own({ task_id: "far", engine: "celery", name: "step", root_task_id: "root", received_at: at(6) }),
        { task_id: "t-9", name: "app.mail", project_id: otherProjectId, received_at: at(9) },
      ]);
      await brain.running.brain.database.write((tx) =>
        tx
          .insertInto("task_links")
          .values([{ project_id: brain.project.id, engine: "bullmq", old_id: "t-2", new_id: "t-1", linked_at: at(3) }])
          .execute(),
      );
    });
    afterAll(() => brain.stop());

    test("lists the project's tasks, newest received first, and no others", async () => {
      const { status, body } = await list();
      expect(status).toBe(200);
      expect(idsOf({ body })).toEqual(["far", "child/1", "root", "t-3", "t-2", "t-1"]);
      expect(body).toMatchObject({ next_cursor: null, total_count: null });
      expect(body).not.toHaveProperty("partial");
    });

    test("shows every field of a task, its instants in ms and its lineage", async () => {
      const { body } = await list("?search=t-1");
      expect(body.items).toEqual([
        {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          project_id: brain.project.id,
          engine: "bullmq",
          task_id: "t-1",
          name: "app.Mail",
          queue: "mails",
          state: "success",
          priority: "normal",
          args: [],
          kwargs: {},
          result: null,
          exception: null,
          traceback: null,
          retry_count: 0,
          attempt: 0,
          max_attempts: null,
          eta: null,
          received_at: at(1).toISOString(),
          started_at: null,
          finished_at: null,
          runtime_ms: 12,
          wait_ms: null,
          worker_name: "w1",
          parent_task_id: null,
          root_task_id: null,
          tags: [],
          release: null,
          traceparent: null,
          fingerprint: null,
          retry_of: "t-2",
          retried_as: null,
          last_event_at: at(1).toISOString(),
          created_at: at(1).toISOString(),
          updated_at: at(1).toISOString(),
        },
      ]);
    });

    test.each([
      ["state=failure", ["t-2"]],
      ["priority=low,high", ["t-3", "t-2"]],
      ["priority=", ["far", "child/1", "root", "t-3", "t-2", "t-1"]],
      ["name=mail", ["t-2"]],
      ["name=100%25_", ["t-3"]],
      ["name=100__done", []],
      ["search=MAIL", ["t-2", "t-1"]],
      ["search=W1", ["t-1"]],
      ["search=%25", ["t-3"]],
      ["queue=mails", ["t-2", "t-1"]],
      ["queue=mail", []],
      ["worker=w1", ["t-1"]],
      ["queue=mails&state=failure", ["t-2"]],
      [`q=fingerprint:${fingerprint}`, ["t-2"]],
      [`q=-fingerprint:${fingerprint} name:app.*`, ["t-1"]],
      [`since=${at(2).toISOString()}&until=${at(3).toISOString()}`, ["t-3", "t-2"]],
    ])("keeps what %s matches", async (query, expected) => {
      expect(await listed(`?${query}`)).toEqual(expected);
    });

    test("reads an instant without a zone as UTC", async () => {
      expect(await listed(`?until=${at(2).toISOString().slice(0, -1)}`)).toEqual(["t-2", "t-1"]);
    });

    test("returns each task exactly once over all pages", async () => {
      const seen: string[] = [];
      let cursor: string | null = "";
      while (cursor !== null) {
        const page = await list(`?limit=2&cursor=${cursor}`);
        expect(page.body.items.length).toBeLessThanOrEqual(2);
        seen.push(...idsOf(page));
        cursor = page.body.next_cursor;
      }
      expect(seen).toEqual(["far", "child/1", "root", "t-3", "t-2", "t-1"]);
    });

    test.each(["%%", "WyJ4Il0", Buffer.from('["-200000-01-01T00:00:00Z","x"]').toString("base64url")])(
      "starts from the top for the malformed cursor %s",
      async (cursor) => {
        expect(await listed(`?limit=1&cursor=${encodeURIComponent(cursor)}`)).toEqual(["far"]);
      },
    );

    test("clamps a limit above the page maximum and adds the exact total on request", async () => {
      const { status, body } = await list("?limit=5000&include_total=true&name=mail");
      expect([status, body.total_count, body.items.length]).toEqual([200, 1, 1]);
      expect((await list("?include_total=true&limit=1")).body).toMatchObject({ total_count: 6 });
    });

    test.each([
      "state=",
      "state=done",
      "priority=urgent",
      "priority=low,urgent",
      "since=yesterday",
      "until=2026-02-30T00:00:00Z",
      "limit=0",
      "limit=5001",
      "limit=x",
      "include_total=perhaps",
      "format=pdf",
      `name=${"x".repeat(501)}`,
    ])("answers 422 to %s without echoing it", async (query) => {
      const { status, body } = await list(`?${query}`);
      expect([status, body.error]).toEqual([422, "validation_error"]);
      expect(body.details.errors[0]).toMatchObject({ loc: ["query", query.split("=")[0]] });
    });

    test("refuses other users as if the project did not exist, and requests without a session", async () => {
      expect((await brain.as.stranger.get("/projects/shop/tasks")).status).toBe(404);
      expect((await brain.as.anonymous.get("/projects/shop/tasks")).status).toBe(401);
      expect((await brain.as.auditor.get("/projects/shop/tasks")).status).toBe(200);
    });

    test("returns one task, with any characters in its id and numbers that exceed a double", async () => {
      const get = (path: string) => brain.as.viewer.get(`/projects/shop/tasks/${path}`);
      expect((await get("bullmq/child%2F1")).body).toMatchObject({ task_id: "child/1", parent_task_id: "root" });
      expect((await get("bullmq/t-2")).body).toMatchObject({ retried_as: "t-1", retry_of: null, exception: "Boom" });
      expect((await get("bullmq/root")).text).toContain('"args":[12345678901234567890]');
      for (const path of ["bullmq/none", "celery/t-1", "bullmq/t-9"])
        expect([path, (await get(path)).status]).toEqual([path, 404]);
    });

    test("returns the fingerprint of a failure, and exports work without it", async () => {
      expect((await brain.as.viewer.get("/projects/shop/tasks/bullmq/t-2")).body).toMatchObject({ fingerprint });
      expect((await list("?format=json&fields=fingerprint")).status).toBe(422);
    });

    test("returns the whole family from any member, over engines, by time", async () => {
      for (const path of ["bullmq/root", "bullmq/child%2F1", "celery/far"]) {
        const { status, body } = await brain.as.viewer.get(`/projects/shop/tasks/${path}/tree`);
        expect(status).toBe(200);
        expect(body).toMatchObject({ root_task_id: "root", node_count: 3, truncated: false });
        expect(body.nodes.map(({ task_id }: { task_id: string }) => task_id)).toEqual(["root", "child/1", "far"]);
      }
      const alone = (await brain.as.viewer.get("/projects/shop/tasks/bullmq/t-1/tree")).body;
      expect(alone).toMatchObject({ root_task_id: "t-1", node_count: 1 });
      expect(alone.nodes[0]).toEqual({
        engine: "bullmq",
        task_id: "t-1",
        name: "app.Mail",
        state: "success",
        parent_task_id: null,
        root_task_id: null,
        received_at: at(1).toISOString(),
        started_at: null,
        finished_at: null,
      });
      expect((await brain.as.viewer.get("/projects/shop/tasks/bullmq/none/tree")).status).toBe(404);
    });

    test("cuts a family of more than 500 and says so", async () => {
      const many = Array.from(
        { length: 501 },
        (_, index): GivenTask => ({
          task_id: `many-${String(index).padStart(4, "0")}`,
          root_task_id: "many",
          project_id: brain.project.id,
          received_at: at(-100),
        }),
      );
      await insertTasks(brain.running.brain.database, many);
      const { body } = await brain.as.viewer.get("/projects/shop/tasks/bullmq/many-0500/tree");
      expect([body.node_count, body.truncated, body.nodes.length]).toEqual([500, true, 500]);
      expect(body.nodes[499].task_id).toBe("many-0499");
    });
  });
}
