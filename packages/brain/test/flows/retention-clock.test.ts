import { randomUUID } from "node:crypto";
import { createFakeClock, type FakeClock } from "@svc/testkit";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readLastSeen } from "../../src/features/health/index.ts";
import type { Tx } from "../../src/platform/database/database.ts";
import { createPartitions, dayOf } from "../../src/platform/database/dialects/postgres/partitions/daily-partitions.ts";
import type { Tables } from "../../src/schema/tables/index.ts";
import { bulkRetryRow } from "../rows/bulk-retry-rows.ts";
import { commandRow } from "../rows/command-rows.ts";
import { fireRow } from "../rows/fire-rows.ts";
import { queueRow } from "../rows/queue-rows.ts";
import { scheduleRow } from "../rows/schedule-rows.ts";
import { taskRow } from "../rows/task-rows.ts";
import { workerRow } from "../rows/worker-rows.ts";

const dayMs = 86_400_000;

interface Planting {
  readonly tx: Tx<Tables>;
  readonly at: Date;
  readonly projectId: string;
  readonly agentId: string;
  /** Different for each row. */
  readonly id: string;
}

/** The tables that a loop prunes. `plant` writes a row with this age into each; tables without it hold rows that expire at a fixed time. */
interface Case {
  readonly tables: readonly (keyof Tables)[];
  readonly plant?: (planting: Planting) => Promise<unknown>;
}

const rollup = ({ at, projectId, id }: Planting) => ({
  project_id: projectId,
  name: id,
  kind: "task.sent",
  count: 1,
  run_ms_sum: 0,
  run_count: 0,
  run_histogram: null,
  wait_histogram: null,
  bucket_at: at,
});

