import { openIngestAlone } from "@svc/brain/ingest";
import { createFakeClock } from "@svc/testkit";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { isTransient } from "../../platform/database/errors.ts";
import type { Log } from "../../platform/log.ts";

const frameTs = "2026-01-02T03:04:05.000Z";
const agentId = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee";
let numbers = 0;
const nextNumber = () => {
  numbers += 1;
  return String(numbers).padStart(12, "0");
};
const event = (taskId: string, data: Record<string, unknown> = {}) => ({
  id: `00000000-0000-4000-8000-${nextNumber()}`,
  kind: "task.sent",
  engine: "bullmq",
  task_id: taskId,
  occurred_at: "2026-01-02T03:04:00.000Z",
  data,
});
const eventsOf = (count: number, data: Record<string, unknown> = {}) =>
  Array.from({ length: count }, (_, index) => event(`task-${index}`, data));

for (const dialect of testDialects) {
  describe(`ingest with trouble on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const clock = createFakeClock(frameTs);
    const newProject = () => addProject(opened.database, `11111111-2222-4333-8444-${nextNumber()}`);
    const run = (statement: string) => opened.database.write((tx) => sql.raw(statement).execute(tx));
    const stored = async (projectId: string) => {
      const count = async (table: "events" | "tasks") =>
        (await opened.database.read.selectFrom(table).select("id").where("project_id", "=", projectId).execute())
          .length;
      return { events: await count("events"), tasks: await count("tasks") };
    };
    const open = () => openIngestAlone({ database: opened.database, clock });
    const transientFailure = (submitted: Promise<unknown>) =>
      submitted.then(
        () => "stored",
        (error) => (isTransient(error) ? "transient" : error),
      );

    async function refuseTask(taskId: string): Promise<void> {
      if (dialect === "sqlite") {
        await run(
          `CREATE TRIGGER refuse BEFORE INSERT ON events WHEN new.task_id = '${taskId}' BEGIN SELECT RAISE(ABORT, 'no'); END`,
        );
        return;
      }
      await run(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$`);
      await run(
        `CREATE TRIGGER refuse BEFORE INSERT ON events FOR EACH ROW WHEN (NEW.task_id = '${taskId}') EXECUTE FUNCTION refuse()`,
      );
    }
    const allowAll = async () => {
      await run(dialect === "sqlite" ? "DROP TRIGGER refuse" : "DROP FUNCTION refuse CASCADE");
    };

    test("loses only the refused event of a frame of 500, and none of other frames", async () => {
      const projectId = await newProject();
      const alone = open();
      await refuseTask("poison");
      const events = eventsOf(500);
      events[123] = event("poison");
      const submit = (records: unknown[]) => alone.ingest.submit({ projectId, agentId, frameTs, events: records });
      const [large, small, other] = await Promise.all([
        submit(events),
        submit([event("poison")]),
        submit([event("fine")]),
      ]);
      expect(large).toMatchObject({ received: 500, inserted: 499, rejected: 1 });
      expect(large.errors).toEqual([expect.stringContaining(events[123]!.id)]);
      expect(small).toMatchObject({ received: 1, inserted: 0, rejected: 1 });
      expect(other).toEqual({ received: 1, inserted: 1, rejected: 0, errors: [] });
      expect(await stored(projectId)).toEqual({ events: 500, tasks: 500 });
      await allowAll();
      await alone.stop();
    });

    test("logs once a minute, per agent, how many events the database refused and how many times were replaced", async () => {
      const projectId = await newProject();
      const lines: Record<string, unknown>[] = [];
      const warn: Log["warn"] = (event, { agent_id, events, count } = {}) =>
        void lines.push({ event, agent_id, times: events ?? count });
      const log: Log = { debug() {}, info() {}, warn, error() {}, child: () => log };
      const alone = openIngestAlone({ database: opened.database, clock, log });
      const poison = () => ({ ...event("poison"), occurred_at: "2026-01-03T00:00:00.000Z" });
      const submit = (agent: string) =>
        alone.ingest.submit({ projectId, agentId: agent, frameTs, events: [poison(), poison(), poison()] });
      const other = agentId.replaceAll("a", "b");
      await refuseTask("poison");
      for (const agent of [agentId, agentId, other]) await submit(agent);
      clock.advance(60_000);
      await submit(agentId);
      await allowAll();
      await alone.stop();
      const linesOf = (event: string) =>
        lines.filter((line) => line.event === event).map((line) => [line.agent_id, line.times]);
      expect(linesOf("ingest.event_refused")).toEqual([
        [agentId, 1],
        [other, 1],
        [agentId, 6],
      ]);
      expect(linesOf("ingest.times_replaced")).toEqual([
        [agentId, 3],
        [other, 3],
        [agentId, 6],
      ]);
    });

    test("keeps its counters exact after a failure", async () => {
      const projectId = await newProject();
      const alone = open();
      await refuseTask("poison");
      await alone.ingest.submit({ projectId, agentId, frameTs, events: [event("a"), event("poison"), event("b")] });
      await allowAll();
      await alone.foldCounters();
      const counts = await opened.database.read
        .selectFrom("task_counts")
        .selectAll()
        .where("project_id", "=", projectId)
        .execute();
      expect(counts).toEqual([{ project_id: projectId, state: "pending", count: 2 }]);
      await alone.stop();
    });

    test("makes submitters wait while the queue is full, and lets all of them through", async () => {
      const projectId = await newProject();
      const alone = openIngestAlone({
        database: opened.database,
        clock,
        settings: { SVC_WS_INGEST_QUEUE_MAXSIZE: 16 },
      });
      let isThrough = false;
      const submitted = Array.from({ length: 200 }, () =>
        alone.ingest.submit({ projectId, agentId, frameTs, events: [event(`t${nextNumber()}`)] }),
      );
      const capacity = alone.ingest.whenCapacity().then(() => {
        isThrough = true;
      });
      await Promise.resolve();
      expect(isThrough).toBe(false);
      expect(alone.ingest.queuedRows()).toBeLessThanOrEqual(16);
      const outcomes = await Promise.all(submitted);
      await capacity;
      expect(outcomes.every(({ inserted }) => inserted === 1)).toBe(true);
      expect(await stored(projectId)).toEqual({ events: 200, tasks: 200 });
      await alone.stop();
    });

    if (dialect === "sqlite") {
      test("confirms nothing on a full disk, caches no search term of it, and continues when there is space", async () => {
        const projectId = await newProject();
        const alone = open();
        const { rows } = await sql<{ page_count: number }>`PRAGMA page_count`.execute(opened.database.read);
        await run(`PRAGMA max_page_count = ${rows[0]!.page_count + 10}`);
        const events = eventsOf(400, { task_name: "only.here", queue: "only-here", args: ["x".repeat(1000)] });
        const submit = () => alone.ingest.submit({ projectId, agentId, frameTs, events });
        expect(await transientFailure(submit())).toBe("transient");
        expect(await stored(projectId)).toEqual({ events: 0, tasks: 0 });
        await run("PRAGMA max_page_count = 1073741823");
        expect(await submit()).toMatchObject({ inserted: 400 });
        const terms = await opened.database.read
          .selectFrom("task_terms")
          .select("value")
          .where("project_id", "=", projectId)
          .execute();
        expect(terms.map(({ value }) => value).sort()).toEqual(["only-here", "only.here"]);
        await alone.stop();
      });
    } else {
      test("confirms nothing while a table is missing, and stores again once it is back", async () => {
        const projectId = await newProject();
        const alone = open();
        const events = eventsOf(10);
        const submit = () => alone.ingest.submit({ projectId, agentId, frameTs, events });
        await run("ALTER TABLE counter_deltas RENAME TO counter_deltas_away");
        expect(await transientFailure(submit())).toBe("transient");
        await run("ALTER TABLE counter_deltas_away RENAME TO counter_deltas");
        expect(await stored(projectId)).toEqual({ events: 0, tasks: 0 });
        expect(await submit()).toMatchObject({ inserted: 10 });
        expect(await stored(projectId)).toEqual({ events: 10, tasks: 10 });
        expect(alone.ingest.queuedRows()).toBe(0);
        await alone.stop();
      });

      test("survives the loss of its connections", async () => {
        const projectId = await newProject();
        const alone = open();
        await alone.ingest.submit({ projectId, agentId, frameTs, events: eventsOf(3) });
        await run(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
        );
        const events = eventsOf(5);
        const submit = () => alone.ingest.submit({ projectId, agentId, frameTs, events });
        const first = await transientFailure(submit());
        expect(["stored", "transient"]).toContain(first);
        if (first === "transient") await submit();
        expect(await stored(projectId)).toEqual({ events: 8, tasks: 5 });
        await alone.stop();
      });
    }
  });
}
