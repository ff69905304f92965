import { randomUUID } from "node:crypto";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { routeDialects } from "@svc/testkit/databases";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { agentRow } from "../../../test/rows/agent-rows.ts";
import { commandRow } from "../../../test/rows/command-rows.ts";
import { counterDelta } from "../../../test/rows/counter-rows.ts";
import { queueRow } from "../../../test/rows/queue-rows.ts";
import type { CounterDeltaRow } from "../../schema/tables/index.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
// A whole hour long ago: nothing in it changes while the tests run.
const hour = Math.floor(Date.now() / hourMs) * hourMs - 6 * hourMs;
const oldMinute = -60 * 24 * 10;
const old = hour + oldMinute * minuteMs;

for (const dialect of routeDialects) {
  describe(`stats and trends on ${dialect}`, () => {
    let brain: TestBrain;
    const get = (path: string) => brain.as.viewer.get(`/projects/shop/${path}`);
    const between = (fromMs: number, toMs: number) =>
      `since=${new Date(fromMs).toISOString()}&until=${new Date(toMs).toISOString()}`;

    beforeAll(async () => {
      brain = await startTestBrain({ dialect });
      const project_id = brain.project.id;
      const change = (minute: number, kind: string, count: number, more: Partial<CounterDeltaRow> = {}) =>
        counterDelta({ project_id, bucket_at: new Date(hour + minute * minuteMs), kind, count, ...more });
      const queue = (name: string, pending_count: number) => queueRow({ project_id, name, pending_count });
      await brain.running.brain.database.write(async (tx) => {
        await tx
          .insertInto("counter_deltas")
          .values([
            change(0, "task.succeeded", 6, { run_ms_sum: 600, run_count: 6 }),
            change(1, "task.succeeded", 2, { name: "pdf", run_ms_sum: 1000, run_count: 2 }),
            change(1, "task.failed", 2, { run_ms_sum: 200, run_count: 2 }),
            change(14, "task.retried", 1),
            change(16, "task.revoked", 3),
            change(16, "task.rejected", 2),
            change(16, "task.started", 99),
            change(-60 * 24 * 3, "task.failed", 40),
            // Three hours with one task a minute, so long ago that only hours are kept.
            ...Array.from({ length: 180 }, (_, minute) => change(oldMinute + minute, "task.succeeded", 1)),
          ])
          .execute();
        await tx
          .insertInto("task_counts")
          .values([
            { project_id: brain.project.id, state: "success", count: 8 },
            { project_id: brain.project.id, state: "failure", count: 2 },
          ])
          .execute();
        await tx
          .insertInto("queues")
          .values([queue("small", 1), queue("large", 10_000)])
          .execute();
      });
      await brain.runLoop("stats.fold-counters");
    });
    afterAll(() => brain.stop());

    test("stats count the current state and what was stored in the last hours", async () => {
      const { status, body } = await get("stats");
      expect(status).toBe(200);
      expect(body).toEqual({
        tasks_by_state: {
          pending: 0,
          received: 0,
          started: 0,
          success: 8,
          failure: 2,
          retry: 0,
          revoked: 0,
          rejected: 0,
          unknown: 0,
        },
        tasks_total: 10,
        tasks_finished_24h: 15,
        tasks_failed_24h: 2,
        tasks_succeeded_24h: 8,
        failure_rate_24h: 0.2,
        agents_online: 0,
        agents_offline: 0,
        workers_online: 0,
        workers_offline: 0,
        workers_missing: 0,
        schedules_stopped: 0,
        commands_pending: 0,
        commands_dispatched: 0,
        commands_completed_24h: 0,
        commands_failed_24h: 0,
        commands_timeout_24h: 0,
        queue_depths: [
          { name: "large", engine: "bullmq", pending_count: 10_000, broker_type: null, last_seen_at: null },
          { name: "small", engine: "bullmq", pending_count: 1, broker_type: null, last_seen_at: null },
        ],
        system_health: {
          status: "degraded",
          agents_all_online: true,
          queue_depth_ok: false,
          failure_rate_ok: false,
          brain_db_ok: true,
        },
      });
      expect((await get("stats?hours=720")).body).toMatchObject({ tasks_failed_24h: 42, tasks_succeeded_24h: 188 });
      expect((await get(`stats?${between(hour, hour + minuteMs)}`)).body).toMatchObject({
        tasks_succeeded_24h: 6,
        tasks_failed_24h: 0,
        failure_rate_24h: 0,
      });
    });

    test("stats do not count an agent that never connected as offline", async () => {
      const { database } = brain.running.brain;
      const agent = (name: string, state: string) => agentRow({ project_id: brain.project.id, name, state });
      const agents = [agent("new", "unknown"), agent("away", "offline")];
      const read = async () => {
        const { body } = await get("stats");
        return [body.agents_offline, body.system_health.agents_all_online];
      };
      await database.write((tx) => tx.insertInto("agents").values(agents).execute());
      expect(await read()).toEqual([1, false]);
      await database.write((tx) => tx.deleteFrom("agents").where("name", "=", "away").execute());
      expect(await read()).toEqual([0, true]);
      await database.write((tx) => tx.deleteFrom("agents").where("name", "=", "new").execute());
    });

    test("finished tasks are the same number in the stats, the trends and the summary of all projects", async () => {
      const [stats, trends, home] = await Promise.all([
        get("stats"),
        get("trends"),
        brain.as.viewer.get("/home/summary"),
      ]);
      const { tasks_finished_24h: finished } = stats.body;
      const inTrends = trends.body.series.reduce(
        (sum: number, { total, retry }: { total: number; retry: number }) => sum + total - retry,
        0,
      );
      const inHome = home.body.projects.find(({ id }: { id: string }) => id === brain.project.id).tasks_24h;
      expect([finished, inTrends, inHome]).toEqual([15, 15, 15]);
    });

    test("stats count all commands that wait now, and of the others those issued in the range", async () => {
      const command = (status: string, issuedAt: number, projectId = brain.project.id) =>
        commandRow({ project_id: projectId, status, issued_at: new Date(issuedAt) });
      const old = hour - 48 * hourMs;
      const commands = [
        command("pending", hour),
        command("pending", old),
        command("pending", hour, randomUUID()),
        command("dispatched", hour),
        ...["completed", "failed", "timeout"].flatMap((status) => [command(status, hour), command(status, old)]),
      ];
      const { database } = brain.running.brain;
      await database.write((tx) => tx.insertInto("commands").values(commands).execute());

      const inRange = { commands_completed_24h: 1, commands_failed_24h: 1, commands_timeout_24h: 1 };
      expect((await get("stats")).body).toMatchObject({ commands_pending: 2, commands_dispatched: 1, ...inRange });
      expect((await get(`stats?${between(old - hourMs, old + hourMs)}`)).body).toMatchObject({
        commands_pending: 2,
        ...inRange,
      });
    });

    test.each([
      "hours=0",
      "hours=721",
      "hours=x",
      "since=soon",
      between(hour, hour),
      between(hour - 91 * 24 * hourMs, hour),
    ])("stats answer 422 to %s", async (query) => {
      const { status, body } = await get(`stats?${query}`);
      expect([status, body.error]).toEqual([422, "validation_error"]);
    });

    test("trends fill every bucket of the range, aligned to UTC", async () => {
      const { status, body } = await get(`trends?bucket=15m&${between(hour + 5 * minuteMs, hour + 31 * minuteMs)}`);
      expect(status).toBe(200);
      const none = { success: 0, failure: 0, retry: 0, revoked: 0, rejected: 0, total: 0, avg_runtime_ms: null };
      expect(body).toEqual({
        window: "custom",
        bucket: "15m",
        series: [
          {
            t: new Date(hour).toISOString(),
            success: 8,
            failure: 2,
            retry: 1,
            revoked: 0,
            rejected: 0,
            total: 11,
            avg_runtime_ms: 180,
          },
          { ...none, t: new Date(hour + 15 * minuteMs).toISOString(), revoked: 3, rejected: 2, total: 5 },
          { ...none, t: new Date(hour + 30 * minuteMs).toISOString() },
        ],
      });
    });

    test.each([
      ["", "24h", "15m", 96],
      ["window=1h", "1h", "1m", 60],
      ["window=6h", "6h", "5m", 72],
      ["window=72h", "72h", "1h", 72],
      ["window=7d", "7d", "1h", 168],
      ["window=7d&bucket=1d", "7d", "1d", 7],
      ["window=24h&bucket=1m", "24h", "1m", 1440],
    ])("trends of %j have their window, bucket and a last partial bucket", async (query, window, bucket, whole) => {
      const { body } = await get(`trends?${query}`);
      expect([body.window, body.bucket]).toEqual([window, bucket]);
      // One more when the window does not start on a bucket border.
      expect([whole, whole + 1]).toContain(body.series.length);
      expect(Date.parse(body.series.at(-1).t)).toBeLessThanOrEqual(Date.now());
    });

    const totals = ({ series }: { series: { t: string; total: number }[] }) => series.map(({ total }) => total);

    test.each(["", "bucket=15m&", "bucket=1m&"])(
      "trends of days that are kept by the hour have at least hours: '%s'",
      async (bucket) => {
        const { body } = await get(`trends?${bucket}${between(old + 30 * minuteMs, old + 4 * hourMs)}`);
        expect([body.bucket, body.series[0].t]).toEqual(["1h", new Date(old).toISOString()]);
        expect(totals(body)).toEqual([60, 60, 60, 0]);
      },
    );

    test("trends keep a wider bucket there, and a narrower one for a window that starts later", async () => {
      const days = (await get(`trends?bucket=1d&${between(old, old + 4 * hourMs)}`)).body;
      expect([days.bucket, totals(days).reduce((sum, total) => sum + total)]).toEqual(["1d", 180]);
      expect((await get("trends?window=72h&bucket=15m")).body.bucket).toBe("1h");
      expect((await get(`trends?bucket=15m&${between(hour - 40 * hourMs, hour)}`)).body.bucket).toBe("15m");
    });

    test("stats of days that are kept by the hour count the hour in which they start", async () => {
      const { body } = await get(`stats?${between(old + 10 * minuteMs, old + 2 * hourMs)}`);
      expect(body.tasks_succeeded_24h).toBe(120);
    });

    test.each([
      "window=2h",
      "bucket=2m",
      "window=72h&bucket=1m",
      "window=7d&bucket=5m",
      "since=soon",
      between(hour, hour - 1),
    ])("trends answer 422 to %s", async (query) => {
      const { status, body } = await get(`trends?${query}`);
      expect([status, body.error]).toEqual([422, "validation_error"]);
    });

    test("both are hidden from other users", async () => {
      for (const path of ["stats", "trends"]) {
        expect((await brain.as.stranger.get(`/projects/shop/${path}`)).status).toBe(404);
        expect((await brain.as.anonymous.get(`/projects/shop/${path}`)).status).toBe(401);
      }
    });
  });
}
