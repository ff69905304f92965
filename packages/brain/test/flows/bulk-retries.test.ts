import { randomUUID } from "node:crypto";
import { canonicalText } from "@svc/protocol";
import { waitFor } from "@svc/testkit";
import { type ApiAnswer, startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import type { RawAgent } from "@svc/testkit/raw-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { digestOf } from "../../src/features/bulk-retries/planning/effective-request.ts";
import {
  answer,
  answering,
  childrenGiven,
  connectEligible,
  failTasks,
  operatorOf,
  retrying,
  whenRequest,
} from "../fixtures/bulk-retry-fixture.ts";

for (const dialect of testDialects) {
  describe(`bulk retries on ${dialect}`, () => {
    let brain: TestBrain;
    let agent: RawAgent;
    let agentId: string;
    beforeAll(async () => {
      brain = await startTestBrain({ dialect, env: { SVC_TRUSTED_PROXIES: "127.0.0.1" } });
      const { agent: connected, minted } = await connectEligible(brain);
      agent = connected;
      ({ agentId } = minted);
    });
    afterAll(() => brain.stop());

    const { path, create, act, failing, whenStatus } = operatorOf(() => brain);
    const givenOf = (ids: readonly string[], of = agent) =>
      childrenGiven(of).filter(({ taskId }) => ids.includes(taskId));
    /** Sorted, because commands with the same time arrive in any order. */
    const taskIdsOf = (ids: readonly string[], of = agent) =>
      givenOf(ids, of)
        .map(({ taskId }) => taskId)
        .sort();
    const auditOf = async (id: string) => {
      const rows = await brain.running.brain.database.read
        .selectFrom("audit_log")
        .select("action")
        .where("target_id", "=", id)
        .orderBy("occurred_us")
        .orderBy("id")
        .execute();
      return rows.map(({ action }) => action.replace("bulk_retry_request.", ""));
    };
    const faultOf = ({ status, body }: ApiAnswer) => [status, body.error, body.details.errors?.[0]?.type];

    test("send each child once, at most eight at a time, and report the outcome", async () => {
      const { queue, ids } = await failing(20);
      const made = await create({ filter: { queue } });
      expect(made.status).toBe(202);
      expect(made.headers.get("location")).toBe(`http://localhost:7700/api/v1${path(made.body.id)}`);
      expect(made.body).toMatchObject({
        status: "in_progress",
        control_state: "running",
        target_agent_id: null,
        counts: { total: 20, unobserved: 20, succeeded: 0, failed: 0, unknown: 0 },
      });
      await waitFor(() => givenOf(ids).length === 8);
      await brain.runLoop("bulk_retry");
      await agent.settle();
      expect(taskIdsOf(ids)).toEqual(ids.slice(0, 8));
      expect((await brain.as.operator.get(path(made.body.id))).body.counts).toMatchObject({ pending: 12, claimed: 8 });
      const answers = answering(agent);
      const done = await whenStatus(made.body.id, "succeeded");
      answers.stop();
      expect(done.counts).toEqual({
        total: 20,
        pending: 0,
        claimed: 0,
        unobserved: 0,
        succeeded: 20,
        failed: 0,
        unknown: 0,
      });
      expect(taskIdsOf(ids)).toEqual(ids);
      expect(await auditOf(made.body.id)).toEqual(["created", "finished"]);
    });

    test("seal digests, payloads, and the request with its defaults", async () => {
      const { queue, ids } = await failing(2, { priority: "high" });
      const since = "2020-01-01T00:00:00+01:00";
      const { body } = await create({ filter: { queue, since, priority: ["low", "high"] }, agent_id: agentId, max: 5 });
      const { database } = brain.running.brain;
      const { effective_request: text } = await database.read
        .selectFrom("bulk_retry_effective_requests")
        .selectAll()
        .where("request_id", "=", body.id)
        .executeTakeFirstOrThrow();
      const effective = JSON.parse(text);
      expect(effective).toEqual({
        action: "bulk_retry",
        filter: { state: "failure", queue, since: "2019-12-31T23:00:00.000Z", priority: ["high", "low"] },
        max: 5,
        target: { agent_id: agentId },
        version: 2,
      });
      expect(body.canonical_digest).toBe(digestOf(canonicalText(effective)));
      const children = await database.read
        .selectFrom("bulk_retry_children")
        .selectAll()
        .where("parent_id", "=", body.id)
        .orderBy("ordinal")
        .execute();
      const payloads = children.map(({ payload }) => JSON.parse(payload));
      expect(payloads[0]).toEqual({
        filter: {
          ...effective.filter,
          engine: "bullmq",
          task_ids: [ids[0]],
          task_names: { [ids[0]!]: "mail" },
          task_priorities: { [ids[0]!]: "high" },
        },
        max: 1,
      });
      expect(body.plan_digest).toBe(
        digestOf(
          canonicalText({
            children: payloads.map((payload, ordinal) => ({
              engine: "bullmq",
              ordinal,
              payload_digest: digestOf(canonicalText(payload)),
            })),
          }),
        ),
      );
      expect(children).toMatchObject(
        [0, 1].map((ordinal) => ({ ordinal, target_agent_id: agentId, required_contract_version: 1 })),
      );
      const given = await waitFor(() => givenOf(ids)[1] !== undefined && givenOf(ids));
      const command = await database.read
        .selectFrom("commands")
        .selectAll()
        .where("id", "=", given.find(({ taskId }) => taskId === ids[0])!.id)
        .executeTakeFirstOrThrow();
      expect(command.idempotency_key).toBe(`bulk:${children[0]!.id}`);
      for (const child of given) answer(agent, child);
      await whenStatus(body.id, "succeeded");
    });

    test("select failed tasks by default, and accept ids, names, searches and engines", async () => {
      const { queue, ids } = await failing(3);
      await failTasks(
        brain.running.brain.database,
        { project_id: brain.project.id, queue, state: "success" },
        1,
        `${queue}-fine`,
      );
      const total = async (filter: Record<string, unknown>) => {
        const { body } = await create({ filter: { queue, ...filter } });
        await act(body.id, "pause");
        return body.counts.total;
      };
      expect(await total({})).toBe(3);
      expect(await total({ status: "success" })).toBe(1);
      expect(await total({ engine: "bullmq", task_ids: [ids[0], ids[0], ids[2], "other"] })).toBe(2);
      expect(await total({ name: "ai", search: queue.toUpperCase() })).toBe(3);
      expect(await total({ name: "AI" })).toBe(0);
      expect(await total({ since: 4_000_000_000 })).toBe(0);
      expect(await total({ until: 4_000_000_000, engine: "bullmq" })).toBe(3);
    });

    test("without a match finish at once, with 200", async () => {
      const { status, body, headers } = await create({ filter: { queue: "none" } });
      expect(status).toBe(200);
      expect(body).toMatchObject({ status: "no_match", control_state: "running", counts: { total: 0 } });
      expect(headers.get("location")).toBe(`http://localhost:7700/api/v1${path(body.id)}`);
      for (const action of ["pause", "resume"] as const) {
        expect(await act(body.id, action)).toMatchObject({ status: 409, body: { details: { reason: "finished" } } });
      }
    });

    test("return the existing request when repeated, and are refused with another body", async () => {
      const { queue } = await failing(1);
      const idempotency_key = randomUUID();
      const [one, two] = await Promise.all([
        create({ idempotency_key, filter: { queue } }),
        create({ idempotency_key, filter: { queue, state: "failure" }, max: 1000 }),
      ]);
      expect([one.status, two.status]).toEqual([202, 202]);
      expect(two.body.id).toBe(one.body.id);
      expect(await auditOf(one.body.id)).toEqual(["created"]);
      expect(faultOf(await create({ idempotency_key, filter: { queue }, max: 2 }))).toEqual([
        409,
        "conflict",
        undefined,
      ]);
      expect((await create({ idempotency_key, filter: { queue }, rate_per_minute: 1 })).status).toBe(409);
      const child = await waitFor(() => childrenGiven(agent).find(({ taskId }) => taskId.startsWith(queue)));
      answer(agent, child);
      await whenStatus(one.body.id, "succeeded");
      expect((await create({ idempotency_key, filter: { queue } })).status).toBe(200);
    });

    test.each<[string, Record<string, unknown>, unknown[]]>([
      ["an unknown key of the filter", { filter: { worker: "w" } }, [400, "validation_error", "unknown_key"]],
      ["ids without an engine", { filter: { task_ids: ["a"] } }, [400, "validation_error", "missing"]],
      [
        "ids with a priority",
        { filter: { task_ids: ["a"], engine: "bullmq", priority: ["low"] } },
        [400, "validation_error", "not_with_task_ids"],
      ],
      [
        "more ids than max",
        { filter: { task_ids: ["a", "b"], engine: "bullmq" }, max: 1 },
        [400, "validation_error", "too_many"],
      ],
      [
        "two states",
        { filter: { state: "failure", status: "success" } },
        [400, "validation_error", "differs_from_state"],
      ],
      [
        "an engine without agents",
        { filter: { engine: "celery" } },
        [400, "validation_error", "engine_not_advertised"],
      ],
      ["a max of 0", { filter: {}, max: 0 }, [422, "validation_error", undefined]],
      ["a max beyond 10,000", { filter: {}, max: 10_001 }, [422, "validation_error", undefined]],
      ["no key", { filter: {}, idempotency_key: null }, [422, "validation_error", undefined]],
      ["a search of 201 characters", { filter: { search: "x".repeat(201) } }, [422, "validation_error", undefined]],
      [
        "text that is not well-formed Unicode",
        { filter: { search: "\ud800" } },
        [422, "validation_error", "unpaired_surrogate"],
      ],
      ["an invalid time", { filter: { since: "soon" } }, [422, "validation_error", undefined]],
      [
        "allowed failures without a canary",
        { filter: {}, canary_max_failures: 1 },
        [422, "validation_error", "missing"],
      ],
      ["an unknown agent", { filter: {}, agent_id: randomUUID() }, [404, "not_found", undefined]],
    ])("are refused with %s", async (_what, body, fault) => {
      const answered = faultOf(await create(body));
      expect(fault[2] === undefined ? answered.slice(0, 2) : answered).toEqual(
        fault[2] === undefined ? fault.slice(0, 2) : fault,
      );
    });

    test("name the engine that the named agent does not advertise", async () => {
      const minted = await brain.mintAgent();
      const { status, body } = await create({ filter: { engine: "bullmq" }, agent_id: minted.agentId });
      expect(status).toBe(400);
      expect(body.details).toMatchObject({ engine: "bullmq", capability: "bulk_retry", reason: "agent_offline" });
      expect(body.message).toContain("bullmq");
    });

    test("with more matches than max are refused with both numbers", async () => {
      const { queue } = await failing(4);
      const { status, body } = await create({ filter: { queue }, max: 3 });
      expect(status).toBe(422);
      expect(body.details).toMatchObject({ matched: 4, max: 3 });
    });

    test("of other projects are not found", async () => {
      const other = await brain.addProject(`other-${randomUUID().slice(0, 8)}`, "Other");
      const { body } = await create({ filter: { queue: "none" } });
      expect((await brain.as.operator.get(path(randomUUID()))).status).toBe(404);
      expect((await brain.as.root.get(`/projects/${other.slug}/bulk-retry-requests/${body.id}`)).status).toBe(404);
      for (const action of ["pause", "resume"] as const) expect((await act(randomUUID(), action)).status).toBe(404);
    });

    test("send nothing while paused, and continue when resumed", async () => {
      const { queue, ids } = await failing(12);
      const { body } = await create({ filter: { queue } });
      await waitFor(() => givenOf(ids).length === 8);
      expect((await act(body.id, "pause")).body).toMatchObject({ status: "paused", control_state: "paused" });
      expect((await act(body.id, "pause")).status).toBe(200);
      for (const child of givenOf(ids)) answer(agent, child);
      await whenRequest(brain.as.operator, path(body.id), ({ counts }) => counts.succeeded === 8);
      await brain.runLoop("bulk_retry");
      await agent.settle();
      expect(givenOf(ids)).toHaveLength(8);
      const answers = answering(agent);
      const resumed = await act(body.id, "resume");
      expect(resumed).toMatchObject({ status: 200, body: { control_state: "running" } });
      expect(Date.parse(resumed.body.deadline_at)).toBeGreaterThan(Date.parse(body.deadline_at));
      await whenStatus(body.id, "succeeded");
      answers.stop();
      expect(await auditOf(body.id)).toEqual(["created", "paused", "resumed", "finished"]);
      expect((await act(body.id, "pause")).status).toBe(409);
    });

    test("report partial when some fail, and failed when all do", async () => {
      const { queue, ids } = await failing(3);
      const some = answering(agent, ({ taskId }) =>
        taskId === ids[1] ? { status: "failed", error: "not found" } : {},
      );
      const first = (await create({ filter: { queue } })).body;
      expect((await whenStatus(first.id, "partial")).counts).toMatchObject({ succeeded: 2, failed: 1 });
      some.stop();
      const all = answering(agent, () => ({ status: "failed" }));
      const second = (await create({ filter: { queue } })).body;
      await whenStatus(second.id, "failed");
      all.stop();
    });

    test("report an unknown outcome after a timeout, and never send the task again", async () => {
      const { queue, ids } = await failing(2);
      const answers = answering(agent, ({ taskId }) => (taskId === ids[0] ? null : {}));
      const { body } = await create({ filter: { queue } });
      await whenRequest(brain.as.operator, path(body.id), ({ counts }) => counts.succeeded === 1);
      const silent = givenOf(ids).find(({ taskId }) => taskId === ids[0])!;
      await brain.running.brain.database.write(async (tx) => {
        const past = new Date(1000);
        await tx.updateTable("commands").set({ timeout_at: past }).where("id", "=", silent.id).execute();
        await tx
          .updateTable("bulk_retry_children")
          .set({ claim_deadline_at: past })
          .where("parent_id", "=", body.id)
          .execute();
      });
      await brain.runLoop("commands.timeout");
      expect((await whenStatus(body.id, "indeterminate")).counts).toMatchObject({ succeeded: 1, unknown: 1 });
      // Its late result changes nothing.
      answer(agent, silent);
      await agent.settle();
      answers.stop();
      expect((await brain.as.operator.get(path(body.id))).body.counts).toMatchObject({ succeeded: 1, unknown: 1 });
      expect(givenOf(ids)).toHaveLength(2);
    });

    test("report failed for commands cancelled with their agent before they were sent", async () => {
      const { queue, ids } = await failing(1, { engine: "bee" });
      const { agent: other, minted } = await connectEligible(brain, {
        engines: ["bee"],
        capabilities: { bee: retrying },
      });
      const made = (await create({ filter: { queue }, agent_id: minted.agentId })).body;
      await waitFor(() => givenOf(ids, other)[0]);
      await brain.running.brain.database.write((tx) =>
        tx
          .updateTable("commands")
          .set({ status: "cancelled", error: "revoked" })
          .where("agent_id", "=", minted.agentId)
          .execute(),
      );
      await brain.runLoop("bulk_retry");
      expect((await brain.as.operator.get(path(made.id))).body).toMatchObject({
        status: "failed",
        counts: { failed: 1 },
      });
      await other.close();
    });

    test("are blocked at their deadline, and get a new one when resumed", async () => {
      const { queue } = await failing(2, { engine: "sidekiq" });
      const { body } = await create({ filter: { queue } });
      const { database } = brain.running.brain;
      await database.write((tx) =>
        tx
          .updateTable("bulk_retry_requests")
          .set({ deadline_at: new Date(1000) })
          .where("id", "=", body.id)
          .execute(),
      );
      const seen = (await brain.as.operator.get(path(body.id))).body;
      expect(seen).toMatchObject({ status: "blocked", control_state: "blocked" });
      expect(seen.blocked_reason).toContain("2");
      await brain.runLoop("bulk_retry");
      expect((await brain.as.operator.get(path(body.id))).body).toMatchObject({
        status: "blocked",
        counts: { pending: 2 },
      });
      // Pausing a blocked one changes nothing.
      expect((await act(body.id, "pause")).body.status).toBe("blocked");
      expect((await act(body.id, "resume")).body).toMatchObject({ status: "in_progress", blocked_reason: null });
      expect(await auditOf(body.id)).toEqual(["created", "blocked", "resumed"]);
    });
  });
}