/** Every loop that removes rows by age. Add new ones here. */
const cases: Record<string, Case> = {
  "agents.hygiene": { tables: [] },
  "audit.retention": { tables: ["audit_log"] },
  "mfa.prune-trusted-devices": { tables: ["trusted_devices"] },
  "password-reset.retention": { tables: ["password_reset_tokens"] },
  "sessions.prune": { tables: ["sessions"] },
  "setup.retention": { tables: ["first_boot_tokens"] },
  "agents.retention": {
    tables: ["agent_status_history", "loss_intervals", "loss_marks"],
    async plant({ tx, at, projectId: project_id, agentId: agent_id, id }) {
      const sample = { project_id, agent_id, captured_at: at, payload: "{}" };
      await tx
        .insertInto("agent_status_history")
        .values(sample as never)
        .execute();
      const loss = {
        id,
        project_id,
        agent_id,
        reason: "capacity",
        from_at: at,
        to_at: at,
        event_records: 1,
        other_frames: 0,
      };
      await tx
        .insertInto("loss_intervals")
        .values(loss as never)
        .execute();
      await tx.insertInto("loss_marks").values({ agent_id, scope: id, counters: "{}", seen_at: at }).execute();
    },
  },
  "bulk_retry.retention": {
    tables: ["bulk_retry_requests"],
    plant: ({ tx, at, projectId, id }) =>
      tx
        .insertInto("bulk_retry_requests")
        .values(bulkRetryRow({ id, project_id: projectId, created_at: at, finished_at: at }))
        .execute(),
  },
  "commands.retention": {
    tables: ["commands"],
    plant: ({ tx, at, projectId, id }) =>
      tx
        .insertInto("commands")
        .values(commandRow({ id, project_id: projectId, status: "completed", issued_at: at, completed_at: at }))
        .execute(),
  },
  "events.retention": {
    tables: ["events"],
    plant: ({ tx, at, projectId, agentId, id }) =>
      tx
        .insertInto("events")
        .values({
          ...{ id, project_id: projectId, agent_id: agentId, engine: "e", task_id: id, kind: "task.sent" },
          ...{ occurred_at: at, payload: "{}" },
        } as never)
        .execute(),
  },
  "fires.misfire_retention": {
    tables: ["misfire_alerts"],
    async plant({ tx, at, projectId: project_id, id }) {
      const { name, engine, kind } = scheduleRow({ id, project_id });
      await tx.insertInto("schedules").values(scheduleRow({ id, project_id })).execute();
      const slot = { schedule_id: id, expected_fire_at: at, misfire_kind: "missed_slot", detected_at: at };
      const row = { ...slot, project_id, lateness_seconds: 60, grace_seconds: 60, name, engine, kind };
      await tx.insertInto("misfire_alerts").values(row).execute();
    },
  },
  "fires.retention": {
    tables: ["schedule_fires"],
    async plant({ tx, at, projectId: project_id, id }) {
      const fire = fireRow({ id, project_id, schedule_id: id, fired_at: at, status: "acked_success" });
      await tx.insertInto("schedule_fires").values(fire).execute();
    },
  },
  "invitations.retention": {
    tables: ["invitations"],
    plant: ({ tx, at, projectId, id }) =>
      tx
        .insertInto("invitations")
        .values({
          ...{ id, project_id: projectId, email: `${id}@example.org`, email_key: `${id}@example.org`, role: "viewer" },
          ...{ invited_by: null, token_hash: id, expires_at: at, accepted_at: null, accepted_by_user_id: null },
          ...{ revoked_at: null, created_at: at, updated_at: at },
        })
        .execute(),
  },
  "native-schedules.prune-parts": { tables: ["schedule_snapshot_parts"] },
  "native-schedules.prune-operations": {
    tables: ["external_control_operations"],
    plant: ({ tx, at, projectId, id }) =>
      tx
        .insertInto("external_control_operations")
        .values({
          ...{ id, project_id: projectId, schedule_id: id, command_id: id, action: "schedule.enable" },
          ...{ status: "succeeded", desired_is_enabled: true, error: null, created_at: at, updated_at: at },
        })
        .execute(),
  },
  "native-schedules.prune-tombstones": {
    tables: ["schedule_tombstones"],
    plant: ({ tx, at, projectId, id }) =>
      tx
        .insertInto("schedule_tombstones")
        .values({
          ...{ project_id: projectId, owner: "bullmq", name: id, deleted_at: at },
          ...{ position_epoch: 1, position_sequence: 1, position_event_id: id },
        })
        .execute(),
  },
  "queues.retention": {
    tables: ["queues"],
    plant: ({ tx, at, projectId, id }) =>
      tx
        .insertInto("queues")
        .values(queueRow({ id, project_id: projectId, name: id, last_seen_at: at }))
        .execute(),
  },
  "queues.depths-retention": {
    tables: ["queue_depths"],
    plant: ({ tx, at, projectId, id }) =>
      tx
        .insertInto("queue_depths")
        .values({ project_id: projectId, queue_id: id, cell_at: at, pending_count: 1, consumer_count: 1 })
        .execute(),
  },
  "schedules.changes-retention": {
    tables: ["schedule_changes"],
    plant: ({ tx, at, projectId, id }) =>
      tx
        .insertInto("schedule_changes")
        .values({
          ...{ revision: Number.parseInt(id.slice(0, 8), 16), project_id: projectId, schedule_id: id },
          ...{ change_kind: "upsert", changed_at: at },
        })
        .execute(),
  },
  "schedules.skips-retention": {
    tables: ["schedule_skips"],
    async plant({ tx, at, projectId: project_id, id }) {
      await tx.insertInto("schedules").values(scheduleRow({ id, project_id })).execute();
      const skip = { id, project_id, schedule_id: id, skipped_at: at, count: 1 };
      await tx.insertInto("schedule_skips").values(skip).execute();
    },
  },
  "security-history.retention": {
    tables: ["account_notices"],
    async plant({ tx, at, id }) {
      const user = await tx.selectFrom("users").select("id").limit(1).executeTakeFirstOrThrow();
      const notice = { id, user_id: user.id, occurred_at: at, kind: "password_changed", details: "{}" };
      await tx
        .insertInto("account_notices")
        .values({ ...notice, source_ip: null, user_agent: null })
        .execute();
    },
  },
  "stats.retention": {
    tables: ["rollups", "name_rollups", "worker_rollups", "rollup_names", "releases"],
    async plant(planting) {
      const { tx, at, projectId: project_id, id } = planting;
      await tx
        .insertInto("rollups")
        .values({ ...rollup(planting), grain_minutes: 60, engine: "e", queue: "q" })
        .execute();
      for (const grain_minutes of [60, 1440])
        await tx
          .insertInto("name_rollups")
          .values({ ...rollup(planting), grain_minutes })
          .execute();
      const hour = { project_id, engine: "e", worker: id, hour_at: at, kind: "task.sent", count: 1 };
      await tx.insertInto("worker_rollups").values(hour).execute();
      await tx.insertInto("rollup_names").values({ project_id, name: id, seen_at: at }).execute();
      const release = { project_id, release: id, first_seen_at: at, noted_at: at };
      await tx
        .insertInto("releases")
        .values(release as never)
        .execute();
    },
  },
  "tasks.retention": {
    tables: ["tasks"],
    plant: ({ tx, at, projectId, id }) =>
      tx
        .insertInto("tasks")
        .values(taskRow({ project_id: projectId, task_id: id, last_event_at: at }))
        .execute(),
  },
  "workers.retention": {
    tables: ["workers"],
    plant: ({ tx, at, projectId, id }) =>
      tx
        .insertInto("workers")
        .values(workerRow({ id, project_id: projectId, name: id, state: "offline", last_heartbeat: at, at }))
        .execute(),
  },
};

