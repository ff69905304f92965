import { exportFields } from "@svc/client/task-query";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GivenTask, insertTasks } from "../../../test/rows/task-rows.ts";

const startMs = Math.floor(Date.now() / 1000) * 1000 - 3_600_000;
const count = 1203;

for (const dialect of testDialects) {
  describe(`exporting tasks on ${dialect}`, () => {
    let brain: TestBrain;
    const get = (query: string) => brain.as.viewer.get(`/projects/shop/tasks?${query}`);

    beforeAll(async () => {
      brain = await startTestBrain({ dialect, env: { SVC_TASKS_EXPORT_MAX_ROWS: "1203" } });
      const tasks = Array.from({ length: count }, (_, index): GivenTask => {
        const task = { task_id: `t-${index}`, project_id: brain.project.id, received_at: new Date(startMs - index) };
        return index === 0 ? { ...task, name: "=cmd()", queue: "first", args: '[{"a":1}]', tags: '["x"]' } : task;
      });
      await insertTasks(brain.running.brain.database, tasks);
    });
    afterAll(() => brain.stop());

    test("returns every matching task as CSV in list order, ignoring the page size and the cursor", async () => {
      const { status, headers, text } = await get("format=csv&fields=task_id&limit=10&cursor=x&include_total=true");
      expect(status).toBe(200);
      expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
      expect(headers.get("content-disposition")).toBe('attachment; filename="svc-tasks-shop.csv"');
      expect(text.split("\r\n")).toEqual(["task_id", ...Array.from({ length: count }, (_, index) => `t-${index}`), ""]);
    });

    test("has all columns in the default order, with formulas escaped", async () => {
      const [header, line] = (await get("format=csv&queue=first")).text.split("\r\n");
      expect(header).toBe(exportFields.join(","));
      expect(line).toContain(`,bullmq,t-0,'=cmd(),first,pending,normal,"[{""a"":1}]",{},`);
    });

    test("returns JSON with the requested fields in their order, typed", async () => {
      const { headers, text } = await get("format=json&queue=first&fields=tags,args,received_at,retry_of");
      expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
      expect(text).toBe(
        `[{"tags":["x"],"args":[{"a":1}],"received_at":"${new Date(startMs).toISOString()}","retry_of":null}]`,
      );
    });

    test("returns a workbook", async () => {
      const { status, headers, text } = await get("format=xlsx&queue=first");
      expect([status, headers.get("content-disposition"), text.slice(0, 2)]).toEqual([
        200,
        'attachment; filename="svc-tasks-shop.xlsx"',
        "PK",
      ]);
    });

    test("leaves an audit row", async () => {
      await get("format=json&queue=first&fields=id");
      const rows = await brain.running.brain.database.read
        .selectFrom("audit_log")
        .select(["target_id", "project_id", "metadata"])
        .where("action", "=", "tasks.export")
        .execute();
      expect(rows.map(({ metadata, ...row }) => ({ ...row, metadata: JSON.parse(metadata) }))).toContainEqual({
        target_id: brain.project.id,
        project_id: brain.project.id,
        metadata: { format: "json", rows: 1, fields: ["id"] },
      });
    });

    test("refuses an unknown field and names the known ones", async () => {
      const { status, body } = await get("format=csv&fields=id,password");
      expect([status, body.error, body.details.unknown]).toEqual([422, "validation_error", ["password"]]);
      expect(body.details.known).toEqual([...exportFields]);
    });

    test("refuses more rows than the cap instead of cutting them", async () => {
      const [extra] = await insertTasks(brain.running.brain.database, [
        { task_id: "one-more", project_id: brain.project.id, received_at: new Date(startMs + 1) },
      ]);
      const { status, body } = await get("format=csv");
      expect([status, body.error]).toEqual([422, "validation_error"]);
      expect(body.details).toMatchObject({ cap: 1203, format: "csv", setting: "SVC_TASKS_EXPORT_MAX_ROWS" });
      expect((await get("format=csv&search=one-more")).status).toBe(200);
      expect(extra?.task_id).toBe("one-more");
    });
  });
}

for (const dialect of testDialects) {
  describe(`exporting more tasks than a workbook can hold on ${dialect}`, () => {
    let brain: TestBrain;
    const get = (query: string) => brain.as.viewer.get(`/projects/shop/tasks?${query}`);

    beforeAll(async () => {
      brain = await startTestBrain({ dialect });
      const tasks = Array.from({ length: 25_001 }, (_, index): GivenTask => {
        return { task_id: `t-${index}`, project_id: brain.project.id, received_at: new Date(startMs - index) };
      });
      await insertTasks(brain.running.brain.database, tasks, { isIndexed: false });
    });
    afterAll(() => brain.stop());

    test("is refused as xlsx, whatever the setting allows, and allowed as csv", async () => {
      const { status, body } = await get("format=xlsx&fields=id");
      expect([status, body.error]).toEqual([422, "validation_error"]);
      expect(body.details).toMatchObject({ cap: 25_000, format: "xlsx", setting: "SVC_TASKS_EXPORT_MAX_ROWS" });
      expect((await get("format=csv&fields=id")).text.split("\r\n")).toHaveLength(25_003);
      const until = new Date(startMs - 1).toISOString();
      expect((await get(`format=xlsx&fields=id&until=${until}`)).status).toBe(200);
    });
  });
}
