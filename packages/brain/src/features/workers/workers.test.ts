import { type IngestAloneOptions, openIngestAlone } from "@svc/brain/ingest";
import { createFakeClock } from "@svc/testkit";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";

const now = new Date("2026-01-10T10:30:00.000Z");
let numbers = 0;
const nextNumber = () => {
  numbers += 1;
  return String(numbers).padStart(12, "0");
};
const at = (second: number) => new Date(now.getTime() - 60_000 + second * 1000);
const workerEvent = (kind: string, second: number, data: Record<string, unknown> = { worker: "w" }) => ({
  id: `00000000-0000-4000-8000-${nextNumber()}`,
  kind,
  engine: "celery",
  task_id: "",
  occurred_at: at(second).toISOString(),
  data,
});

for (const dialect of testDialects) {
  describe(`engine workers and queues on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);

    async function setUp(settings: IngestAloneOptions["settings"] = {}) {
      const clock = createFakeClock(now);
      const projectId = await addProject(opened.database, `11111111-2222-4333-8444-${nextNumber()}`);
      const changes: { topic: string; ids: readonly string[] | null }[] = [];
      const errors: unknown[] = [];
      const alone = openIngestAlone({
        database: opened.database,
        clock,
        settings,
        publish: (change) => changes.push(change),
        onError: (error) => errors.push(error),
      });
      return {
        alone,
        changes,
        clock,
        errors,
        projectId,
        submit: (...events: unknown[]) =>
          alone.ingest.submit({ projectId, agentId: projectId, frameTs: now.toISOString(), events }),
        async worker() {
          await alone.workers.flush();
          const rows = await opened.database.read
            .selectFrom("workers")
            .selectAll()
            .where("project_id", "=", projectId)
            .execute();
          expect(rows.length).toBeLessThanOrEqual(1);
          return rows[0];
        },
        async queues() {
          await alone.queues.flush();
          return opened.database.read
            .selectFrom("queues")
            .select(["name", "pending_count", "consumer_count", "last_seen_at", "oldest_waiting_since"])
            .where("project_id", "=", projectId)
            .orderBy("name")
            .execute();
        },
      };
    }

    test("a worker's state comes from its highest online or offline event, in any order", async () => {
      const { alone, submit, worker } = await setUp();
      await submit(workerEvent("worker.offline", 3), workerEvent("worker.online", 1));
      expect(await worker()).toMatchObject({ name: "w", engine: "celery", state: "offline" });
      await submit(workerEvent("worker.online", 2));
      expect(await worker()).toMatchObject({ state: "offline" });
      await submit(workerEvent("worker.online", 4));
      expect(await worker()).toMatchObject({ state: "online", last_heartbeat: at(4) });
      await alone.stop();
    });

    test("a touch marks a worker online only when it is later than its offline event", async () => {
      const { alone, projectId, submit, worker } = await setUp();
      await submit(workerEvent("worker.offline", 10));
      alone.workers.touch(projectId, "celery", "w", at(10));
      expect(await worker()).toMatchObject({ state: "offline", last_heartbeat: at(10) });
      alone.workers.touch(projectId, "celery", "w", at(11));
      alone.workers.touch(projectId, "celery", "w", at(5));
      expect(await worker()).toMatchObject({ state: "online", last_heartbeat: at(11) });
      await alone.stop();
    });

    test("a worker's own events count as heartbeats, except its offline event", async () => {
      const { alone, submit, worker } = await setUp();
      await submit(workerEvent("worker.heartbeat", 5));
      expect(await worker()).toMatchObject({ state: "online", last_heartbeat: at(5) });
      await submit(workerEvent("worker.offline", 10));
      expect(await worker()).toMatchObject({ state: "offline", last_heartbeat: at(5) });
      await alone.stop();
    });

    test("task events touch the worker and the queue they name", async () => {
      const { alone, changes, queues, submit, worker } = await setUp();
      const started = { ...workerEvent("task.started", 7, { worker: "w", queue: "q" }), task_id: "t" };
      await submit(started, { ...workerEvent("task.sent", 9, { worker: "ignored", queue: "q" }), task_id: "t" });
      expect(await worker()).toMatchObject({ name: "w", state: "online", last_heartbeat: at(7) });
      expect(await queues()).toMatchObject([{ name: "q", last_seen_at: at(9), pending_count: 0 }]);
      expect(changes.map(({ topic }) => topic).sort()).toEqual(["queue.changed", "task.changed", "worker.changed"]);
      await alone.stop();
    });

    test("worker details come from heartbeats, without settings that are not on the list", async () => {
      const { alone, projectId, worker } = await setUp();
      const details = {
        w: {
          hostname: "host-1",
          pid: 12,
          concurrency: 4,
          load_average: 0.5,
          memory_bytes: 1024,
          active: [{ id: "a" }, { id: "b" }],
          active_queues: [{ name: "q1" }, "q2", 7],
          conf: { timezone: "UTC", broker_url: "redis://:secret@host" },
        },
      };
      alone.workers.applyHealth(projectId, at(1), { "celery.worker_details": JSON.stringify(details), other: 1 });
      const row = await worker();
      expect(row).toMatchObject({
        hostname: "host-1",
        pid: 12,
        concurrency: 4,
        load_average: 0.5,
        memory_bytes: 1024,
        active_tasks: 2,
        state: "online",
        last_heartbeat: at(1),
      });
      expect(JSON.parse(row!.queues)).toEqual(["q1", "q2"]);
      expect(JSON.parse(row!.metadata).conf).toEqual({ timezone: "UTC" });
      alone.workers.touch(projectId, "celery", "w", at(2));
      expect(await worker()).toMatchObject({ hostname: "host-1", concurrency: 4, last_heartbeat: at(2) });
      await alone.stop();
    });

    test("worker details that are nested too deep or too long are dropped without affecting others", async () => {
      const { alone, projectId, worker } = await setUp();
      const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
      const report = async (second: number, details: string) => {
        alone.workers.applyHealth(projectId, at(second), { "celery.worker_details": `{"w":${details}}` });
        return worker();
      };
      const conf = { timezone: "UTC" };
      const odd = await report(1, `{"pid":1,"stats":${deep},"conf":${JSON.stringify(conf)}}`);
      expect(odd).toMatchObject({ pid: 1, state: "online" });
      const { stats, ...rest } = JSON.parse(odd!.metadata);
      expect([rest, stats.flat(Infinity)]).toEqual([{ conf }, ["[REDACTED]"]]);
      const odder = await report(2, `{"pid":2,"conf":{"timezone":${deep}}}`);
      expect([odder!.pid, JSON.parse(odder!.metadata).conf.timezone.flat(Infinity)]).toEqual([2, ["[REDACTED]"]]);
      const long = Array.from({ length: 20 }, () => "x".repeat(7000));
      const longer = await report(3, JSON.stringify({ pid: 3, stats: long, conf }));
      expect([longer!.pid, JSON.parse(longer!.metadata)]).toEqual([3, { conf }]);
      const longest = await report(4, JSON.stringify({ pid: 4, conf: { timezone: long } }));
      expect([longest!.pid, longest!.metadata]).toEqual([4, "{}"]);
      await alone.stop();
    });

    test("worker reports are redacted like everything else, except names of tasks and queues", async () => {
      const { alone, projectId, worker } = await setUp({ SVC_REDACTION_EXTRA_KEY_PATTERNS: ["order_.*"] });
      const details = {
        w: {
          hostname: "host-1",
          stats: { broker: "redis://:pw@cache", total: 7 },
          active: [{ id: "a:someone@example.com", kwargs: { id: "someone@example.com", order_id: 5 } }],
          active_queues: ["q1", "pay-DE89370400440532013000"],
          registered: ["app.mail", "mail someone@example.com"],
          conf: { timezone: "postgres://user:pw@db" },
        },
      };
      alone.workers.applyHealth(projectId, at(1), { "celery.worker_details": JSON.stringify(details) });
      const row = await worker();
      expect(row).toMatchObject({ hostname: "host-1", active_tasks: 1 });
      expect(JSON.parse(row!.queues)).toEqual(details.w.active_queues);
      const hidden = "[REDACTED]";
      expect(JSON.parse(row!.metadata)).toEqual({
        stats: { broker: hidden, total: 7 },
        active: [{ id: "a:someone@example.com", kwargs: { id: hidden, order_id: hidden } }],
        active_queues: details.w.active_queues,
        registered: details.w.registered,
        conf: { timezone: hidden },
      });
      await alone.stop();
    });

    test("a note that cannot be written does not affect others", async () => {
      const { alone, errors, projectId, queues, worker } = await setUp();
      const unknownProject = "11111111-2222-4333-8444-ffffffffffff";
      for (const owner of [unknownProject, projectId]) {
        alone.workers.touch(owner, "celery", "w", at(1));
        alone.queues.touch(owner, "celery", "q", at(1));
      }
      expect(await worker()).toMatchObject({ name: "w", state: "online" });
      expect(await queues()).toMatchObject([{ name: "q", last_seen_at: at(1) }]);
      expect(errors).toHaveLength(2);
      await alone.stop();
    });

    test("a silent worker goes offline after the agent timeout plus a minute", async () => {
      const { alone, changes, clock, projectId, worker } = await setUp();
      alone.workers.touch(projectId, "celery", "w", now);
      const row = await worker();
      clock.setWall(new Date(now.getTime() + 90_000));
      await alone.workers.sweepSilent();
      expect(await worker()).toMatchObject({ state: "online" });
      clock.setWall(new Date(now.getTime() + 90_001));
      changes.length = 0;
      await alone.workers.sweepSilent();
      expect(await worker()).toMatchObject({ state: "offline" });
      expect(changes).toContainEqual({ projectId, topic: "worker.changed", ids: [row!.id] });
      await alone.stop();
    });

    test("older details, consumers and oldest tasks change nothing, in one write or in two", async () => {
      const { alone, projectId, queues, worker } = await setUp();
      const report = (second: number, pid: number) => {
        const health = {
          "celery.worker_details": JSON.stringify({ w: { pid } }),
          "celery.queue_consumers": JSON.stringify({ q: pid }),
          "celery.queue_oldest": JSON.stringify({ q: at(pid).toISOString() }),
        };
        alone.workers.applyHealth(projectId, at(second), health);
        alone.queues.applyHealth(projectId, at(second), health);
      };
      alone.queues.touch(projectId, "celery", "q", at(1));
      expect(await queues()).toMatchObject([{ name: "q", oldest_waiting_since: null }]);
      report(20, 5);
      report(19, 6);
      expect(await worker()).toMatchObject({ pid: 5 });
      expect(await queues()).toMatchObject([{ consumer_count: 5, oldest_waiting_since: at(5) }]);
      report(18, 7);
      alone.workers.touch(projectId, "celery", "w", at(30));
      expect(await worker()).toMatchObject({ pid: 5, last_heartbeat: at(30) });
      expect(await queues()).toMatchObject([{ consumer_count: 5, oldest_waiting_since: at(5) }]);
      report(21, 8);
      expect(await worker()).toMatchObject({ pid: 8, last_heartbeat: at(30) });
      expect(await queues()).toMatchObject([{ consumer_count: 8, oldest_waiting_since: at(8) }]);
      await alone.stop();
    });

    test("an older report of depths or consumers never overwrites a newer one", async () => {
      const { alone, projectId, queues, submit } = await setUp();
      const health = (depth: number, consumers: number) => ({
        "celery.queue_depths": JSON.stringify({ q: depth, empty: 0 }),
        "celery.queue_consumers": JSON.stringify({ q: consumers }),
        "celery.queue_oldest": JSON.stringify({ q: at(depth).toISOString() }),
      });
      alone.queues.applyHealth(projectId, at(20), health(5, 2));
      expect(await queues()).toEqual([
        { name: "empty", pending_count: 0, consumer_count: 0, last_seen_at: at(20), oldest_waiting_since: null },
        { name: "q", pending_count: 5, consumer_count: 2, last_seen_at: at(20), oldest_waiting_since: at(5) },
      ]);
      alone.queues.applyHealth(projectId, at(19), health(50, 20));
      await submit(workerEvent("queue.depth_report", 18, { depths: { q: 99 } }));
      expect((await queues())[1]).toMatchObject({ pending_count: 5, consumer_count: 2, oldest_waiting_since: at(5) });
      await submit(workerEvent("queue.depth_report", 21, { depths: { q: 7 } }));
      expect((await queues())[1]).toMatchObject({ pending_count: 7, consumer_count: 2, last_seen_at: at(21) });
      await alone.stop();
    });
  });
}
