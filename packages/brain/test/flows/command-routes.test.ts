import { randomUUID } from "node:crypto";
import { waitFor } from "@svc/testkit";
import type { ApiAnswer, TestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { allCapabilities, type CommandFixture, startCommands } from "../fixtures/command-fixture.ts";

for (const dialect of testDialects) {
  describe(`the command routes on ${dialect}`, () => {
    let brain: TestBrain;
    let fixture: CommandFixture;
    beforeAll(async () => {
      fixture = await startCommands(dialect);
      ({ brain } = fixture);
    });
    afterAll(() => brain.stop());

    const faultsOf = ({ body }: ApiAnswer) =>
      body.details.errors.map(({ loc, type }: { loc: string[]; type: string }) => [loc.join("."), type]);
    const storedCount = async () => {
      const { count } = await brain.running.brain.database.read
        .selectFrom("commands")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      return Number(count);
    };

    test("issue a command, deliver it at once, and show its end", async () => {
      const made = await fixture.cancel();
      expect(made.status).toBe(202);
      expect(made.body).toMatchObject({
        action: "cancel_task",
        is_repeatable: true,
        agent_id: fixture.agentId,
        target_type: "task",
        target_id: "task-1",
        status: "pending",
        payload: { engine: "bullmq", task_id: "task-1" },
        result: null,
        error: null,
        idempotency_key: null,
        dispatched_at: null,
      });
      const frame = await fixture.given(made.body.id);
      expect(frame?.payload).toMatchObject({
        action: "cancel_task",
        target: { type: "task", id: "task-1", engine: "bullmq" },
        timeout_seconds: 60,
        issued_by: made.body.issued_by,
      });
      const echo = { delivery_claim_token: frame?.payload?.delivery_claim_token };
      fixture.agent.sendFrame("command_ack", echo, made.body.id);
      fixture.agent.sendFrame("command_result", { status: "success", result: {}, ...echo }, made.body.id);
      const shown = await waitFor(async () => {
        const { body } = await brain.as.operator.get(fixture.path(made.body.id));
        return body.status === "completed" && body;
      });
      expect(shown).toMatchObject({ result: {}, issued_by: made.body.issued_by, source_ip: "127.0.0.1" });
      expect(Object.keys(shown)).not.toContain("delivery_claim_token");
    });

    test("write an audit row with the user and the command", async () => {
      const { body } = await fixture.cancel({ task_id: "audited" });
      const row = await brain.running.brain.database.read
        .selectFrom("audit_log")
        .selectAll()
        .where("target_id", "=", body.id)
        .executeTakeFirstOrThrow();
      expect(row).toMatchObject({ action: "command.issue.cancel_task", user_id: body.issued_by, result: "success" });
      expect(JSON.parse(row.metadata)).toMatchObject({
        agent_id: fixture.agentId,
        target_id: "audited",
        engine: "bullmq",
      });
    });

    test("show viewers the status, but not issuer, payload and result", async () => {
      const { body } = await fixture.cancel({ task_id: "secret-task" });
      const frame = await fixture.given(body.id);
      const result = { status: "success", result: { hidden: "value" } };
      const echo = { delivery_claim_token: frame?.payload?.delivery_claim_token };
      fixture.agent.sendFrame("command_result", { ...result, ...echo }, body.id);
      await waitFor(async () => (await brain.as.operator.get(fixture.path(body.id))).body.status === "completed");
      for (const role of ["viewer", "auditor"] as const) {
        const one = (await brain.as[role].get(fixture.path(body.id))).body;
        expect(one).toMatchObject({ issued_by: null, payload: {}, result: null, source_ip: null, status: "completed" });
        const list = (await brain.as[role].get(fixture.path(""))).body;
        expect(list.items.find(({ id }: { id: string }) => id === body.id)).toEqual(one);
      }
      expect((await brain.as.operator.get(fixture.path(body.id))).body).toMatchObject({
        payload: { task_id: "secret-task" },
        result: { hidden: "value" },
      });
    });

    test("retry by reference, with the stored facts about the task", async () => {
      await fixture.reportFailed("known");
      const before = Date.now();
      const { status, body } = await fixture.send("retry-task", {
        engine: "bullmq",
        task_id: "known",
        eta_seconds: 60,
      });
      expect(status).toBe(202);
      expect(body).toMatchObject({ action: "retry_task", agent_id: fixture.agentId });
      expect(body.payload).toMatchObject({
        engine: "bullmq",
        task_id: "known",
        override_args: null,
        override_kwargs: null,
        task_name: "mail",
        priority: "high",
        queue: "emails",
      });
      const etaMs = Date.parse(body.payload.eta);
      expect(etaMs).toBeGreaterThanOrEqual(before + 60_000);
      expect(etaMs).toBeLessThanOrEqual(Date.now() + 60_000);
      expect((await fixture.given(body.id))?.payload?.parameters).toEqual(body.payload);
    });

    test("retry at once with a delay of 0, as without an ETA", async () => {
      const { status, body } = await fixture.send("retry-task", { engine: "bullmq", task_id: "now", eta_seconds: 0 });
      expect(status).toBe(202);
      expect(body.payload).toMatchObject({ task_id: "now", override_args: null, eta: null });
    });

    test("retry an unreported task with other inputs", async () => {
      const inputs = { override_args: [1, "two"], override_kwargs: { deep: { three: null } } };
      const { status, body } = await fixture.send("retry-task", { engine: "bullmq", task_id: "unknown", ...inputs });
      expect(status).toBe(202);
      expect(body.payload).toMatchObject({ ...inputs, eta: null, task_name: null, priority: null, queue: null });
    });

    test("keep every digit of a number in other inputs", async () => {
      const text =
        '{"engine":"bullmq","task_id":"long","override_args":[9007199254740993],"override_kwargs":{"a":0.1}}';
      const made = await brain.as.operator.post(fixture.path("retry-task"), text);
      expect(made.status).toBe(202);
      expect(made.text).toContain('"override_args":[9007199254740993]');
      await fixture.given(made.body.id);
      expect(fixture.agent.messages.join("\n")).toContain('"override_args":[9007199254740993]');
      const broken = await brain.as.operator.post(fixture.path("retry-task"), `${text.slice(0, -1)},"__proto__":{}}`);
      expect(broken.status).toBe(422);
    });

    test("link a new task to the one it replaces, when the agent reports it", async () => {
      await fixture.reportFailed("old-1");
      const { body } = await fixture.send("retry-task", {
        agent_id: fixture.agentId,
        engine: "bullmq",
        task_id: "old-1",
      });
      const frame = await fixture.given(body.id);
      const echo = { delivery_claim_token: frame?.payload?.delivery_claim_token };
      const result = { task_id: "old-1", new_task_id: "new-1" };
      fixture.agent.sendFrame("command_result", { status: "success", result, ...echo }, body.id);
      await fixture.reportFailed("new-1");
      const task = (id: string) => brain.as.viewer.get(`/projects/${brain.project.slug}/tasks/bullmq/${id}`);
      await waitFor(async () => (await task("old-1")).body.retried_as === "new-1");
      expect((await task("new-1")).body.retry_of).toBe("old-1");
    });

    test.each<[string, Record<string, unknown>, string, string]>([
      ["one override only", { override_args: [] }, "body.override_kwargs", "missing"],
      ["the other override only", { override_kwargs: {} }, "body.override_args", "missing"],
      [
        "an override over 64 KiB",
        { override_args: ["x".repeat(65_536)], override_kwargs: {} },
        "body.override_args",
        "too_long",
      ],
      [
        "a reserved key",
        { override_args: [], override_kwargs: { __svc_trace: 1 } },
        "body.override_kwargs",
        "reserved",
      ],
      ["an eta over a day", { eta_seconds: 86_401 }, "body.eta_seconds", "maximum"],
      ["an eta in the past", { eta_seconds: -1 }, "body.eta_seconds", "minimum"],
      ["an idempotency key of the service", { idempotency_key: "bulk:1" }, "body.idempotency_key", "reserved"],
      [
        "an idempotency key over 200 characters",
        { idempotency_key: "k".repeat(201) },
        "body.idempotency_key",
        "maxLength",
      ],
      ["an agent that is no UUID", { agent_id: "one" }, "body.agent_id", "format"],
      ["an engine over 40 characters", { engine: "e".repeat(41) }, "body.engine", "maxLength"],
      ["half a character", { task_id: "\ud83d" }, "body", "unpaired_surrogate"],
    ])("refuse a retry with %s, and write nothing", async (_what, change, loc, type) => {
      const before = await storedCount();
      const answer = await fixture.send("retry-task", { engine: "bullmq", task_id: "task-1", ...change });
      expect([answer.status, faultsOf(answer)]).toEqual([422, [[loc, type]]]);
      expect(await storedCount()).toBe(before);
    });

    test("refuse the key prefixes that are reserved for the service", async () => {
      for (const prefix of ["reconcile:", "automation:", "schedule:", "bulk:"]) {
        expect((await fixture.cancel({ idempotency_key: `${prefix}x` })).status).toBe(422);
      }
      expect((await fixture.cancel({ idempotency_key: `x-bulk:${randomUUID()}` })).status).toBe(202);
    });

    test("answer an equal request with the same key with the existing command, and another one with 409", async () => {
      const idempotency_key = randomUUID();
      const first = await fixture.cancel({ idempotency_key, unknown: 1 });
      await fixture.given(first.body.id);
      const again = await fixture.cancel({ idempotency_key, agent_id: fixture.agentId.toUpperCase() });
      expect([again.status, again.body.id]).toEqual([202, first.body.id]);
      expect(again.body.status).toBe("dispatched");
      for (const other of [{ task_id: "task-2" }, { agent_id: null }]) {
        const refused = await fixture.cancel({ idempotency_key, ...other });
        expect([refused.status, refused.body.details.reason]).toEqual([409, "idempotency_key_in_use"]);
      }
      const action = await fixture.send("requeue-dead-letter", {
        agent_id: fixture.agentId,
        engine: "bullmq",
        task_id: "task-1",
        idempotency_key,
      });
      expect(action.status).toBe(409);
      expect(fixture.framesOf(first.body.id)).toHaveLength(1);
    });

    test("answer a repetition while the agent is offline, but not a new request", async () => {
      const { agent: away, agentId: awayId } = await fixture.connect({ capabilities: { bullmq: allCapabilities } });
      const idempotency_key = randomUUID();
      const first = await fixture.cancel({ agent_id: awayId, idempotency_key });
      await away.close();
      await waitFor(async () => (await fixture.cancel({ agent_id: awayId })).status === 422);
      const again = await fixture.cancel({ agent_id: awayId, idempotency_key });
      expect([again.status, again.body.id]).toEqual([202, first.body.id]);
    });

    test("issue one command for concurrent equal requests", async () => {
      const idempotency_key = randomUUID();
      const answers = await Promise.all(Array.from({ length: 8 }, () => fixture.cancel({ idempotency_key })));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
      expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    });

    test("answer 404 for an unknown agent, one of another project, and a revoked one", async () => {
      await brain.as.root.post("/projects", { slug: `p-${dialect}`, name: "Other" });
      const { body: other } = await brain.as.root.post(`/projects/p-${dialect}/agents`, { name: "other" });
      const revoked = await brain.mintAgent();
      await brain.as.root.delete(`/projects/${brain.project.slug}/agents/${revoked.agentId}`);
      for (const agent_id of [randomUUID(), other.agent.id, revoked.agentId]) {
        const answer = await fixture.cancel({ agent_id });
        expect([answer.status, answer.body.details]).toEqual([404, { resource: "agent" }]);
        const control = await fixture.send("restart-worker", { agent_id, worker_name: "w" });
        expect(control.status).toBe(404);
      }
    });
  });
}
