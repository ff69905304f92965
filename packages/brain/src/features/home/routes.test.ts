import { randomUUID } from "node:crypto";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { routeDialects } from "@svc/testkit/databases";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { plansOf } from "../../../test/query-plans.ts";
import { agentRow } from "../../../test/rows/agent-rows.ts";
import { commandRow } from "../../../test/rows/command-rows.ts";
import { counterDelta } from "../../../test/rows/counter-rows.ts";
import { queueRow } from "../../../test/rows/queue-rows.ts";
import { scheduleRow } from "../../../test/rows/schedule-rows.ts";
import { insertTasks } from "../../../test/rows/task-rows.ts";
import { workerRow } from "../../../test/rows/worker-rows.ts";
import type { Actor } from "../../platform/http/access/actor.ts";
import type { AgentRow, EventRow, ScheduleRow } from "../../schema/tables/index.ts";
import { ownOrigin } from "../audit/index.ts";
import { eventPartitions } from "../events/index.ts";
import { newestFailures } from "./failures-reads.ts";
import { countsByHour, countsOfMinutes, lastActivity, stuckCommands } from "./reads.ts";
import { recentMisfires, trippedSchedules } from "./schedule-reads.ts";
import { readSummary } from "./summary.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
// Half past a past hour: the figures of "now" do not change while the tests run.
const thisHour = Math.floor(Date.now() / hourMs) * hourMs - 2 * hourMs;
const now = thisHour + 30 * minuteMs;
const root = "admin@example.org";
const viewer = "viewer@example.org";

