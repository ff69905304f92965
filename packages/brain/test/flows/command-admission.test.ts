import { randomUUID } from "node:crypto";
import { waitFor } from "@svc/testkit";
import type { ApiAnswer, TestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import { connectRaw, createRawPoller, rawHello } from "@svc/testkit/raw-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { allCapabilities, type CommandFixture, startCommands } from "../fixtures/command-fixture.ts";

for (const dialect of testDialects) {
  describe(`commands are admitted by the capabilities of agent sessions on ${dialect}`, () => {
    let brain: TestBrain;
    let fixture: CommandFixture;
    beforeAll(async () => {
      fixture = await startCommands(dialect);
      ({ brain } = fixture);
    });
    afterAll(() => brain.stop());

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
      const { agentId: poorId, agent: poor } = await fixture.connect(hello);
      const wanted = [422, "validation_error", engine, capability, reason];
      expect(refusalOf(await fixture.send(route, bodyFor(engine, poorId)))).toEqual(wanted);
      expect(refusalOf(await fixture.send(route, bodyFor(engine, null)))).toEqual(wanted);
      await poor.close();
    });

    test.each([
      [["retry_task", "retry_by_reference_v1"], "capability_missing"],
      [["bulk_retry"], "retry_contract_missing"],
    ])("bulk-retry needs bulk_retry and the contract, and %j is not enough", async (tokens, reason) => {
      const engine = `rq-${randomUUID().slice(0, 8)}`;
      const { agentId: agent_id, agent: poor } = await fixture.connect({
        engines: [engine],
        capabilities: { [engine]: tokens },
      });
      const bulk = { agent_id, filter: { engine, task_ids: ["a"] }, max: 1 };
      const wanted = [422, "validation_error", engine, "bulk_retry", reason];
      expect(refusalOf(await fixture.send("bulk-retry", bulk))).toEqual(wanted);
      await poor.close();
    });

    test("an engine that the agent does not serve, and an offline agent, are refused", async () => {
      const wanted = [422, "validation_error", "celery", "cancel_task"];
      expect(refusalOf(await fixture.send("cancel-task", bodyFor("celery", fixture.agentId)))).toEqual([
        ...wanted,
        "engine_not_advertised",
      ]);
      expect(refusalOf(await fixture.send("cancel-task", bodyFor("celery", null)))).toEqual([
        ...wanted,
        "engine_not_advertised",
      ]);
      const { agentId: newId } = await brain.mintAgent();
      expect(refusalOf(await fixture.send("cancel-task", bodyFor("celery", newId)))).toEqual([
        ...wanted,
        "agent_offline",
      ]);
      expect(refusalOf(await fixture.send("cancel-task", bodyFor("constructor", fixture.agentId)))[4]).toBe(
        "engine_not_advertised",
      );
    });

    test.each([[["retry_task", "bulk_retry", "retry_resubmits"]], [[...allCapabilities, "retry_resubmits"]]])(
      "an adapter that resubmits, with %j, receives the command only with both overrides",
      async (tokens) => {
        const engine = `huey-${randomUUID().slice(0, 8)}`;
        const hello = { engines: [engine], capabilities: { [engine]: tokens } };
        const { agentId: id, agent: again } = await fixture.connect(hello);
        for (const agent_id of [id, null]) {
          const bare = await fixture.send("retry-task", bodyFor(engine, agent_id));
          expect([bare.status, bare.body.details]).toEqual([409, { reason: "overrides_required", engine }]);
          const whole = { ...bodyFor(engine, agent_id), override_args: [], override_kwargs: {} };
          const { status, body } = await fixture.send("retry-task", whole);
          expect(status).toBe(202);
          await fixture.given(body.id, again);
        }
        const bulk = { agent_id: id, filter: { engine, task_ids: ["a"] }, max: 1 };
        const refused = await fixture.send("bulk-retry", bulk);
        expect([refused.status, refused.body.details]).toEqual([409, { reason: "overrides_required", engine }]);
        await again.close();
      },
    );

    test("an eligible process of the agent receives the command", async () => {
      const {
        agent: web,
        agentId: id,
        minted,
      } = await fixture.connect({ worker_id: "web", engines: [], capabilities: {} });
      const side = await connectRaw(
        { url: brain.url, ...minted },
        { hello: rawHello({ worker_id: "side", engines: ["rq"], capabilities: { rq: ["cancel_task"] } }) },
      );
      await side.settle();
      const { body } = await fixture.send("cancel-task", bodyFor("rq", id));
      await fixture.given(body.id, side);
      expect(fixture.framesOf(body.id, web)).toEqual([]);
      await side.close();
      await waitFor(async () => (await fixture.send("cancel-task", bodyFor("rq", id))).status === 422);
      await web.close();
    });

    test("without a named agent, the reporter of the task is chosen while it is eligible", async () => {
      const { agent: reporter, agentId: reporterId } = await fixture.connect({
        capabilities: { bullmq: allCapabilities },
      });
      const { agent: other } = await fixture.connect({ capabilities: { bullmq: allCapabilities } });
      const task_id = `reported-${randomUUID()}`;
      const event = { id: randomUUID(), kind: "task.failed", engine: "bullmq", task_id, data: { task_name: "mail" } };
      await reporter.ackOf(reporter.sendEvents([{ ...event, occurred_at: new Date().toISOString() }]));
      const { body } = await fixture.send("retry-task", { engine: "bullmq", task_id });
      expect(body.agent_id).toBe(reporterId);
      await reporter.close();
      const next = await waitFor(async () => {
        const answer = await fixture.send("retry-task", { engine: "bullmq", task_id });
        return answer.body.agent_id !== reporterId && answer;
      });
      expect(next.status).toBe(202);
      await other.close();
    });

    test("a named long-poll agent is accepted for three actions without known capabilities", async () => {
      const minted = await brain.mintAgent();
      const poller = createRawPoller({ url: brain.url, ...minted, projectId: brain.project.id });
      await poller.probe();
      for (const route of ["retry-task", "cancel-task", "requeue-dead-letter"]) {
        expect((await fixture.send(route, bodyFor("dramatiq", minted.agentId))).status).toBe(202);
        expect(refusalOf(await fixture.send(route, bodyFor("dramatiq", null)))[4]).toBe("engine_not_advertised");
      }
      const bulk = { agent_id: minted.agentId, filter: { engine: "dramatiq", task_ids: ["a"] }, max: 1 };
      expect(refusalOf(await fixture.send("bulk-retry", bulk))).toEqual([
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
}
