import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeAll, describe, expect, test } from "vitest";
import { plansOf } from "../../../test/query-plans.ts";
import { agentRow } from "../../../test/rows/agent-rows.ts";
import { queueRow } from "../../../test/rows/queue-rows.ts";
import { scheduleRow } from "../../../test/rows/schedule-rows.ts";
import { insertTasks } from "../../../test/rows/task-rows.ts";
import { workerRow } from "../../../test/rows/worker-rows.ts";
import {
  agentAt,
  lossesSince,
  openChildren,
  queueOf,
  schedulesOf,
  taskAt,
  watchersOnline,
  workerOf,
} from "./facts-reads.ts";

const projectId = "11111111-2222-4333-8444-555555555555";
const otherId = "21111111-2222-4333-8444-555555555555";
const at = new Date("2026-01-02T03:04:05.000Z");
const later = (seconds: number) => new Date(at.getTime() + seconds * 1000);

for (const dialect of testDialects) {
  describe(`the facts about a task on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const mails = { projectId, engine: "celery", name: "mails" };
    const agents = [
      agentRow({ project_id: projectId, name: "here", state: "online", engine_adapters: '["celery","rq"]' }),
      agentRow({ project_id: projectId, name: "away", state: "offline", engine_adapters: '["celery"]' }),
      agentRow({ project_id: projectId, name: "other", state: "online", engine_adapters: '["celery-2"]' }),
      agentRow({ project_id: projectId, name: "dead", state: "online", engine_adapters: '["celery"]', revoked_at: at }),
      agentRow({ project_id: otherId, name: "there", state: "online", engine_adapters: '["celery"]' }),
    ] as const;
    const queue = queueRow({
      project_id: projectId,
      engine: "celery",
      name: "mails",
      consumers_reported_at: later(60),
      metadata: JSON.stringify({ paused: true, paused_since: at.toISOString() }),
    });

    beforeAll(async () => {
      const { database } = opened;
      await addProject(database, projectId);
      await addProject(database, otherId);
      const worker = (name: string, state: string, queues: string[], active?: unknown) =>
        workerRow({
          at,
          project_id: projectId,
          engine: "celery",
          name,
          state,
          queues: JSON.stringify(queues),
          metadata: JSON.stringify({ active }),
        });
      await database.write(async (tx) => {
        await tx
          .insertInto("agents")
          .values([...agents])
          .execute();
        await tx.insertInto("queues").values(queue).execute();
        await tx
          .insertInto("workers")
          .values([
            worker("objects", "online", ["mails", "posts"], [{ id: "t-1" }, { id: "t-2" }]),
            worker("texts", "offline", ["mails"], ["t-3"]),
            worker("idle", "offline", ["mails-2"], []),
            worker("strange", "offline", [], [{ name: "t-1" }]),
            worker("silent", "offline", []),
          ])
          .execute();
        const cell = { project_id: projectId, queue_id: queue.id, pending_count: 1 };
        await tx
          .insertInto("queue_depths")
          .values([
            { ...cell, cell_at: later(-600), consumer_count: 2 },
            { ...cell, cell_at: later(-120), consumer_count: 1 },
            { ...cell, cell_at: at, consumer_count: 0 },
          ])
          .execute();
        const loss = { project_id: projectId, reason: "capacity", from_at: at, other_frames: 0 };
        const [here, , other] = agents;
        await tx
          .insertInto("loss_intervals")
          .values([
            { ...loss, id: crypto.randomUUID(), agent_id: here.id, to_at: later(10), event_records: 1 },
            { ...loss, id: crypto.randomUUID(), agent_id: here.id, to_at: later(30), event_records: 2 },
            {
              ...loss,
              id: crypto.randomUUID(),
              agent_id: here.id,
              to_at: later(40),
              event_records: 0,
              other_frames: 5,
            },
            { ...loss, id: crypto.randomUUID(), agent_id: other.id, to_at: later(50), event_records: 4 },
          ])
          .execute();
      });
      const task = (task_id: string, more: object = {}) => ({
        project_id: projectId,
        engine: "celery",
        task_id,
        received_at: at,
        ...more,
      });
      const child = { parent_task_id: "t-1", root_task_id: "t-1" };
      await insertTasks(database, [
        task("t-1"),
        task("open-1", { ...child, state: "started" }),
        task("open-2", { ...child, state: "pending" }),
        task("ended", { ...child, state: "failure" }),
        task("deeper", { ...child, parent_task_id: "open-1", state: "pending" }),
      ]);
    });

    test("include the queue, its workers, its holds, and when it last had consumers", async () => {
      expect(await queueOf(opened.database, mails)).toMatchObject({
        name: "mails",
        paused_since: at,
        limited_until: null,
        consumed_until: at,
        workers_online: 1,
        workers_offline: 1,
      });
      expect(await queueOf(opened.database, { ...mails, engine: "rq" })).toBeNull();
    });

    test.each([
      ["objects", "t-2", true],
      ["objects", "t-3", false],
      ["texts", "t-3", true],
      ["idle", "t-1", false],
      ["strange", "t-1", null],
      ["silent", "t-1", null],
    ])("is whether worker %s lists task %s: %s", async (name, taskId, lists_task) => {
      expect(await workerOf(opened.database, { ...mails, name, taskId })).toMatchObject({ name, lists_task });
    });

    test("include the number of unfinished children", async () => {
      const address = { projectId, engine: "celery", rootId: "t-1" };
      const counts = ["t-1", "open-1", "open-2"].map((taskId) => openChildren(opened.database, { ...address, taskId }));
      expect(await Promise.all(counts)).toEqual([2, 1, 0]);
    });

    test("include the online agents of the engine and the engine's losses since", async () => {
      const { database } = opened;
      const ofCelery = { projectId, engine: "celery" };
      expect(await watchersOnline(database, projectId, "celery")).toBe(1);
      expect(await watchersOnline(database, projectId, "rq")).toBe(1);
      expect(await watchersOnline(database, projectId, "cel")).toBe(0);
      const losses = async (since: Date) =>
        (await lossesSince(database, { ...ofCelery, since })).map((one) => one.event_records);
      expect([await losses(later(11)), await losses(later(5)), await losses(later(31))]).toEqual([[2], [2, 1], []]);
      expect(await agentAt(database, projectId, agents[1].id)).toMatchObject({ name: "away", is_online: false });
      expect(await agentAt(database, projectId, agents[4].id)).toBeNull();
    });

    test("name the schedules that start such tasks, and whether they run", async () => {
      const { database } = opened;
      const row = (name: string, given: Partial<Parameters<typeof scheduleRow>[0]> = {}) =>
        scheduleRow({ ...{ project_id: projectId, engine: "celery", task_name: "mail", name }, ...given });
      const rows = [
        row("disabled", { is_enabled: false, scheduler: "redbeat", updated_at: later(1) }),
        row("paused", { paused_at: at, updated_at: later(2) }),
        row("of the queue", { queue: "mails", updated_at: later(3) }),
        row("of another queue", { queue: "posts" }),
        row("of another task", { task_name: "post" }),
        row("of another engine", { engine: "rq" }),
        row("of another project", { project_id: otherId }),
      ];
      await database.write((tx) => tx.insertInto("schedules").values(rows).execute());
      const of = (queue: string | null) => schedulesOf(database, projectId, { engine: "celery", name: "mail", queue });
      expect(await of("mails")).toEqual([
        { name: "of the queue", is_enabled: true, reported_at: later(3) },
        { name: "paused", is_enabled: false, reported_at: later(2) },
        { name: "disabled", is_enabled: false, reported_at: later(1) },
      ]);
      expect((await of(null)).map(({ name }) => name)).toEqual(["paused", "disabled"]);
    });

    // PostgreSQL plans differently on tables this small.
    if (dialect === "sqlite")
      test("are read by keys, without a full table scan", async () => {
        const { database } = opened;
        const plan = await plansOf(database, async (read) => {
          const watched = { ...database, read };
          const address = { projectId, engine: "celery", taskId: "t-1" };
          await taskAt(watched, address);
          await openChildren(watched, { ...address, rootId: "t-1" });
          await queueOf(watched, mails);
          await workerOf(watched, { ...address, name: "objects" });
          await agentAt(watched, projectId, agents[0].id);
          await watchersOnline(watched, projectId, "celery");
          await schedulesOf(watched, projectId, { engine: "celery", name: "mail", queue: "mails" });
          await lossesSince(watched, { projectId, engine: "celery", since: at });
        });
        expect(plan).toContain("SEARCH");
        expect(
          plan.split("\n").filter((line) => /\bSCAN\b/.test(line) && !/VIRTUAL TABLE|SCAN family/.test(line)),
        ).toEqual([]);
      });
  });
}