for (const dialect of routeDialects) {
  describe(`home on ${dialect}`, () => {
    let brain: TestBrain;
    let otherId: string;
    async function actor(email: string, projectId: string | null = null): Promise<Actor> {
      const user = await brain.running.brain.features.users.findByEmail(email);
      if (user === undefined) throw new Error(`no user has the address ${email}`);
      const key = { keyId: randomUUID(), scopes: ["home:read"], projectId, allowedCidrs: null, lastUsedAt: null };
      return { kind: "api_key", user, ...key };
    }
    const summary = async (...who: Parameters<typeof actor>) => {
      const { database, features } = brain.running.brain;
      const { projects, memberships } = features;
      const deps = { database, clock: { now: () => new Date(now), monotonicMs: () => 0 }, projects, memberships };
      return readSummary(deps, await actor(...who));
    };

    const agent = (name: string, state: string, change: Partial<AgentRow> = {}) =>
      agentRow({ project_id: brain.project.id, name, state, last_seen_at: new Date(now - hourMs), ...change });
    const change = (atMs: number, kind: string, count: number, project_id = brain.project.id) =>
      counterDelta({ project_id, bucket_at: new Date(Math.floor(atMs / minuteMs) * minuteMs), kind, count });
    const failure = (index: number, project_id: string, payload: object, more: Partial<EventRow> = {}): EventRow => ({
      id: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
      project_id,
      agent_id: randomUUID(),
      engine: "bullmq",
      task_id: `t${index}`,
      kind: "task.failed",
      // Pairs share an instant.
      occurred_at: new Date(now - 60_000 - Math.floor(index / 2)),
      payload: JSON.stringify(payload),
      ...more,
    });

    beforeAll(async () => {
      brain = await startTestBrain({ dialect });
      const other = await brain.as.root.post("/projects", { slug: "other", name: "Other" });
      await brain.as.root.post("/projects", { slug: "quiet", name: "Quiet" });
      otherId = other.body.id;
      const { database } = brain.running.brain;
      // Still within their time limit by the real clock, so that the brain leaves them alone.
      const within = (fromHours: number, toHours: number) => ({
        project_id: brain.project.id,
        issued_at: new Date(now + fromHours * hourMs),
        timeout_at: new Date(now + toHours * hourMs),
      });
      await database.write(async (tx) => {
        await tx
          .insertInto("agents")
          .values([
            // Ahead of the clock, so that the sweep for silent agents leaves it alone.
            agent("a", "online", { last_seen_at: new Date(Date.now() + hourMs) }),
            agent("media-2", "offline", { last_seen_at: new Date(now - 2 * hourMs) }),
            agent("never", "unknown", { last_seen_at: null }),
            agent("revoked", "offline", { revoked_at: new Date(now) }),
            agent("lost-1", "offline", { project_id: otherId }),
          ])
          .execute();
        await tx
          .insertInto("counter_deltas")
          .values([
            change(thisHour, "task.succeeded", 5),
            change(thisHour - 3 * hourMs, "task.succeeded", 10),
            change(thisHour - 3 * hourMs, "task.failed", 4),
            change(thisHour - 3 * hourMs, "task.revoked", 1),
            change(thisHour - 3 * hourMs, "task.started", 99),
            // In the first hour of the range: one minute inside it, and one just outside.
            change(now - 24 * hourMs + 2 * minuteMs, "task.succeeded", 1),
            change(now - 24 * hourMs - 2 * minuteMs, "task.succeeded", 1000),
            change(now - 50 * hourMs, "task.failed", 7, otherId),
          ])
          .execute();
        await tx
          .insertInto("commands")
          .values([
            commandRow({ ...within(-10, 5), status: "pending" }),
            commandRow({ ...within(-4, 4.2), status: "dispatched" }),
            commandRow({ ...within(-10, 5), status: "completed" }),
          ])
          .execute();
        await tx
          .insertInto("queues")
          .values(
            [3, 4].map((pending_count) =>
              queueRow({ project_id: brain.project.id, name: `q${pending_count}`, pending_count }),
            ),
          )
          .execute();
      });
      await brain.runLoop("stats.fold-counters");
      const { bulk } = database;
      if (bulk.dialect === "postgres") await eventPartitions(bulk.pool).ensureFor([now]);
      await database.write((tx) =>
        tx
          .insertInto("events")
          .values([
            ...Array.from({ length: 12 }, (_, index) =>
              failure(index, index % 3 === 0 ? otherId : brain.project.id, { exception: `E${index}` }),
            ),
            failure(100, brain.project.id, {}, { kind: "task.succeeded", occurred_at: new Date(now) }),
          ])
          .execute(),
      );
      await insertTasks(database, [
        { project_id: brain.project.id, task_id: "t1", name: "mail", worker_name: "w", priority: "high" },
      ]);
    });
    afterAll(() => brain.stop());

    test("sums up the projects that the caller sees", async () => {
      const body = await summary(viewer);
      expect(body.user).toMatchObject({ email: viewer, is_admin: false });
      const figures = {
        tasks_24h: 21,
        failures_24h: 4,
        failure_rate_24h: 0.2,
        workers_online: 0,
        workers_total: 0,
        workers_missing: 0,
        agents_online: 1,
        agents_offline: 1,
        agents_total: 3,
        stuck_commands: 1,
      };
      expect(body.aggregate).toEqual(figures);
      const byHour = Array<number>(24).fill(0);
      byHour[23] = 5;
      byHour[20] = 15;
      const [project] = body.projects;
      expect(project).toEqual({
        id: brain.project.id,
        slug: "shop",
        name: "Shop",
        environment: "production",
        role: "viewer",
        ...figures,
        health: "degraded",
        backlog: 7,
        last_activity_at: new Date(thisHour),
        tasks_by_hour: byHour,
      });
      expect(body.projects).toHaveLength(1);
    });

    test("lists what needs attention, critical first", async () => {
      const project = { project_id: brain.project.id, project_slug: "shop", project_name: "Shop" };
      const { attention } = await summary(root);
      expect(attention).toEqual([
        {
          kind: "agents_offline",
          severity: "critical",
          project_id: otherId,
          project_slug: "other",
          project_name: "Other",
          message: "Agent lost-1 is offline.",
          count: 1,
          since: new Date(now - hourMs),
        },
        {
          kind: "agents_offline",
          severity: "warning",
          ...project,
          message: "Agent media-2 is offline.",
          count: 1,
          since: new Date(now - 2 * hourMs),
        },
        {
          kind: "failure_rate",
          severity: "warning",
          ...project,
          message: "20 % of the tasks that ended in the last 24 hours failed.",
          count: 4,
          since: null,
        },
        {
          kind: "stuck_commands",
          severity: "warning",
          ...project,
          message: "1 command has been open for more than half of its time limit.",
          count: 1,
          since: null,
        },
      ]);
    });

    test("lists missing workers and queues without a worker", async () => {
      const { database } = brain.running.brain;
      // Ahead of the clock, so that the sweep for silent workers leaves it alone.
      const working = { project_id: brain.project.id, at: new Date(Date.now() + hourMs) };
      const lost = { project_id: brain.project.id, at: new Date(now - 6 * minuteMs), state: "offline" };
      const created_at = new Date(now - 3 * hourMs);
      const reported = { project_id: brain.project.id, consumers_reported_at: new Date(now) };
      const workers = [
        workerRow({ ...working, created_at }),
        ...[1, 2, 3, 4, 5].map((at) => workerRow({ ...lost, name: `lost-${at}`, created_at })),
      ];
      const queues = [
        queueRow({ ...reported, name: "untaken", pending_count: 9 }),
        queueRow({ ...reported, name: "taken", pending_count: 9, consumer_count: 1 }),
        queueRow({ ...reported, name: "empty" }),
      ];
      await database.write(async (tx) => {
        await tx.insertInto("workers").values(workers).execute();
        await tx.insertInto("queues").values(queues).execute();
      });
      const { projects, attention } = await summary(viewer);
      const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);
      await database.write(async (tx) => {
        await tx.deleteFrom("workers").where("id", "in", ids(workers)).execute();
        await tx.deleteFrom("queues").where("id", "in", ids(queues)).execute();
      });
      expect(projects[0]).toMatchObject({ workers_online: 1, workers_total: 6, workers_missing: 5 });
      const shown = attention.map(({ kind, severity, message, since }) => [kind, severity, message, since]);
      expect(shown).toContainEqual(["workers_missing", "warning", "5 of 6 workers are offline.", lost.at]);
      expect(shown).toContainEqual([
        "queues_without_workers",
        "critical",
        "1 queue has waiting tasks but no worker.",
        null,
      ]);
    });

    test("lists misfires, and schedules that the breaker disabled, until they are enabled", async () => {
      const { database, features } = brain.running.brain;
      const row = (project_id: string, is_enabled: boolean) => scheduleRow({ project_id, is_enabled });
      const schedules = [row(brain.project.id, false), row(brain.project.id, true), row(otherId, false)];
      const [tripped, repaired, other] = schedules as [ScheduleRow, ScheduleRow, ScheduleRow];
      const misfire = ({ id, project_id }: ScheduleRow, detected_at: Date) => ({
        ...{ schedule_id: id, expected_fire_at: detected_at, misfire_kind: "missed_slot", project_id, detected_at },
        ...{ lateness_seconds: 90, grace_seconds: 60, name: "n", engine: "bullmq", kind: "cron" },
      });
      const trip = ({ id, project_id }: ScheduleRow) => ({
        ...{ ...ownOrigin, action: "schedule.circuit_breaker.tripped", target_type: "schedule", target_id: id },
        ...{ project_id, metadata: {} },
      });
      await database.write(
        async (tx) => {
          await tx.insertInto("schedules").values(schedules).execute();
          await tx
            .insertInto("misfire_alerts")
            .values([
              ...[1, 2].map((at) => misfire(repaired, new Date(now - at * minuteMs))),
              misfire(repaired, new Date(now - 24 * hourMs - 1)),
              misfire(other, new Date(now - minuteMs)),
            ])
            .execute();
          // The second trip of the same schedule: it was enabled in between.
          await features.audit.append(tx, [tripped, tripped, repaired].map(trip));
        },
        { alone: true },
      );
      const found = async (...who: Parameters<typeof summary>) =>
        (await summary(...who)).attention
          .filter(({ kind }) => kind === "misfires" || kind === "breaker_tripped")
          .map(({ kind, severity, project_slug, count, message }) => [kind, severity, project_slug, count, message]);
      const ofShop = [
        [
          "breaker_tripped",
          "critical",
          "shop",
          1,
          "1 schedule was disabled after repeated failures in the last 24 hours.",
        ],
        ["misfires", "warning", "shop", 2, "2 runs of schedules were missed, late or too long in the last 24 hours."],
      ];
      expect(await found(viewer)).toEqual(ofShop);
      const capped = await recentMisfires(database.slow, [brain.project.id], new Date(now - hourMs), 1);
      expect(capped).toEqual([{ project_id: brain.project.id, count: 1 }]);
      expect(await found(root, otherId)).toEqual([
        ["misfires", "warning", "other", 1, "1 run of a schedule was missed, late or too long in the last 24 hours."],
      ]);
      await database.write(async (tx) => {
        await tx.updateTable("schedules").set({ is_enabled: true }).where("id", "=", tripped.id).execute();
      });
      expect(await found(viewer)).toEqual(ofShop.slice(1));
      const ids = schedules.map(({ id }) => id);
      await database.write((tx) => tx.deleteFrom("schedules").where("id", "in", ids).execute());
      expect(await found(root)).toEqual([]);
    });

    test("shows an administrator every project, and a user without membership none", async () => {
      const { projects, aggregate } = await summary(root);
      expect(
        projects.map(({ slug, health, role, last_activity_at }) => [slug, health, role, last_activity_at]),
      ).toEqual([
        ["default", "idle", "admin", null],
        ["other", "offline", "admin", new Date(thisHour - 50 * hourMs)],
        ["quiet", "idle", "admin", null],
        ["shop", "degraded", "admin", new Date(thisHour)],
      ]);
      expect(aggregate).toMatchObject({ tasks_24h: 21, agents_total: 4 });
      const stranger = await summary("stranger@example.org");
      expect([stranger.projects, stranger.attention, stranger.aggregate.tasks_24h]).toEqual([[], [], 0]);
    });

    test("is limited to the project of a bound key", async () => {
      const { projects } = await summary(root, otherId);
      expect(projects.map(({ slug }) => slug)).toEqual(["other"]);
    });

    test("is served to any signed-in user", async () => {
      const { status, body } = await brain.as.viewer.get("/home/summary");
      expect([status, body.user.email, body.projects.length]).toEqual([200, viewer, 1]);
      expect(body.projects[0]).toMatchObject({ slug: "shop", stuck_commands: 2, backlog: 7 });
      expect((await brain.as.anonymous.get("/home/summary")).status).toBe(401);
      expect((await brain.as.anonymous.get("/home/recent-failures")).status).toBe(401);
    });

    test("lists recent failures of the caller's projects, newest first, each once over all pages", async () => {
      const first = (await brain.as.viewer.get("/home/recent-failures?limit=1")).body;
      expect(first.items).toEqual([
        {
          id: expect.stringMatching(/1$/),
          occurred_at: new Date(now - 60_000).toISOString(),
          project_id: brain.project.id,
          project_slug: "shop",
          project_name: "Shop",
          engine: "bullmq",
          task_id: "t1",
          task_name: "mail",
          worker: "w",
          exception: "E1",
          priority: "high",
        },
      ]);
      const pages = async (who: "viewer" | "root", limit: number) => {
        const found: string[] = [];
        for (let cursor = ""; ; ) {
          const { body } = await brain.as[who].get(`/home/recent-failures?limit=${limit}&cursor=${cursor}`);
          found.push(...body.items.map(({ exception }: { exception: string }) => exception));
          if (body.next_cursor === null) return found;
          cursor = body.next_cursor;
        }
      };
      const all = [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10].map((index) => `E${index}`);
      expect(await pages("root", 5)).toEqual(all);
      expect(await pages("root", 200)).toEqual(all);
      expect(await pages("viewer", 3)).toEqual(all.filter((name) => Number(name.slice(1)) % 3 !== 0));
      expect((await brain.as.stranger.get("/home/recent-failures")).body).toEqual({ items: [], next_cursor: null });
      expect((await brain.as.viewer.get("/home/recent-failures?limit=201")).status).toBe(422);
    });

    test("reads through indexes that lead with the project", async () => {
      const { database } = brain.running.brain;
      const ids = [brain.project.id, otherId];
      const day = { from: new Date(now - 24 * hourMs), to: new Date(now) };
      const plans = await Promise.all([
        plansOf(database, (slow) => countsByHour(slow, ids, ["task.failed"], day.from)),
        plansOf(database, (slow) => countsOfMinutes(slow, ids, ["task.failed"], day)),
        plansOf(database, (slow) => lastActivity(slow, ids)),
        plansOf(database, (slow) => stuckCommands(slow, ids, day.to)),
        plansOf(database, (slow) => recentMisfires(slow, ids, day.from, 10)),
        plansOf(database, (slow) => trippedSchedules(slow, ids, day.from, 10)),
        plansOf(database, (slow) => newestFailures(slow, ids, { after: null, limit: 10 })),
      ]);
      for (const plan of plans) {
        expect(plan).not.toMatch(
          /SCAN (?!given|counted|open_commands|commands USING INDEX commands_open)|Seq Scan on (name_rollups|rollups|events|commands|misfire_alerts|audit_log)/,
        );
      }
      expect(plans.at(-1)).toMatch(/events_by_kind|_project_id_kind_occurred_at_idx/);
    });
  });
}
