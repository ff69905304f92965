import { randomUUID } from "node:crypto";
import { purgeConfirmToken } from "@svc/protocol";
import { waitFor } from "@svc/testkit";
import { type ApiAnswer, startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import { connectRaw, createRawPoller, type RawAgent, rawHello } from "@svc/testkit/raw-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const able = ["retry_task", "cancel_task", "bulk_retry", "requeue_dead_letter", "retry_by_reference_v1"];

for (const dialect of testDialects) {
  describe(`the command routes on ${dialect}`, () => {
    let brain: TestBrain;
    let agent: RawAgent;
    let agentId: string;

    beforeAll(async () => {
      brain = await startTestBrain({ dialect });
      ({ agent, agentId } = await connect({ capabilities: { bullmq: able } }));
    });
    afterAll(() => brain.stop());

    async function connect(hello: Parameters<typeof rawHello>[0] = {}) {
      const minted = await brain.mintAgent();
      const connected = await connectRaw({ url: brain.url, ...minted }, { hello: rawHello(hello) });
      return { agent: connected, agentId: minted.agentId, minted };
    }
    const path = (name: string) => `/projects/${brain.project.slug}/commands${name === "" ? "" : `/${name}`}`;
    const send = (name: string, body: unknown, as: "operator" | "admin" = "operator") =>
      brain.as[as].post(path(name), body);
    const cancel = (more: Record<string, unknown> = {}) =>
      send("cancel-task", { agent_id: agentId, engine: "bullmq", task_id: "task-1", ...more });
    const faultsOf = ({ body }: ApiAnswer) =>
      body.details.errors.map(({ loc, type }: { loc: string[]; type: string }) => [loc.join("."), type]);
    const framesOf = (id: string, of: RawAgent = agent) => of.frames.filter((frame) => frame.id === id);
    const given = (id: string, of: RawAgent = agent) => waitFor(() => framesOf(id, of)[0]);
    const storedCount = async () => {
      const { count } = await brain.running.brain.database.read
        .selectFrom("commands")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      return Number(count);
    };
    const reportFailed = async (taskId: string) => {
      await agent.ackOf(
        agent.sendEvents([
          {
            id: randomUUID(),
            kind: "task.failed",
            engine: "bullmq",
            task_id: taskId,
            occurred_at: new Date().toISOString(),
            data: { task_name: "mail", queue: "emails", priority: "high" },
          },
        ]),
      );
    };

    test("make a command, give it to its agent at once, and show its end", async () => {
      const made = await cancel();
      expect(made.status).toBe(202);
      expect(made.body).toMatchObject({
        action: "cancel_task",
        agent_id: agentId,
        target_type: "task",
        target_id: "task-1",
        status: "pending",
        payload: { engine: "bullmq", task_id: "task-1" },
        result: null,
        error: null,
        idempotency_key: null,
        dispatched_at: null,
      });
      const frame = await given(made.body.id);
      expect(frame?.payload).toMatchObject({
        action: "cancel_task",
        target: { type: "task", id: "task-1", engine: "bullmq" },
        timeout_seconds: 60,
        issued_by: made.body.issued_by,
      });
      const echo = { delivery_claim_token: frame?.payload?.delivery_claim_token };
      agent.sendFrame("command_ack", echo, made.body.id);
      agent.sendFrame("command_result", { status: "success", result: {}, ...echo }, made.body.id);
      const shown = await waitFor(async () => {
        const { body } = await brain.as.operator.get(path(made.body.id));
        return body.status === "completed" && body;
      });
      expect(shown).toMatchObject({ result: {}, issued_by: made.body.issued_by, source_ip: "127.0.0.1" });
      expect(Object.keys(shown)).not.toContain("delivery_claim_token");
    });

    test("write who did it into the audit trail, with the command", async () => {
      const { body } = await cancel({ task_id: "audited" });
      const row = await brain.running.brain.database.read
        .selectFrom("audit_log")
        .selectAll()
        .where("target_id", "=", body.id)
        .executeTakeFirstOrThrow();
      expect(row).toMatchObject({ action: "command.issue.cancel_task", user_id: body.issued_by, result: "success" });
      expect(JSON.parse(row.metadata)).toMatchObject({ agent_id: agentId, target_id: "audited", engine: "bullmq" });
    });

    test("show viewers what happens, but not who did it, with what, and what came of it", async () => {
      const { body } = await cancel({ task_id: "secret-task" });
      const frame = await given(body.id);
      const result = { status: "success", result: { hidden: "value" } };
      const echo = { delivery_claim_token: frame?.payload?.delivery_claim_token };
      agent.sendFrame("command_result", { ...result, ...echo }, body.id);
      await waitFor(async () => (await brain.as.operator.get(path(body.id))).body.status === "completed");
      for (const role of ["viewer", "auditor"] as const) {
        const one = (await brain.as[role].get(path(body.id))).body;
        expect(one).toMatchObject({ issued_by: null, payload: {}, result: null, source_ip: null, status: "completed" });
        const list = (await brain.as[role].get(path(""))).body;
        expect(list.items.find(({ id }: { id: string }) => id === body.id)).toEqual(one);
      }
      expect((await brain.as.operator.get(path(body.id))).body).toMatchObject({
        payload: { task_id: "secret-task" },
        result: { hidden: "value" },
      });
    });

    test("retry by reference, with what is known of the task", async () => {
      await reportFailed("known");
      const before = Date.now();
      const { status, body } = await send("retry-task", { engine: "bullmq", task_id: "known", eta_seconds: 60 });
      expect(status).toBe(202);
      expect(body).toMatchObject({ action: "retry_task", agent_id: agentId });
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
      expect((await given(body.id))?.payload?.parameters).toEqual(body.payload);
    });

    test("retry a task that nobody has reported, with other inputs", async () => {
      const inputs = { override_args: [1, "two"], override_kwargs: { deep: { three: null } } };
      const { status, body } = await send("retry-task", { engine: "bullmq", task_id: "unknown", ...inputs });
      expect(status).toBe(202);
      expect(body.payload).toMatchObject({ ...inputs, eta: null, task_name: null, priority: null, queue: null });
    });

    test("keep every digit of a number in other inputs", async () => {
      const text = '{"engine":"bullmq","task_id":"long","override_args":[9007199254740993],"override_kwargs":{"a":0.1}}';
      const made = await brain.as.operator.post(path("retry-task"), text);
      expect(made.status).toBe(202);
      expect(made.text).toContain('"override_args":[9007199254740993]');
      await given(made.body.id);
      expect(agent.messages.join("\n")).toContain('"override_args":[9007199254740993]');
      const broken = await brain.as.operator.post(path("retry-task"), `${text.slice(0, -1)},"__proto__":{}}`);
      expect(broken.status).toBe(422);
    });

    test("link a task that was made for another one, when its agent says so", async () => {
      await reportFailed("old-1");
      const { body } = await send("retry-task", { agent_id: agentId, engine: "bullmq", task_id: "old-1" });
      const frame = await given(body.id);
      const echo = { delivery_claim_token: frame?.payload?.delivery_claim_token };
      const result = { task_id: "old-1", new_task_id: "new-1" };
      agent.sendFrame("command_result", { status: "success", result, ...echo }, body.id);
      await reportFailed("new-1");
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
      ["an idempotency key over 200 characters", { idempotency_key: "k".repeat(201) }, "body.idempotency_key", "maxLength"],
      ["an agent that is no UUID", { agent_id: "one" }, "body.agent_id", "format"],
      ["an engine over 40 characters", { engine: "e".repeat(41) }, "body.engine", "maxLength"],
      ["half a character", { task_id: "\ud83d" }, "body", "unpaired_surrogate"],
    ])("refuse a retry with %s, and write nothing", async (_what, change, loc, type) => {
      const before = await storedCount();
      const answer = await send("retry-task", { engine: "bullmq", task_id: "task-1", ...change });
      expect([answer.status, faultsOf(answer)]).toEqual([422, [[loc, type]]]);
      expect(await storedCount()).toBe(before);
    });

    test("take each key of the service itself for reserved", async () => {
      for (const prefix of ["reconcile:", "automation:", "schedule:", "bulk:"]) {
        expect((await cancel({ idempotency_key: `${prefix}x` })).status).toBe(422);
      }
      expect((await cancel({ idempotency_key: `x-bulk:${randomUUID()}` })).status).toBe(202);
    });

    test("answer an equal request under the same key with the command that exists, and another one with 409", async () => {
      const idempotency_key = randomUUID();
      const first = await cancel({ idempotency_key, unknown: 1 });
      await given(first.body.id);
      const again = await cancel({ idempotency_key, agent_id: agentId.toUpperCase() });
      expect([again.status, again.body.id]).toEqual([202, first.body.id]);
      expect(again.body.status).toBe("dispatched");
      for (const other of [{ task_id: "task-2" }, { agent_id: null }]) {
        const refused = await cancel({ idempotency_key, ...other });
        expect([refused.status, refused.body.details.reason]).toEqual([409, "idempotency_key_in_use"]);
      }
      const action = await send("requeue-dead-letter", {
        agent_id: agentId,
        engine: "bullmq",
        task_id: "task-1",
        idempotency_key,
      });
      expect(action.status).toBe(409);
      expect(framesOf(first.body.id)).toHaveLength(1);
    });

    test("answer a repetition while the agent is away, and a new request not", async () => {
      const { agent: away, agentId: awayId } = await connect({ capabilities: { bullmq: able } });
      const idempotency_key = randomUUID();
      const first = await cancel({ agent_id: awayId, idempotency_key });
      await away.close();
      await waitFor(async () => (await cancel({ agent_id: awayId })).status === 422);
      const again = await cancel({ agent_id: awayId, idempotency_key });
      expect([again.status, again.body.id]).toEqual([202, first.body.id]);
    });

    test("make one command of equal requests at once", async () => {
      const idempotency_key = randomUUID();
      const answers = await Promise.all(Array.from({ length: 8 }, () => cancel({ idempotency_key })));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
      expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    });

    test("answer 404 for an agent of nobody, of another project, and a revoked one", async () => {
      await brain.as.root.post("/projects", { slug: `p-${dialect}`, name: "Other" });
      const { body: other } = await brain.as.root.post(`/projects/p-${dialect}/agents`, { name: "other" });
      const gone = await brain.mintAgent();
      await brain.as.root.delete(`/projects/${brain.project.slug}/agents/${gone.agentId}`);
      for (const agent_id of [randomUUID(), other.agent.id, gone.agentId]) {
        const answer = await cancel({ agent_id });
        expect([answer.status, answer.body.details]).toEqual([404, { resource: "agent" }]);
        const control = await send("restart-worker", { agent_id, worker_name: "w" });
        expect(control.status).toBe(404);
      }
    });

    describe("admit by what the agent's sessions can do", () => {
      const refusalOf = ({ status, body }: ApiAnswer) => [
        status,
        body.error,
        body.details.engine,
        body.details.capability,
        body.details.reason,
      ];
      const bodyFor = (engine: string, agent_id: string | null) => ({ engine, task_id: "task-1", agent_id });

      test.each([
        ["retry-task", "retry_task", ["cancel_task"], "capability_missing"],
        ["retry-task", "retry_task", ["retry_task"], "retry_contract_missing"],
        ["cancel-task", "cancel_task", ["retry_task"], "capability_missing"],
        ["requeue-dead-letter", "requeue_dead_letter", ["retry_task"], "capability_missing"],
      ])("%s needs %s, and %j is not enough", async (route, capability, tokens, reason) => {
        const engine = `rq-${randomUUID().slice(0, 8)}`;
        const hello = { engines: [engine], capabilities: { [engine]: tokens } };
        const { agentId: poorId, agent: poor } = await connect(hello);
        const wanted = [422, "validation_error", engine, capability, reason];
        expect(refusalOf(await send(route, bodyFor(engine, poorId)))).toEqual(wanted);
        expect(refusalOf(await send(route, bodyFor(engine, null)))).toEqual(wanted);
        await poor.close();
      });

      test("an engine that the agent does not serve, and an agent that is away, are refused", async () => {
        const wanted = [422, "validation_error", "celery", "cancel_task"];
        expect(refusalOf(await send("cancel-task", bodyFor("celery", agentId)))).toEqual([
          ...wanted,
          "engine_not_advertised",
        ]);
        expect(refusalOf(await send("cancel-task", bodyFor("celery", null)))).toEqual([
          ...wanted,
          "engine_not_advertised",
        ]);
        const { agentId: newId } = await brain.mintAgent();
        expect(refusalOf(await send("cancel-task", bodyFor("celery", newId)))).toEqual([...wanted, "agent_offline"]);
        expect(refusalOf(await send("cancel-task", bodyFor("constructor", agentId)))[4]).toBe("engine_not_advertised");
      });

      test("an adapter that submits again needs both overrides", async () => {
        const tokens = [...able, "retry_resubmits"];
        const { agentId: id, agent: again } = await connect({ engines: ["huey"], capabilities: { huey: tokens } });
        for (const agent_id of [id, null]) {
          const bare = await send("retry-task", bodyFor("huey", agent_id));
          expect([bare.status, bare.body.details.engine]).toEqual([409, "huey"]);
          const whole = { ...bodyFor("huey", agent_id), override_args: [], override_kwargs: {} };
          expect((await send("retry-task", whole)).status).toBe(202);
        }
        await again.close();
      });

      test("a process of the agent that can do it is given the command, not one that cannot", async () => {
        const { agent: web, agentId: id, minted } = await connect({ worker_id: "web", engines: [], capabilities: {} });
        const side = await connectRaw(
          { url: brain.url, ...minted },
          { hello: rawHello({ worker_id: "side", engines: ["rq"], capabilities: { rq: ["cancel_task"] } }) },
        );
        const { body } = await send("cancel-task", bodyFor("rq", id));
        await given(body.id, side);
        expect(framesOf(body.id, web)).toEqual([]);
        await side.close();
        await waitFor(async () => (await send("cancel-task", bodyFor("rq", id))).status === 422);
        await web.close();
      });

      test("without a named agent the one that reported the task is taken, while it qualifies", async () => {
        const { agent: reporter, agentId: reporterId } = await connect({ capabilities: { bullmq: able } });
        const { agent: other } = await connect({ capabilities: { bullmq: able } });
        const task_id = `reported-${randomUUID()}`;
        const event = { id: randomUUID(), kind: "task.failed", engine: "bullmq", task_id, data: { task_name: "mail" } };
        await reporter.ackOf(reporter.sendEvents([{ ...event, occurred_at: new Date().toISOString() }]));
        const { body } = await send("retry-task", { engine: "bullmq", task_id });
        expect(body.agent_id).toBe(reporterId);
        await reporter.close();
        const next = await waitFor(async () => {
          const answer = await send("retry-task", { engine: "bullmq", task_id });
          return answer.body.agent_id !== reporterId && answer;
        });
        expect(next.status).toBe(202);
        await other.close();
      });

      test("a long-poll agent is taken at its operator's word for three actions, when it is named", async () => {
        const minted = await brain.mintAgent();
        const poller = createRawPoller({ url: brain.url, ...minted, projectId: brain.project.id });
        await poller.probe();
        for (const route of ["retry-task", "cancel-task", "requeue-dead-letter"]) {
          expect((await send(route, bodyFor("dramatiq", minted.agentId))).status).toBe(202);
          expect(refusalOf(await send(route, bodyFor("dramatiq", null)))[4]).toBe("engine_not_advertised");
        }
        const bulk = { agent_id: minted.agentId, filter: { engine: "dramatiq", task_ids: ["a"] }, max: 1 };
        expect(refusalOf(await send("bulk-retry", bulk))).toEqual([
          422,
          "validation_error",
          "dramatiq",
          "bulk_retry",
          "engine_not_advertised",
        ]);
        const { body } = await poller.poll({ wait: 0 }, { headers: { "x-svc-retry-contracts": "dramatiq=1" } });
        expect(poller.open(body.frames).map(({ payload }) => payload?.action)).toEqual([
          "retry_task",
          "cancel_task",
          "requeue_dead_letter",
        ]);
      });
    });

    describe("bulk-retry", () => {
      const bulk = (filter: Record<string, unknown>, max = 10) => send("bulk-retry", { agent_id: agentId, filter, max });

      test("retries the first different tasks in one command", async () => {
        for (const id of ["b-1", "b-2", "b-3"]) await reportFailed(id);
        const { status, body } = await bulk({ engine: "bullmq", task_ids: ["b-2", "b-1", "b-2", "b-3"] }, 2);
        expect(status).toBe(202);
        expect(body).toMatchObject({ action: "bulk_retry", target_type: "task", target_id: null });
        expect(body.payload).toEqual({ filter: { engine: "bullmq", task_ids: ["b-2", "b-1"] }, max: 2 });
        expect((await given(body.id))?.payload?.target).toEqual({ type: "task", id: "", engine: "bullmq" });
      });

      test("refuses ids that are no tasks of the engine, and names twenty of them", async () => {
        await reportFailed("b-1");
        const unknown = Array.from({ length: 30 }, (_, index) => `none-${index}`);
        const answer = await bulk({ engine: "bullmq", task_ids: ["b-1", ...unknown] }, 1);
        expect([answer.status, answer.body.details.task_ids]).toEqual([422, unknown.slice(0, 20)]);
        expect((await bulk({ engine: "bullmq", task_ids: [] })).status).toBe(422);
      });

      test("is gone for a filter, and says so in the audit trail", async () => {
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
        send("purge-queue", { agent_id: agentId, queue: "default", ...more }, "admin");
      const sent = async (more: Record<string, unknown>) => {
        const { body } = await purge(more);
        return { body, parameters: (await given(body.id))?.payload?.parameters };
      };

      test("proves the depth that was seen by a token that nobody is shown", async () => {
        const token = purgeConfirmToken(brain.running.brain.features.secretOf(brain.project.id), "default", 42);
        const { body, parameters } = await sent({ observed_depth: 42 });
        expect(parameters).toEqual({ queue: "default", confirm_token: token, force: false });
        expect(body.payload).toEqual({ queue: "default", confirm_token: "[REDACTED]", force: false });
        const shown = await Promise.all([brain.as.root, brain.as.admin].map((who) => who.get(path(""))));
        for (const { text } of shown) expect(text).not.toContain(token);
      });

      test("hands on a token, force, and neither: its agent refuses that", async () => {
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
        const answer = await send("purge-queue", { agent_id: agentId, queue: "default" }, "operator");
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
      ])("%s with %j is %s, whatever the agent can do", async (route, more, action, parameters) => {
        const answer = await send(route, { agent_id: agentId, worker_name: "w-1", ...more });
        expect(answer.status).toBe(202);
        expect(answer.body).toMatchObject({ action, target_type: "worker", target_id: "w-1" });
        expect(answer.body.payload).toEqual({ worker_name: "w-1", ...parameters });
        expect((await given(answer.body.id))?.payload?.target).toEqual({ type: "worker", id: "w-1" });
      });

      test("a rate without a worker names the task as what is controlled", async () => {
        const { body } = await send("rate-limit", { agent_id: agentId, task_name: "mail", rate: "5/h" });
        expect(body).toMatchObject({ target_id: "mail", payload: { task_name: "mail", rate: "5/h" } });
      });

      test("the engine is told where the request names it", async () => {
        const { body } = await send("restart-worker", { agent_id: agentId, worker_name: "w", engine: "bullmq" });
        expect((await given(body.id))?.payload?.target).toMatchObject({ engine: "bullmq" });
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
        expect((await send(route, { agent_id: agentId, worker_name: "w-1", ...more })).status).toBe(422);
      });
    });
  });
}
