import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { routeDialects } from "@svc/testkit/databases";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GivenTask, insertTasks } from "../../../test/rows/task-rows.ts";
import { listPage } from "./list.ts";

const startMs = Math.floor(Date.now() / 1000) * 1000 - 3_600_000;
const at = (second: number) => new Date(startMs + second * 1000);
const pageSizes = { SVC_REST_DEFAULT_PAGE_SIZE: 50, SVC_REST_MAX_PAGE_SIZE: 500 };

for (const dialect of routeDialects) {
  describe(`parameter q of the task list on ${dialect}`, () => {
    let brain: TestBrain;
    const list = (params: Record<string, string>) =>
      brain.as.viewer.get(`/projects/shop/tasks?${new URLSearchParams(params)}`);
    const listed = async (q: string, params: Record<string, string> = {}): Promise<string[]> =>
      (await list({ ...params, q })).body.items.map(({ task_id }: { task_id: string }) => task_id);

    beforeAll(async () => {
      brain = await startTestBrain({ dialect });
      const tasks: Omit<GivenTask, "project_id">[] = [
        { task_id: "t-1", name: "app.mail", queue: "mails", kwargs: '{"user":{"id":123,"mail":"Ann@example.com"}}' },
        {
          task_id: "t-2",
          name: "app.mail",
          queue: "mails",
          args: '[{"user":{"id":"123"}}]',
          state: "failure",
          exception: "Timed out",
        },
        { task_id: "t-3", name: "app.report", args: "[[12345678901234567890]]", runtime_ms: 31_000, tags: '["vip"]' },
        {
          task_id: "t-4",
          name: "app.report",
          args: "[12345678901234567891]",
          state: "success",
          result: '{"total":250.5}',
        },
      ];
      const rows = tasks.map((task, index) => ({ ...task, project_id: brain.project.id, received_at: at(index) }));
      await insertTasks(brain.running.brain.database, rows as GivenTask[]);
    });
    afterAll(() => brain.stop());

    test.each([
      ["args.user.id:123", ["t-2", "t-1"]],
      ['args.user.id:"123"', ["t-2"]],
      ["kwargs.user.mail:*@example.com", ["t-1"]],
      ['error:"timed OUT"', ["t-2"]],
      ["runtime:>30s", ["t-3"]],
      ["-queue:mails", ["t-4", "t-3"]],
      ["args[0]:>12345678901234567890", ["t-4"]],
      ["args[0][0]:12345678901234567890", ["t-3"]],
      ["result.total:250..251", ["t-4"]],
      ["any:VIP", ["t-3"]],
      ["name:app.r* -state:success", ["t-3"]],
      ["mail id:t-1,t-3", ["t-1"]],
      ["", ["t-4", "t-3", "t-2", "t-1"]],
    ])("keeps what %s matches", async (q, expected) => {
      expect(await listed(q)).toEqual(expected);
    });

    test("combines with the other parameters, and counts on request", async () => {
      expect(await listed("args.user.id:123", { state: "failure" })).toEqual(["t-2"]);
      expect(await listed("state:failure", { state: "success" })).toEqual([]);
      const { body } = await list({ q: "args.user.id:123", include_total: "true", limit: "1" });
      expect([body.items.length, body.total_count]).toEqual([1, 2]);
      expect((await list({ q: "-queue:mails", include_total: "true" })).body.total_count).toBe(2);
    });

    test("exports the matches", async () => {
      const { status, text } = await list({ q: "args.user.id:123", format: "csv", fields: "task_id" });
      expect([status, text]).toEqual([200, "task_id\r\nt-2\r\nt-1\r\n"]);
    });

    test("continues from where an answer was cut, and says how far it got", async () => {
      const { database } = brain.running.brain;
      const seen: string[] = [];
      const reached: (Date | undefined)[] = [];
      let cursor: string | null = "";
      while (cursor !== null && reached.length < 10) {
        const page: Awaited<ReturnType<typeof listPage>> = await listPage(database, pageSizes, {
          projectId: brain.project.id,
          query: { q: "args.user.id:123", cursor },
          budgetMs: 0,
          sizes: { newestRows: 1, stepRows: [1, 1], shortRows: 1, maxValues: 1, valueRows: 4, contentRows: [1, 1] },
        });
        seen.push(...page.items.map(({ task_id }) => task_id));
        reached.push(page.partial?.reached);
        cursor = page.next_cursor;
      }
      expect(seen).toEqual(["t-2", "t-1"]);
      expect(reached).toEqual([at(3), at(2), at(1), at(0), undefined]);
    });

    test("is refused with the position of every mistake, without quoting it", async () => {
      const { status, body, text } = await list({ q: "mail sekret:1 runtime:30" });
      expect([status, body.error]).toEqual([422, "validation_error"]);
      expect(body.details.errors).toMatchObject([
        { loc: ["query", "q"], type: "unknown_field", at: 5, to: 11 },
        { loc: ["query", "q"], type: "number", at: 22, to: 24 },
      ]);
      expect(text).not.toContain("sekret");
      expect((await list({ q: "x".repeat(1001) })).status).toBe(422);
    });
  });
}