const allTables = Object.values(cases).flatMap(({ tables }) => tables);
const planted = Object.entries(cases).filter(([, { plant }]) => plant !== undefined);

for (const dialect of testDialects) {
  describe(`retention and the clock on ${dialect}`, () => {
    let clock: FakeClock;
    let brain: TestBrain;
    let agentId: string;
    const database = () => brain.running.brain.database;

    beforeAll(async () => {
      clock = createFakeClock(new Date());
      brain = await startTestBrain({ dialect, clock });
      ({ agentId } = await brain.mintAgent());
    });
    afterAll(() => brain.stop());
    beforeEach(() =>
      database().write(async (tx) => {
        for (const table of planted.flatMap(([, { tables }]) => tables)) await tx.deleteFrom(table).execute();
      }),
    );

    async function plant(name: string, at: Date): Promise<void> {
      const { bulk } = database();
      if (bulk.dialect === "postgres") {
        for (const table of ["events", "schedule_fires"])
          await createPartitions(bulk.pool, table, [dayOf(at.getTime())]);
      }
      await database().write((tx) =>
        cases[name]!.plant!({ tx, at, projectId: brain.project.id, agentId, id: randomUUID() }),
      );
    }

    async function countsOf(tables: readonly (keyof Tables)[]): Promise<Record<string, number>> {
      const counts: Record<string, number> = {};
      for (const table of tables) {
        const { count } = await database()
          .read.selectFrom(table)
          .select((eb) => eb.fn.countAll<number | string>().as("count"))
          .executeTakeFirstOrThrow();
        counts[table] = Number(count);
      }
      return counts;
    }

    test("is declared by exactly the loops that remove by age", () => {
      const { loops } = brain.running.brain.loops;
      const removing = loops.filter(({ removesByAge }) => removesByAge).map(({ name }) => name);
      expect(removing.sort()).toEqual(Object.keys(cases).sort());
      expect(loops.filter(({ name, removesByAge }) => /retention|prune|hygiene/.test(name) && !removesByAge)).toEqual(
        [],
      );
    });

    test("removes nothing after the clock jumps by 120 days, even if new rows follow it, and reports it", async () => {
      const real = clock.now();
      for (const [name] of planted) await plant(name, real);
      const before = await countsOf(allTables);
      const pass = async () => {
        const results = [];
        for (const name of Object.keys(cases)) results.push(await brain.runLoop(name));
        return results;
      };
      clock.setWall(new Date(real.getTime() + 120 * dayMs));
      expect(await pass()).toEqual(Object.keys(cases).map(() => ({ held: "clock_changed" })));
      expect(await countsOf(allTables)).toEqual(before);

      await plant("tasks.retention", clock.now());
      clock.advance(600_000);
      await pass();
      expect(await countsOf(allTables)).toEqual({ ...before, tasks: before.tasks! + 1 });
      expect((await database().read.selectFrom("agents").select("revoked_at").execute())[0]?.revoked_at).toBeNull();

      await brain.runLoop("health.write-probe");
      const { health } = brain.running.brain.features;
      const { status, checks } = await health.deep();
      expect([status, checks.retention]).toEqual([
        "degraded",
        {
          status: "degraded",
          detail: `No old rows are removed until ${new Date(real.getTime() + 121 * dayMs).toISOString()}: the system clock moved forward by 120 days. Retention resumes at once when the clock is corrected.`,
        },
      ]);

      // After the clock is corrected, retention continues, nothing is lost, and all users are still signed in.
      clock.setWall(new Date(real.getTime() + 600_000));
      expect(await pass()).not.toContainEqual({ held: "clock_changed" });
      expect(await countsOf(allTables)).toEqual({ ...before, tasks: before.tasks! + 1 });
      const answer = await brain.as.root.get("//health/deep");
      expect(answer).toMatchObject({ status: 200, body: { checks: { retention: { status: "ok" } } } });
    });

    test("skips one pass after the machine slept for a night, reports it, and then removes due rows", async () => {
      const now = clock.now().getTime();
      await plant("tasks.retention", new Date(now - 400 * dayMs));
      await plant("tasks.retention", new Date(now));
      clock.setWall(new Date(now + dayMs / 2));
      const { health } = brain.running.brain.features;
      expect((await health.deep()).checks.retention).toEqual({
        status: "degraded",
        detail:
          "The system clock moved forward by 12 hours. Old rows are removed one pass later. This is normal after the machine slept.",
      });
      expect(await brain.runLoop("tasks.retention")).toEqual({ held: "clock_changed" });
      expect(await countsOf(["tasks"])).toEqual({ tasks: 2 });
      for (const name of Object.keys(cases)) await brain.runLoop(name);
      await brain.runLoop("tasks.retention");
      expect(await countsOf(["tasks"])).toEqual({ tasks: 1 });
      clock.advance(60_000);
      await brain.runLoop("health.write-probe");
      expect((await health.deep()).checks.retention).toEqual({ status: "ok" });
    });

    test("removes nothing for a day after a start with the clock more than a week ahead", async () => {
      await brain.runLoop("health.watch-clock");
      const later = createFakeClock(new Date(clock.now().getTime() + 120 * dayMs));
      const second = await startTestBrain({ databaseUrl: brain.databaseUrl, home: brain.home, clock: later });
      try {
        const before = await countsOf(["audit_log"]);
        const { retention } = second.running.brain.features;
        expect(retention.check()).toMatchObject({ reason: "service_was_off" });
        await second.runLoop("audit.retention");
        // It does not record its own time either: the start after a crash finds the same.
        await second.runLoop("health.watch-clock");
        expect(await countsOf(["audit_log"])).toEqual(before);
        expect(await readLastSeen(database().read)).toEqual(clock.now());
        later.advance(dayMs);
        expect(retention.check()).toBeNull();
      } finally {
        await second.stop();
      }
    });

    test.each(planted)("of %s keeps the days before the newest row, and removes due rows", async (name, { tables }) => {
      const now = clock.now().getTime();
      await plant(name, new Date(now - 401.5 * dayMs));
      await plant(name, new Date(now - 400 * dayMs));
      const before = await countsOf(tables);
      await brain.runLoop(name);
      expect(await countsOf(tables)).toEqual(before);

      await plant(name, new Date(now));
      await brain.runLoop(name);
      const left = Object.values(await countsOf(tables));
      // Rollups by name have hourly and daily rows.
      expect(left).toEqual(tables.map((table) => (table === "name_rollups" ? 2 : 1)));
    });
  });
}
