/** Why a task is not running, based on real frames of agents. Each case has its own engine and agent. */
import { randomUUID } from "node:crypto";
import { waitFor } from "@svc/testkit";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { routeDialects } from "@svc/testkit/databases";
import { connectRaw, rawHello } from "@svc/testkit/raw-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();

for (const dialect of routeDialects) {
  describe(`GET /projects/{slug}/tasks/{engine}/{task_id}/explain on ${dialect}`, () => {
    let brain: TestBrain;

    beforeAll(async () => {
      brain = await startTestBrain({ dialect });
    });
    afterAll(() => brain.stop());

    /** An agent with its own engine. */
    async function watch(engine: string) {
      const { agentId, ...minted } = await brain.mintAgent(`of ${engine}`);
      const agent = await connectRaw({ url: brain.url, ...minted }, { hello: rawHello({ engines: [engine] }) });
      const event = (kind: string, taskId: string, data: object = {}, secondsAgo = 60) => ({
        id: randomUUID(),
        kind,
        engine,
        task_id: taskId,
        occurred_at: ago(secondsAgo),
        data: { ...(kind.startsWith("task.") && { task_name: "mail", queue: "mails" }), ...data },
      });
      return {
        agentId,
        agent,
        event,
        report: (...events: ReturnType<typeof event>[]) => agent.ackOf(agent.sendEvents(events)),
        beat(reports: Record<string, object>, more: object = {}) {
          const health = Object.entries(reports).map(([key, value]) => [`${engine}.${key}`, JSON.stringify(value)]);
          const adapter_health = Object.fromEntries(health);
          agent.sendFrame("heartbeat", { buffer_size: 0, dropped_events: 0, adapter_health, ...more });
        },
        /** The answer, once this is its first cause. */
        explained: (code: string, taskId = "t-1") =>
          waitFor(
            async () => {
              const { status, body } = await brain.as.viewer.get(
                `/projects/shop/tasks/${engine}/${encodeURIComponent(taskId)}/explain`,
              );
              return status === 200 && body.causes[0].code === code && body;
            },
            { that: `${code} as the first cause` },
          ),
      };
    }

    test("names a queue without consumers", async () => {
      const { report, event, beat, explained } = await watch("alone");
      await report(event("task.sent", "t-1"));
      beat({ queue_depths: { mails: 4 }, queue_consumers: { mails: 0 } });
      expect(await explained("no_consumer")).toEqual({
        state: "pending",
        causes: [
          {
            code: "no_consumer",
            message: "No worker consumes queue mails.",
            evidence: { queue: "mails", pending_count: 4, consumer_count: 0, reported_at: instant, workers_offline: 0 },
          },
        ],
      });
    });

    test("names a paused queue and when it was paused, until it is resumed", async () => {
      const { report, event, beat, explained } = await watch("paused");
      await report(event("task.sent", "t-1"));
      beat({ queue_depths: { mails: 2 }, queue_consumers: { mails: 1 }, queue_holds: { mails: { paused: true } } });
      const { causes } = await explained("queue_paused");
      expect(causes).toEqual([
        {
          code: "queue_paused",
          message: expect.stringContaining("mails is paused"),
          evidence: { queue: "mails", pending_count: 2, paused_since: instant, reported_at: instant },
          since: causes[0].evidence.paused_since,
        },
      ]);
      beat({ queue_depths: { mails: 2 }, queue_consumers: { mails: 1 } });
      expect((await explained("unknown")).causes[0].evidence).toMatchObject({ pending_count: 2, consumer_count: 1 });
    });

    test("names an exhausted rate limit", async () => {
      const { report, event, beat, explained } = await watch("limited");
      await report(event("task.sent", "t-1"));
      const limited_until = ago(-30);
      beat({ queue_depths: { mails: 9 }, queue_holds: { mails: { limited_until } } });
      expect((await explained("rate_limited")).causes).toMatchObject([
        { evidence: { queue: "mails", pending_count: 9, limited_until, reported_at: instant } },
      ]);
    });

    test("names a later start time", async () => {
      const { report, event, explained } = await watch("later");
      const eta = ago(-3600);
      await report(event("task.sent", "t-1", { eta }));
      const { causes } = await explained("eta_ahead");
      expect(causes[0].evidence).toEqual({ eta, remaining_ms: expect.any(Number) });
      expect(causes[0].evidence.remaining_ms).toBeGreaterThan(3_500_000);
    });

    test("names the worker that has fetched it", async () => {
      const { report, event, beat, explained } = await watch("held");
      beat({ worker_details: { w1: { concurrency: 1, active_tasks: 1, active: [{ id: "t-0" }] } } });
      await report(event("task.sent", "t-1"), event("task.received", "t-1", { worker: "w1" }, 50));
      await waitFor(async () => (await explained("prefetched")).causes[0].evidence.concurrency !== null);
      expect(await explained("prefetched")).toMatchObject({
        state: "received",
        causes: [{ evidence: { worker: "w1", active_tasks: 1, concurrency: 1, last_heartbeat: instant } }],
      });
    });

    test("names the worker that went offline with it", async () => {
      const { report, event, explained } = await watch("silent");
      await report(event("task.started", "t-1", { worker: "w1" }), event("worker.offline", "", { worker: "w1" }, 5));
      await waitFor(async () => (await explained("worker_silent")).causes[0].since !== undefined);
      expect((await explained("worker_silent")).causes[0]).toMatchObject({
        evidence: { worker: "w1", state: "offline", last_heartbeat: instant },
        since: instant,
      });
    });

    test("names an offline agent", async () => {
      const { agent, agentId, report, event, explained } = await watch("away");
      await report(event("task.sent", "t-1"));
      await explained("unknown");
      await agent.close();
      expect((await explained("agent_offline")).causes).toEqual([
        {
          code: "agent_offline",
          message: expect.stringContaining("Agent of away"),
          evidence: {
            agent_id: agentId,
            agent_name: "of away",
            engine: "away",
            last_seen_at: instant,
            agents_online: 0,
          },
          since: instant,
        },
      ]);
    });

    test("names a disabled schedule of its task name, until it is enabled or deleted", async () => {
      const { report, event, explained } = await watch("planned");
      const definition = { name: "nightly", task_name: "mail", kind: "cron", expression: "0 6 * * *" };
      const schedule = (is_enabled: boolean) => ({ schedule: { ...definition, is_enabled } });
      await report(event("task.sent", "t-1"), event("schedule.created", "", schedule(true), 50));
      await explained("unknown");
      await report(event("schedule.updated", "", schedule(false), 40));
      expect((await explained("schedule_disabled")).causes[0]).toMatchObject({
        evidence: { schedule: "nightly", schedules_disabled: 1 },
        since: instant,
      });
      await report(event("schedule.deleted", "", { name: "nightly" }, 30));
      await explained("unknown");
    });

    test("names events lost since its last report", async () => {
      const { agentId, report, event, beat, explained } = await watch("lossy");
      const telemetry_loss = (event_records: number) => ({
        telemetry_loss: {
          buffer_id: "b1",
          runtime_id: "r1",
          capacity_evicted_frames: event_records,
          content_rejected_frames: 0,
          event_records,
          command_results: 0,
          other_frames: 0,
          unclassified_frames: 0,
          adapter_events: {},
        },
      });
      await report(event("task.started", "t-1", { worker: "w1" }));
      beat({}, telemetry_loss(0));
      beat({}, telemetry_loss(31));
      expect((await explained("events_lost")).causes[0].evidence).toMatchObject({
        agent_id: agentId,
        agent_name: "of lossy",
        event_records: 31,
        reason: "capacity",
      });
    });

    test("names a running task that its worker no longer lists", async () => {
      const { report, event, beat, explained } = await watch("forgotten");
      await report(event("task.started", "t-1", { worker: "w1" }));
      beat({ worker_details: { w1: { active_tasks: 1, active: [{ id: "t-2" }] } } });
      expect((await explained("events_lost")).causes[0].evidence).toEqual({
        worker: "w1",
        worker_lists_it: false,
        listed_at: instant,
      });
      beat({ worker_details: { w1: { active_tasks: 1, active: [{ id: "t-1" }] } } });
      await explained("unknown");
    });

    test("finds tasks, queues and workers whose names resemble secrets", async () => {
      const { report, event, beat, explained } = await watch("secretive");
      const taskId = "invoice:bob@example.com";
      const queue = "pay-DE89370400440532013000";
      const worker = "celery@host.example.com";
      const beatWith = (active: readonly string[]) =>
        beat({ worker_details: { [worker]: { active: active.map((id) => ({ id })), active_queues: [queue] } } });
      await report(event("task.started", taskId, { worker, queue }), event("task.sent", "waiting", { queue }));
      beatWith(["invoice:al@example.com"]);
      expect((await explained("events_lost", taskId)).causes[0]).toMatchObject({
        message: expect.stringMatching(/^Worker celery@host\.example\.com no longer lists the task/),
        evidence: { worker },
      });
      beatWith([taskId]);
      await explained("unknown", taskId);
      await report(event("worker.offline", "", { worker }, -1));
      expect((await explained("no_consumer", "waiting")).causes[0]).toMatchObject({
        message: "Every known worker of queue pay-[REDACTED] is offline.",
        evidence: { queue: "pay-[REDACTED]", workers_offline: 1 },
      });
    });

    test("names a run time longer than usual", async () => {
      const { report, event, explained } = await watch("long");
      const named = { task_name: "report" };
      const usual = Array.from({ length: 25 }, (_, index) =>
        event("task.succeeded", `done-${index}`, { ...named, runtime_ms: 40 }),
      );
      await report(...usual, event("task.started", "t-1", { ...named, worker: "w1" }, 3600));
      await brain.runLoop("stats.fold-counters");
      const { causes } = await explained("running_long");
      expect(causes[0].evidence).toMatchObject({ runs_measured: 25, worker: "w1" });
      expect(causes[0].evidence.p95_ms).toBeCloseTo(40, -1);
      expect(causes[0].evidence.elapsed_ms).toBeGreaterThan(3_590_000);
    });

    test("reports how a task ended", async () => {
      const { report, event, explained } = await watch("over");
      await report(event("task.failed", "t-1", { exception: "Boom", runtime_ms: 12 }));
      expect(await explained("finished")).toMatchObject({
        state: "failure",
        causes: [{ evidence: { state: "failure", finished_at: instant, runtime_ms: 12 }, since: instant }],
      });
    });

    test("reports that no blocking cause was found", async () => {
      const { report, event, beat, explained } = await watch("fine");
      await report(event("task.sent", "t-1"));
      beat({ queue_depths: { mails: 3 }, queue_consumers: { mails: 2 }, queue_oldest: { mails: ago(90) } });
      await waitFor(async () => "pending_count" in (await explained("unknown")).causes[0].evidence);
      expect((await explained("unknown")).causes).toEqual([
        {
          code: "unknown",
          message: expect.stringContaining("turn in queue mails"),
          evidence: {
            queue: "mails",
            pending_count: 3,
            consumer_count: 2,
            oldest_waiting_since: instant,
            reported_at: instant,
          },
          since: instant,
        },
      ]);
    });

    test("counts the unfinished children of a task in a flow", async () => {
      const { report, event, explained } = await watch("flow");
      const under = { parent_task_id: "t-1", root_task_id: "t-1" };
      await report(
        event("task.sent", "t-1"),
        event("task.started", "c-1", under),
        event("task.succeeded", "c-2", under),
      );
      expect((await explained("unknown")).causes[0].evidence).toEqual({ queue: "mails", open_children: 1 });
      await report(event("task.succeeded", "c-1", under, 30));
      expect((await explained("unknown")).causes[0].evidence).toEqual({ queue: "mails" });
    });

    test("answers 404 for an unknown task and for non-members", async () => {
      const path = "/projects/shop/tasks/fine/nothing/explain";
      const missing = await brain.as.viewer.get(path);
      expect([missing.status, missing.body.error, missing.body.details]).toEqual([
        404,
        "not_found",
        { resource: "task" },
      ]);
      expect((await brain.as.stranger.get(path)).status).toBe(404);
      expect((await brain.as.anonymous.get(path)).status).toBe(401);
    });
  });
}
