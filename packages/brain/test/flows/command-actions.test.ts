import { purgeConfirmToken } from "@svc/protocol";
import type { TestBrain } from "@svc/testkit/brain";
import { routeDialects } from "@svc/testkit/databases";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CommandFixture, startCommands } from "../fixtures/command-fixture.ts";

for (const dialect of routeDialects) {
  describe(`commands of each kind on ${dialect}`, () => {
    let brain: TestBrain;
    let fixture: CommandFixture;
    beforeAll(async () => {
      fixture = await startCommands(dialect);
      ({ brain } = fixture);
    });
    afterAll(() => brain.stop());

    describe("bulk-retry", () => {
      const bulk = (filter: Record<string, unknown>, max = 10) =>
        fixture.send("bulk-retry", { agent_id: fixture.agentId, filter, max });

      test("retries the first distinct tasks with one command", async () => {
        for (const id of ["b-1", "b-2", "b-3"]) await fixture.reportFailed(id);
        const { status, body } = await bulk({ engine: "bullmq", task_ids: ["b-2", "b-1", "b-2", "b-3"] }, 2);
        expect(status).toBe(202);
        expect(body).toMatchObject({ action: "bulk_retry", target_type: "task", target_id: null });
        const noMore = { task_names: null, task_priorities: null };
        expect(body.payload).toEqual({ filter: { engine: "bullmq", task_ids: ["b-2", "b-1"], ...noMore }, max: 2 });
        expect((await fixture.given(body.id))?.payload?.target).toEqual({ type: "task", id: "", engine: "bullmq" });
      });

      test("refuses ids without a task of the engine, and names twenty of them", async () => {
        await fixture.reportFailed("b-1");
        const unknown = Array.from({ length: 30 }, (_, index) => `none-${index}`);
        const answer = await bulk({ engine: "bullmq", task_ids: ["b-1", ...unknown] }, 1);
        expect([answer.status, answer.body.details.task_ids]).toEqual([422, unknown.slice(0, 20)]);
        expect((await bulk({ engine: "bullmq", task_ids: [] })).status).toBe(422);
      });

      test("answers 410 to a filter, and writes an audit row", async () => {
        const answer = await bulk({ engine: "bullmq", state: "failure" });
        expect([answer.status, answer.body.error]).toEqual([410, "gone"]);
        const rows = await brain.running.brain.database.read
          .selectFrom("audit_log")
          .select("result")
          .where("action", "=", "command.bulk_retry.refused")
          .execute();
        expect(rows).toEqual([{ result: "failed" }]);
      });
    });

    describe("purge-queue", () => {
      const purge = (more: Record<string, unknown>) =>
        fixture.send("purge-queue", { agent_id: fixture.agentId, queue: "default", ...more }, "admin");
      const sent = async (more: Record<string, unknown>) => {
        const { body } = await purge(more);
        return { body, parameters: (await fixture.given(body.id))?.payload?.parameters };
      };

      test("proves the observed depth with a token that is never shown", async () => {
        const token = purgeConfirmToken(brain.running.brain.features.secretOf(brain.project.id), "default", 42);
        const { body, parameters } = await sent({ observed_depth: 42 });
        expect(parameters).toEqual({ queue: "default", confirm_token: token, force: false });
        expect(body.payload).toEqual({ queue: "default", confirm_token: "[REDACTED]", force: false });
        const shown = await Promise.all([brain.as.root, brain.as.admin].map((who) => who.get(fixture.path(""))));
        for (const { text } of shown) expect(text).not.toContain(token);
      });

      test("passes on a token, force, or neither, which its agent refuses", async () => {
        expect((await sent({ confirm_token: "mine", observed_depth: 1 })).parameters).toMatchObject({
          confirm_token: "mine",
        });
        expect((await sent({ force: true })).parameters).toEqual({
          queue: "default",
          confirm_token: null,
          force: true,
        });
        expect((await sent({})).parameters).toEqual({ queue: "default", confirm_token: null, force: false });
      });

      test("is for admins", async () => {
        const answer = await fixture.send("purge-queue", { agent_id: fixture.agentId, queue: "default" }, "operator");
        expect([answer.status, answer.body.error]).toEqual([403, "forbidden"]);
      });
    });

    describe("worker control", () => {
      test.each<[string, Record<string, unknown>, string, Record<string, unknown>]>([
        ["restart-worker", {}, "restart_worker", {}],
        ["pool-resize", { delta: 3 }, "pool_grow", { delta: 3 }],
        ["pool-resize", { delta: -2 }, "pool_shrink", { delta: 2 }],
        ["add-consumer", { queue: "mails" }, "add_consumer", { queue: "mails" }],
        ["cancel-consumer", { queue: "mails" }, "cancel_consumer", { queue: "mails" }],
        ["rate-limit", { task_name: "mail", rate: 0 }, "rate_limit", { task_name: "mail", rate: "0" }],
        ["rate-limit", { task_name: "mail", rate: "10/m" }, "rate_limit", { task_name: "mail", rate: "10/m" }],
      ])("%s with %j is %s, whatever the agent supports", async (route, more, action, parameters) => {
        const answer = await fixture.send(route, { agent_id: fixture.agentId, worker_name: "w-1", ...more });
        expect(answer.status).toBe(202);
        expect(answer.body).toMatchObject({ action, target_type: "worker", target_id: "w-1" });
        expect(answer.body.payload).toEqual({ worker_name: "w-1", ...parameters });
        expect((await fixture.given(answer.body.id))?.payload?.target).toEqual({ type: "worker", id: "w-1" });
      });

      test("a rate limit without a worker has the task name as its target", async () => {
        const { body } = await fixture.send("rate-limit", {
          agent_id: fixture.agentId,
          task_name: "mail",
          rate: "5/h",
        });
        expect(body).toMatchObject({ target_id: "mail", payload: { task_name: "mail", rate: "5/h" } });
      });

      test("the engine is included when the request names it", async () => {
        const { body } = await fixture.send("restart-worker", {
          agent_id: fixture.agentId,
          worker_name: "w",
          engine: "bullmq",
        });
        expect((await fixture.given(body.id))?.payload?.target).toMatchObject({ engine: "bullmq" });
      });

      test.each<[string, Record<string, unknown>]>([
        ["pool-resize", { delta: 0 }],
        ["pool-resize", { delta: 101 }],
        ["pool-resize", { delta: 1.5 }],
        ["rate-limit", { task_name: "mail", rate: -1 }],
        ["rate-limit", { task_name: "mail", rate: 1.5 }],
        ["rate-limit", { task_name: "mail", rate: 1_000_000_000 }],
        ["rate-limit", { task_name: "mail", rate: "01" }],
        ["rate-limit", { task_name: "mail", rate: "10/d" }],
        ["rate-limit", { task_name: "mail", rate: "" }],
        ["add-consumer", {}],
        ["restart-worker", { agent_id: null }],
        ["restart-worker", { worker_name: "" }],
      ])("%s refuses %j", async (route, more) => {
        expect((await fixture.send(route, { agent_id: fixture.agentId, worker_name: "w-1", ...more })).status).toBe(
          422,
        );
      });
    });

    test("a command too large for a frame is refused", async () => {
      const small = await startCommands(dialect, { SVC_MAX_WS_FRAME_BYTES: "32768" });
      const retry = (text: string) =>
        small.send("retry-task", {
          agent_id: small.agentId,
          engine: "bullmq",
          task_id: "task-1",
          override_args: [text],
          override_kwargs: {},
        });
      const refused = await retry("x".repeat(32_768));
      expect([refused.status, refused.body.details.errors[0].type]).toEqual([422, "too_long"]);
      const made = await retry("x".repeat(31_000));
      expect(made.status).toBe(202);
      await small.given(made.body.id);
      await small.brain.stop();
    });
  });
}
