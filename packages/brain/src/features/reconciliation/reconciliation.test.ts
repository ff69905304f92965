import { randomUUID } from "node:crypto";
import { type Frame, idNamespaces, uuidV5 } from "@svc/protocol";
import { createFakeClock, waitFor } from "@svc/testkit";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import { connectRaw, type RawAgent, rawHello } from "@svc/testkit/raw-agent";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createCorrect } from "./correct.ts";
import { Sweep } from "./sweep.ts";

const minuteMs = 60_000;
const ago = (minutes: number) => new Date(Date.now() - minutes * minuteMs).toISOString();
const signal = new AbortController().signal;

for (const dialect of testDialects) {
  describe(`reconciliation on ${dialect}`, () => {
    let brain: TestBrain;
    let slug: string;
    let projectId: string;
    const agents: RawAgent[] = [];

    /** Commands whose answer has reached the listeners. A reader may see the result a moment earlier. */
    const reportedIds = new Set<string>();

    beforeAll(async () => {
      brain = await startTestBrain({ dialect, env: { SVC_METRICS_PUBLIC: "true" } });
      brain.running.brain.features.commands.onReported("reconcile_task", ({ command }) => reportedIds.add(command.id));
    });
    afterAll(() => brain.stop());
    afterEach(async () => {
      await Promise.all(agents.splice(0).map((agent) => agent.close()));
      const { agents: known } = brain.running.brain.features;
      await waitFor(async () => (await known.seenLast({ token: "reconcile_task", limit: 1 })).length === 0);
    });

    const database = () => brain.running.brain.database;
    async function newProject(): Promise<void> {
      ({ id: projectId, slug } = await brain.addProject(`p-${randomUUID().slice(0, 8)}`, "Project"));
    }
    async function connect(capabilities: Record<string, string[]> = { bullmq: ["reconcile_task"] }): Promise<RawAgent> {
      const { body } = await brain.as.root.post(`/projects/${slug}/agents`, { name: `agent-${agents.length}` });
      const agent = await connectRaw(
        { url: brain.url, token: body.token, hmacSecret: body.hmac_secret },
        { hello: rawHello({ engines: Object.keys(capabilities), capabilities }) },
      );
      agents.push(agent);
      return agent;
    }
    const event = (kind: string, taskId: string, occurredAt: string, data: object = {}, engine = "bullmq") => ({
      id: randomUUID(),
      kind,
      engine,
      task_id: taskId,
      occurred_at: occurredAt,
      data: { task_name: "mail", ...data },
    });
    const report = (agent: RawAgent, ...events: object[]) => agent.ackOf(agent.sendEvents(events));
    const sweep = () => brain.runLoop("reconciliation.sweep");
    const questions = ({ frames }: RawAgent) => frames.filter(({ payload }) => payload?.action === "reconcile_task");
    const asked = (agent: RawAgent, count = 1) =>
      waitFor(() => questions(agent).length >= count && questions(agent), { that: `${count} questions` });
    const idsOf = (frames: readonly Frame[]) =>
      frames.map(({ payload }) => (payload?.parameters as { task_id: string } | undefined)?.task_id);
    const echoOf = ({ payload }: Frame) => ({ delivery_claim_token: payload?.delivery_claim_token });
    const answer = (agent: RawAgent, frame: Frame, result: object) =>
      agent.sendFrame("command_result", { status: "success", result, ...echoOf(frame) }, frame.id);
    /** Waits until all answers sent so far are stored and processed. */
    async function judged(agent: RawAgent, frame: Frame): Promise<void> {
      await agent.settle();
      await waitFor(() => reportedIds.has(frame.id as string));
      await brain.running.brain.features.reconciliation.settled();
    }
    const taskOf = async (taskId: string) => (await brain.as.root.get(`/projects/${slug}/tasks/bullmq/${taskId}`)).body;
    const correctionsOf = (commandId: string) =>
      database()
        .read.selectFrom("events")
        .selectAll()
        .where("project_id", "=", projectId)
        .where("id", "=", uuidV5(idNamespaces.reconciliation, commandId))
        .execute();
    const auditOf = (taskId: string) =>
      database()
        .read.selectFrom("audit_log")
        .selectAll()
        .where("project_id", "=", projectId)
        .where("action", "=", "task.reconciled")
        .where("target_id", "=", taskId)
        .execute();
    async function askAbout(taskId: string): Promise<{ agent: RawAgent; frame: Frame; startedAt: string }> {
      await newProject();
      const agent = await connect();
      const startedAt = ago(60);
      await report(agent, event("task.started", taskId, startedAt, { attempt: 1, worker: "w1" }));
      await sweep();
      const [frame] = await asked(agent);
      return { agent, frame: frame as Frame, startedAt };
    }

    test("asks an eligible agent about long unfinished tasks only", async () => {
      await newProject();
      const agent = await connect({ bullmq: ["reconcile_task"], celery: ["retry_task"] });
      await report(
        agent,
        event("task.started", "started", ago(20)),
        event("task.sent", "sent", ago(20)),
        event("task.received", "received", ago(20)),
        event("task.retried", "retried", ago(20)),
        event("task.sent", "due", ago(40), { eta: ago(20) }),
        event("task.started", "young", ago(10)),
        event("task.sent", "just-started", ago(40)),
        event("task.started", "just-started", ago(5)),
        event("task.sent", "waits", ago(40), { eta: ago(-20) }),
        event("task.started", "ended", ago(40)),
        event("task.succeeded", "ended", ago(30)),
        event("task.started", "other-engine", ago(40), {}, "celery"),
      );
      expect(await sweep()).toEqual({ asked: 5 });
      const frames = await asked(agent, 5);
      expect(idsOf(frames).sort()).toEqual(["due", "received", "retried", "sent", "started"]);
      expect(frames[0]?.payload).toMatchObject({
        target: { type: "task", id: "started", engine: "bullmq" },
        parameters: { engine: "bullmq", task_id: "started" },
        issued_by: null,
      });
    });

    test("asks no agent while none is eligible, and asks once one is", async () => {
      await newProject();
      const reporter = await connect({ bullmq: [] });
      await report(reporter, event("task.started", "lonely", ago(60)));
      expect(await sweep()).toEqual({ asked: 0 });
      const able = await connect();
      expect(await sweep()).toEqual({ asked: 1 });
      expect(idsOf(await asked(able))).toEqual(["lonely"]);
      expect(questions(reporter)).toEqual([]);
    });

    test("asks about a task once per interval", async () => {
      await newProject();
      const agent = await connect();
      await report(agent, event("task.started", "stuck", ago(60)));
      const clock = createFakeClock(new Date(Math.ceil(Date.now() / 300_000) * 300_000));
      const { features } = brain.running.brain;
      const settings = { SVC_RECONCILIATION_SWEEP_SECONDS: 300, SVC_RECONCILIATION_STALE_THRESHOLD_SECONDS: 900 };
      const { agents: able, audit, commands } = features;
      const deps = { database: database(), clock, agents: able, audit, commands, settings };
      const keys = async () => {
        const rows = await database()
          .read.selectFrom("commands")
          .select("idempotency_key")
          .where("project_id", "=", projectId)
          .orderBy("issued_at")
          .execute();
        return rows.map(({ idempotency_key }) => idempotency_key);
      };
      // Two leaders, one after the other, in one interval.
      for (const leader of [new Sweep(deps), new Sweep(deps)]) await leader.run(signal);
      const interval = clock.now().getTime() / 300_000;
      expect(await keys()).toEqual([`reconcile:bullmq:stuck:${interval}`]);
      clock.advance(299_999);
      await new Sweep(deps).run(signal);
      expect(await keys()).toHaveLength(1);
      clock.advance(1);
      await new Sweep(deps).run(signal);
      expect(await keys()).toEqual([`reconcile:bullmq:stuck:${interval}`, `reconcile:bullmq:stuck:${interval + 1}`]);
    });

    test("continues where the last sweep ended, so that no task starves another", async () => {
      await newProject();
      const agent = await connect();
      const waiting = Array.from({ length: 230 }, (_, index) => event("task.sent", `sent-${index}`, ago(60)));
      await report(agent, ...waiting, event("task.started", "started", ago(20)));
      expect(await sweep()).toEqual({ asked: 100 });
      expect(idsOf(await asked(agent, 100))).toContain("started");
      await sweep();
      await sweep();
      await waitFor(() => new Set(idsOf(questions(agent))).size === 231);
    });

    test.each([
      ["pending", "pending", "task.sent"],
      ["success", "success", "task.succeeded"],
      ["failure", "failure", "task.failed"],
    ])("corrects a started task when its engine says %s", async (engineState, state, kind) => {
      const { agent, frame } = await askAbout("corrected");
      answer(agent, frame, { task_id: "corrected", engine_state: engineState });
      await judged(agent, frame);
      const command = (await brain.as.root.get(`/projects/${slug}/commands/${frame.id}`)).body;
      const [stored] = await correctionsOf(frame.id);
      const isTerminal = state !== "pending";
      expect(stored).toMatchObject({ kind, engine: "bullmq", task_id: "corrected", agent_id: agent.session.agentId });
      expect(stored?.occurred_at.toISOString()).toBe(isTerminal ? command.completed_at : command.issued_at);
      expect(JSON.parse(stored?.payload ?? "")).toEqual({ reconciled: true, attempt: 1 });
      expect(await taskOf("corrected")).toMatchObject({
        state,
        attempt: 1,
        worker_name: "w1",
        finished_at: isTerminal ? command.completed_at : null,
      });
      expect(await auditOf("corrected")).toHaveLength(isTerminal ? 1 : 0);
    });

    test("corrects a waiting task when its engine reports that it runs", async () => {
      await newProject();
      const agent = await connect();
      await report(agent, event("task.sent", "runs", ago(60)));
      await sweep();
      const [frame] = await asked(agent);
      answer(agent, frame as Frame, { task_id: "runs", engine_state: "started" });
      await judged(agent, frame as Frame);
      expect(await taskOf("runs")).toMatchObject({ state: "started" });
    });

    test("takes the end and the exception from the engine, and writes one audit row", async () => {
      const { agent, frame } = await askAbout("failed");
      const finishedAt = ago(30);
      const result = {
        task_id: "failed",
        engine_state: "failure",
        finished_at: finishedAt,
        exception: `Error: ${"x".repeat(600)}`,
      };
      answer(agent, frame, result);
      await judged(agent, frame);
      const task = await taskOf("failed");
      expect(task).toMatchObject({ state: "failure", finished_at: finishedAt });
      expect(task.exception).toBe(`Error: ${"x".repeat(493)}`);
      const issues = (await brain.as.root.get(`/projects/${slug}/issues`)).body.items;
      expect(issues).toHaveLength(1);
      // The same answer again: the command has ended, and its event is stored.
      answer(agent, frame, result);
      await judged(agent, frame);
      expect(await correctionsOf(frame.id)).toHaveLength(1);
      const rows = await auditOf("failed");
      expect(rows).toHaveLength(1);
      expect(rows[0]).toMatchObject({
        target_type: "task",
        user_id: null,
        event_id: uuidV5(idNamespaces.reconciliation, frame.id),
      });
      expect(JSON.parse(rows[0]?.metadata ?? "")).toEqual({
        engine: "bullmq",
        state: "failure",
        state_before: "started",
        agent_id: agent.session.agentId,
        command_id: frame.id,
      });
    });

    test.each([
      ["that cannot be read", "lately"],
      ["that is not a string", 7],
      ["in the future", ago(-5)],
    ])("takes the time of the answer for an end %s", async (_what, finishedAt) => {
      const { agent, frame } = await askAbout("odd");
      answer(agent, frame, { task_id: "odd", engine_state: "success", finished_at: finishedAt });
      await judged(agent, frame);
      const command = (await brain.as.root.get(`/projects/${slug}/commands/${frame.id}`)).body;
      expect((await taskOf("odd")).finished_at).toBe(command.completed_at);
    });

    test.each([
      ["unknown", { engine_state: "unknown" }],
      ["an unknown word", { engine_state: "exploded" }],
      ["the name of a property of every object", { engine_state: "constructor" }],
      ["nothing", {}],
      ["the current state of the task", { engine_state: "started" }],
    ])("changes nothing when the engine says %s", async (_what, result) => {
      const { agent, frame } = await askAbout("same");
      const before = await taskOf("same");
      answer(agent, frame, { task_id: "same", ...result });
      await judged(agent, frame);
      expect(await taskOf("same")).toEqual(before);
      expect(await correctionsOf(frame.id)).toEqual([]);
    });

    test("changes nothing when the engine cannot answer", async () => {
      const { agent, frame } = await askAbout("same");
      agent.sendFrame("command_result", { status: "failed", error: "unreachable", ...echoOf(frame) }, frame.id);
      await judged(agent, frame);
      expect(await taskOf("same")).toMatchObject({ state: "started" });
      expect(await correctionsOf(frame.id)).toEqual([]);
    });

    test("changes nothing when the task has finished in between", async () => {
      const { agent, frame } = await askAbout("ended");
      await report(agent, event("task.revoked", "ended", ago(50), { attempt: 1 }));
      answer(agent, frame, { task_id: "ended", engine_state: "failure" });
      await judged(agent, frame);
      expect(await taskOf("ended")).toMatchObject({ state: "revoked" });
      expect([await correctionsOf(frame.id), await auditOf("ended")]).toEqual([[], []]);
    });

    test("changes nothing when the task was deleted in between", async () => {
      const { agent, frame } = await askAbout("deleted");
      await database().write((tx) => tx.deleteFrom("tasks").where("project_id", "=", projectId).execute());
      answer(agent, frame, { task_id: "deleted", engine_state: "success" });
      await judged(agent, frame);
      expect(await correctionsOf(frame.id)).toEqual([]);
    });

    test("yields to anything observed since the question", async () => {
      const { agent, frame } = await askAbout("moved");
      const { issued_at } = (await brain.as.root.get(`/projects/${slug}/commands/${frame.id}`)).body;
      const since = new Date(Date.parse(issued_at) + 1).toISOString();
      await report(agent, event("task.retried", "moved", since, { attempt: 1 }));
      answer(agent, frame, { task_id: "moved", engine_state: "pending" });
      await judged(agent, frame);
      expect(await correctionsOf(frame.id)).toHaveLength(1);
      expect(await taskOf("moved")).toMatchObject({ state: "retry" });
    });

    test("processes an answer that arrives after the command timed out", async () => {
      const { agent, frame } = await askAbout("late");
      await database().write((tx) =>
        tx
          .updateTable("commands")
          .set({ timeout_at: new Date(0) })
          .where("id", "=", frame.id)
          .execute(),
      );
      await brain.runLoop("commands.timeout");
      answer(agent, frame, { task_id: "late", engine_state: "success" });
      await judged(agent, frame);
      await waitFor(async () => (await taskOf("late")).state === "success");
      expect((await brain.as.root.get(`/projects/${slug}/commands/${frame.id}`)).body.status).toBe("timeout");
      await waitFor(async () => (await auditOf("late")).length === 1);
    });

    /** The answer as `correct` receives it. */
    async function reported(frame: Frame, result: Record<string, unknown>) {
      const commands = database().read.selectFrom("commands").selectAll();
      const command = await commands.where("id", "=", frame.id).executeTakeFirstOrThrow();
      return { command, status: "completed", result, error: null, isLate: false, now: new Date() } as const;
    }

    test("writes no audit row for an end that does not decide the task's state", async () => {
      const { agent, frame } = await askAbout("raced");
      const { audit, ingest } = brain.running.brain.features;
      const correct = createCorrect({
        database: database(),
        audit,
        ingest: {
          async submit(batch) {
            // The next attempt is reported between the read of the task and its correction.
            await report(agent, event("task.started", "raced", ago(1), { attempt: 2 }));
            return ingest.submit(batch);
          },
        },
      });
      expect(await correct(await reported(frame, { engine_state: "failure", exception: "lost" }))).toBe("corrected");
      expect(await taskOf("raced")).toMatchObject({ state: "started", attempt: 2 });
      expect([await correctionsOf(frame.id), await auditOf("raced")]).toMatchObject([[{ kind: "task.failed" }], []]);
    });

    test("writes its audit row also after a transient database failure", async () => {
      const { frame } = await askAbout("busy");
      const { audit, ingest } = brain.running.brain.features;
      let fails = 3;
      const busy: Pick<typeof audit, "append"> = {
        async append(tx, entries) {
          fails -= 1;
          if (fails >= 0) throw Object.assign(new Error("lock timeout"), { code: "55P03" });
          await audit.append(tx, entries);
        },
      };
      const correct = createCorrect({ database: database(), audit: busy, ingest });
      expect(await correct(await reported(frame, { engine_state: "success" }))).toBe("corrected");
      expect(await auditOf("busy")).toHaveLength(1);
    });

    test("applies an answer that arrives twice at the same time only once", async () => {
      const { frame } = await askAbout("twice");
      const { audit, ingest } = brain.running.brain.features;
      const correct = createCorrect({ database: database(), audit, ingest });
      const answer = await reported(frame, { engine_state: "success", finished_at: ago(30) });
      expect((await Promise.all([correct(answer), correct(answer)])).sort()).toEqual(["corrected", "unchanged"]);
      expect(await auditOf("twice")).toHaveLength(1);
    });

    test("ignores an agent that was not asked", async () => {
      const { agent, frame } = await askAbout("mine");
      const other = await connect();
      answer(other, frame, { task_id: "mine", engine_state: "success" });
      await other.settle();
      expect(await taskOf("mine")).toMatchObject({ state: "started" });
      answer(agent, frame, { task_id: "mine", engine_state: "unknown" });
      await judged(agent, frame);
      expect(await correctionsOf(frame.id)).toEqual([]);
    });

    test("counts the answers by outcome", async () => {
      const { agent, frame } = await askAbout("counted");
      answer(agent, frame, { task_id: "counted", engine_state: "success" });
      await judged(agent, frame);
      const { text } = await brain.as.anonymous.get("//metrics");
      expect(text).toContain(`svc_reconciliations_total{project="${slug}",outcome="corrected"} 1`);
    });
  });
}
