import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { routeDialects } from "@svc/testkit/databases";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GivenTask, insertTasks } from "../../../../test/rows/task-rows.ts";

const startMs = Math.floor(Date.now() / 1000) * 1000 - 3_600_000;
const at = (second: number) => new Date(startMs + second * 1000);

for (const dialect of routeDialects) {
  describe(`breakdowns of the task list on ${dialect}`, () => {
    let brain: TestBrain;
    const get = (path: string) => brain.as.viewer.get(`/projects/shop/${path}`);

    beforeAll(async () => {
      brain = await startTestBrain({ dialect });
      const own = (task: Omit<GivenTask, "project_id">): GivenTask =>
        ({ ...task, project_id: brain.project.id }) as GivenTask;
      await insertTasks(brain.running.brain.database, [
        own({ task_id: "t-1", name: "app.mail", queue: "mails", state: "success", received_at: at(1) }),
        own({ task_id: "t-2", name: "app.mail", queue: "mails", state: "failure", received_at: at(2) }),
        own({
          task_id: "t-3",
          name: "app.report",
          queue: "reports",
          state: "failure",
          received_at: at(3),
          args: '[{"region":"eu"}]',
        }),
      ]);
      await brain.running.brain.database.write((tx) =>
        tx
          .insertInto("task_counts")
          .values([
            { project_id: brain.project.id, state: "success", count: 1_200_000 },
            { project_id: brain.project.id, state: "failure", count: 2 },
          ])
          .execute(),
      );
    });
    afterAll(() => brain.stop());

    describe("facets", () => {
      test("return the values of a field, greatest count first", async () => {
        const { status, body } = await get("facets?field=name");
        expect(status).toBe(200);
        expect(body).toEqual({
          field: "name",
          values: [
            { value: "app.mail", count: 2, exact: true },
            { value: "app.report", count: 1, exact: true },
          ],
        });
      });

      test("of states come from counters, however many tasks there are", async () => {
        expect((await get("facets?field=state&state=failure")).body.values).toEqual([
          { value: "success", count: 1_200_000, exact: true },
          { value: "failure", count: 2, exact: true },
        ]);
      });

      test("follow the filters of the list, except that of their own field", async () => {
        expect((await get("facets?field=queue&state=failure&queue=mails&limit=1")).body.values).toEqual([
          { value: "mails", count: 1, exact: true },
        ]);
        expect((await get(`facets?field=engine&until=${at(2).toISOString()}`)).body.values).toEqual([
          { value: "bullmq", count: 2, exact: true },
        ]);
        expect((await get("facets?field=name&prefix=app.r")).body.values).toMatchObject([{ value: "app.report" }]);
      });

      test("follow the query language, too", async () => {
        const valuesOf = async (q: string, field = "name") =>
          (await get(`facets?field=${field}&q=${encodeURIComponent(q)}`)).body.values;
        expect(await valuesOf("queue:mails state:failure")).toEqual([{ value: "app.mail", count: 1, exact: true }]);
        expect(await valuesOf("-queue:mails", "engine")).toEqual([{ value: "bullmq", count: 1, exact: true }]);
        expect(await valuesOf("name:app.* release:none")).toEqual([]);
        expect(await valuesOf("name:none.*", "engine")).toEqual([]);
        expect(await valuesOf("args.region:eu", "state")).toEqual([{ value: "failure", count: 1, exact: true }]);
        expect(await valuesOf("args:eu state:success")).toEqual([]);
        expect(await valuesOf("age:<5d", "engine")).toEqual([{ value: "bullmq", count: 3, exact: true }]);
      });

      test.each([
        ["field=name&q=state:done", "q"],
        [`field=name&q=${"x".repeat(1001)}`, "q"],
        ["", "field"],
        ["field=traceback", "field"],
        ["field=name&limit=0", "limit"],
        ["field=name&limit=101", "limit"],
        [`field=name&prefix=${"x".repeat(501)}`, "prefix"],
        ["field=name&state=done", "state"],
        ["field=name&priority=urgent", "priority"],
        ["field=name&since=yesterday", "since"],
      ])("answer 422 to %s", async (query, name) => {
        const { status, body } = await get(`facets?${query}`);
        expect([status, body.error]).toEqual([422, "validation_error"]);
        expect(body.details.errors[0]).toMatchObject({ loc: ["query", name] });
      });
    });

    describe("the histogram", () => {
      const range = `since=${at(0).toISOString()}&until=${at(10).toISOString()}`;

      test("counts tasks by state and received time", async () => {
        const { status, body } = await get(`tasks/histogram?search=APP.&${range}`);
        expect(status).toBe(200);
        const minute = Math.floor(startMs / 60_000) * 60_000;
        expect(body).toMatchObject({
          from: new Date(minute).toISOString(),
          to: at(10).toISOString(),
          exact: true,
          reached: null,
          counted: "tasks",
          bucket_seconds: 60,
        });
        const sums = { success: 0, failure: 0, other: 0 };
        for (const bucket of body.buckets)
          for (const key of ["success", "failure", "other"] as const) sums[key] += bucket[key];
        expect(sums).toEqual({ success: 1, failure: 2, other: 0 });
        expect(body.buckets[0].t).toBe(body.from);
      });

      test("follows the query language, too", async () => {
        const sumsOf = async (q: string) => {
          const { body } = await get(`tasks/histogram?q=${encodeURIComponent(q)}&${range}`);
          const sum = (key: string) =>
            body.buckets.reduce((all: number, each: Record<string, number>) => all + (each[key] ?? 0), 0);
          return [body.counted, body.exact, sum("success"), sum("failure"), sum("other")];
        };
        expect(await sumsOf("-queue:mails")).toEqual(["tasks", true, 0, 1, 0]);
        expect(await sumsOf("args.region:eu")).toEqual(["tasks", true, 0, 1, 0]);
        expect(await sumsOf(`since:${at(2).toISOString()}`)).toEqual(["tasks", true, 0, 2, 0]);
        expect(await sumsOf(`until:${at(2).toISOString()}`)).toEqual(["tasks", true, 1, 1, 0]);
        expect((await sumsOf("queue:mails"))[0]).toBe("events");
      });

      test("covers the last 24 hours without a range, from counters", async () => {
        const { body } = await get("tasks/histogram?state=success&queue=mails");
        expect(body).toMatchObject({ counted: "events", exact: true, bucket_seconds: 1800 });
        expect(Date.parse(body.to) - Date.parse(body.from)).toBeGreaterThanOrEqual(24 * 3_600_000);
        expect([48, 49].includes(body.buckets.length)).toBe(true);
      });

      test.each([
        ["q=runtime:fast", "q"],
        ["buckets=0", "buckets"],
        ["buckets=201", "buckets"],
        ["since=soon", "since"],
        ["state=done", "state"],
        ["priority=urgent", "priority"],
        [`since=${at(2).toISOString()}&until=${at(1).toISOString()}`, "since"],
        [`since=${new Date(startMs - 91 * 86_400_000).toISOString()}`, "since"],
      ])("answers 422 to %s", async (query, name) => {
        const { status, body } = await get(`tasks/histogram?${query}`);
        expect([status, body.error]).toEqual([422, "validation_error"]);
        expect(body.details.errors[0]).toMatchObject({ loc: ["query", name] });
      });
    });

    describe("the differences", () => {
      test("compare the failed tasks of a name with its passed ones", async () => {
        const { status, body } = await get("tasks/differences?name=app.mail");
        expect(status).toBe(200);
        const { span, ...answer } = body;
        expect(Date.parse(span.to) - Date.parse(span.from)).toBe(24 * 3_600_000);
        expect(answer).toEqual({
          per_hour_cap: 83,
          failed: 1,
          passed: 1,
          sampled: false,
          releases: 0,
          release_overlap: false,
          attributes: [],
        });
        const range = `since=${at(0).toISOString()}&until=${at(10).toISOString()}`;
        expect((await get(`tasks/differences?name=app.mail&${range}`)).body).toMatchObject({
          span: { from: at(0).toISOString(), to: at(10).toISOString() },
          per_hour_cap: 2000,
        });
      });

      test.each([
        ["", "name"],
        ["name=", "name"],
        [`name=app.mail&fingerprint=${"0".repeat(32)}`, "name"],
        ["fingerprint=xyz", "fingerprint"],
        [`name=${"x".repeat(501)}`, "name"],
        ["name=a&since=soon", "since"],
        [`name=a&since=${at(2).toISOString()}&until=${at(1).toISOString()}`, "since"],
        [`name=a&since=${new Date(startMs - 91 * 86_400_000).toISOString()}`, "since"],
      ])("answer 422 to %s", async (query, name) => {
        const { status, body } = await get(`tasks/differences?${query}`);
        expect([status, body.error]).toEqual([422, "validation_error"]);
        expect(body.details.errors[0]).toMatchObject({ loc: ["query", name] });
      });
    });

    test.each(["facets?field=name", "tasks/histogram", "tasks/differences?name=a"])(
      "%s is for members, including auditors",
      async (path) => {
        expect((await brain.as.auditor.get(`/projects/shop/${path}`)).status).toBe(200);
        expect((await brain.as.stranger.get(`/projects/shop/${path}`)).status).toBe(404);
        expect((await brain.as.anonymous.get(`/projects/shop/${path}`)).status).toBe(401);
      },
    );
  });
}
