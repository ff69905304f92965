import { openIngestAlone } from "@svc/brain/ingest";
import { createFakeClock } from "@svc/testkit";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";

const agentId = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee";
const frameTs = "2026-01-02T03:04:05.000Z";
let projects = 0;
const nextProjectId = () => {
  projects += 1;
  return `11111111-2222-4333-8444-${String(projects).padStart(12, "0")}`;
};
let events = 0;
const newEventId = () => {
  events += 1;
  return `00000000-0000-4000-8000-${String(events).padStart(12, "0")}`;
};

const event = (
  kind: string,
  taskId: string,
  data: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
) => ({
  id: newEventId(),
  kind,
  engine: "bullmq",
  task_id: taskId,
  occurred_at: "2026-01-02T03:04:00.000Z",
  data,
  ...more,
});

for (const dialect of testDialects) {
  describe(`ingest on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const clock = createFakeClock(frameTs);

    const newProject = (id = nextProjectId()) => addProject(opened.database, id);

    async function withIngest<T>(work: (alone: ReturnType<typeof openIngestAlone>) => Promise<T>): Promise<T> {
      const alone = openIngestAlone({ database: opened.database, clock });
      try {
        return await work(alone);
      } finally {
        await alone.stop();
      }
    }
    const submit = (projectId: string, records: unknown[], more: { text?: string; sealedAt?: string } = {}) =>
      withIngest(({ ingest }) => ingest.submit({ projectId, agentId, frameTs, events: records, ...more }));
    const read = () => opened.database.read;
    const storedEvents = (projectId: string) =>
      read()
        .selectFrom("events")
        .selectAll()
        .where("project_id", "=", projectId)
        .orderBy("occurred_at")
        .orderBy("id")
        .execute();
    const storedTask = (projectId: string, taskId: string) =>
      read()
        .selectFrom("tasks")
        .selectAll()
        .where("project_id", "=", projectId)
        .where("task_id", "=", taskId)
        .executeTakeFirstOrThrow();

    test("stores events and their task, and counts the new ones", async () => {
      const projectId = await newProject();
      const records = [
        event("task.sent", "t", { task_name: "mail", queue: "q", args: [1] }),
        event("task.started", "t", { worker: "w", wait_ms: 7 }, { occurred_at: "2026-01-02T03:04:01.2345Z" }),
        event(
          "task.succeeded",
          "t",
          { runtime_ms: 12.4, result: { ok: true } },
          { occurred_at: "2026-01-02 03:04:02" },
        ),
      ];
      expect(await submit(projectId, records)).toEqual({ received: 3, inserted: 3, rejected: 0, errors: [] });
      const stored = await storedEvents(projectId);
      expect(stored.map(({ kind }) => kind)).toEqual(["task.sent", "task.started", "task.succeeded"]);
      expect(JSON.parse(stored[0]!.payload)).toEqual(records[0]!.data);
      const task = await storedTask(projectId, "t");
      expect(task).toMatchObject({
        name: "mail",
        queue: "q",
        state: "success",
        worker_name: "w",
        runtime_ms: 12,
        wait_ms: 7,
        received_at: new Date("2026-01-02T03:04:00.000Z"),
        started_at: new Date("2026-01-02T03:04:01.234Z"),
        finished_at: new Date("2026-01-02T03:04:02.000Z"),
        reported_by: agentId,
        row_version: 1,
      });
      expect([task.args, task.result].map((text) => JSON.parse(text!))).toEqual([[1], { ok: true }]);
    });

    test("ignores an event that it already has, whatever its content", async () => {
      const projectId = await newProject();
      const sent = event("task.sent", "t", { task_name: "first", queue: "q" });
      await submit(projectId, [sent]);
      const again = { ...sent, data: { task_name: "second", worker: "w", attempt: 5 } };
      expect(await submit(projectId, [again, again])).toMatchObject({ received: 2, inserted: 0, rejected: 2 });
      expect(await storedTask(projectId, "t")).toMatchObject({
        name: "first",
        attempt: 0,
        retry_count: 0,
        row_version: 1,
      });
      const mixed = [again, event("task.started", "t", { worker: "w2" }, { occurred_at: "2026-01-02T03:04:01Z" })];
      expect(await submit(projectId, mixed)).toMatchObject({ inserted: 1 });
      expect(await storedTask(projectId, "t")).toMatchObject({
        name: "first",
        state: "started",
        worker_name: "w2",
        attempt: 0,
      });
      expect((await storedEvents(projectId)).map(({ kind }) => kind)).toEqual(["task.sent", "task.started"]);
    });

    test("drops or ignores bad records without losing the others, and lists what it dropped", async () => {
      const projectId = await newProject();
      const outcome = await submit(projectId, [
        null,
        7,
        [],
        { kind: "task.sent" },
        { engine: "e" },
        event("task.sent", "t".repeat(201)),
        event("task.sent", "a\u0007b"),
        event("task.sent", "t", {}, { engine: "e".repeat(41) }),
        event("task.sent", "old", {}, { occurred_at: "2025-12-02T23:59:59.999Z" }),
        event("task.sent", "edge", {}, { occurred_at: "2025-12-03T00:00:00.000Z" }),
        event("task.sent", "good"),
      ]);
      expect(outcome).toMatchObject({ received: 11, inserted: 2, rejected: 9 });
      expect(outcome.errors).toEqual([
        expect.stringContaining("event 5: task_id"),
        expect.stringContaining("event 6: task_id"),
        expect.stringContaining("event 7: engine"),
        expect.stringContaining("event 8: occurred_at"),
      ]);
    });

    test("replaces U+0000 and lone surrogates in strings and keys instead of losing the record", async () => {
      const projectId = await newProject();
      const data = JSON.parse(
        '{"task_name":"a\\u0000b","k\\u0000":["\\ud800"],"parent_task_id":"p\\u0000","queue":"q\\u0000"}',
      );
      expect(await submit(projectId, [event("task.sent", "t", data)])).toMatchObject({ inserted: 1 });
      const [stored] = await storedEvents(projectId);
      expect(JSON.parse(stored!.payload)).toEqual({
        task_name: "a\ufffdb",
        "k\ufffd": ["\ufffd"],
        parent_task_id: "p\ufffd",
        queue: "q\ufffd",
      });
      expect(await storedTask(projectId, "t")).toMatchObject({
        name: "a\ufffdb",
        queue: "q\ufffd",
        parent_task_id: null,
      });
    });

    test("keeps a parent id with U+0000 out of the row even when another event is a duplicate", async () => {
      const projectId = await newProject();
      const known = event("task.sent", "t");
      await submit(projectId, [known]);
      const data = { parent_task_id: "p\u0000", task_name: "n" };
      await submit(projectId, [known, event("task.received", "t", data)]);
      expect(await storedTask(projectId, "t")).toMatchObject({ name: "n", parent_task_id: null, state: "received" });
    });

    test("keeps the digits of numbers that exceed a double", async () => {
      const projectId = await newProject();
      const { parseJson } = await import("@svc/protocol");
      const data = parseJson('{"result":{"n":12345678901234567890123},"args":[9007199254740993]}') as Record<
        string,
        unknown
      >;
      await submit(projectId, [event("task.succeeded", "t", data)]);
      const task = await storedTask(projectId, "t");
      expect(task.result!.replaceAll(" ", "")).toBe('{"n":12345678901234567890123}');
      expect(task.args).toBe("[9007199254740993]");
      expect((await storedEvents(projectId))[0]!.payload).toContain("12345678901234567890123");
    });

    test("keeps numbers that are too long for PostgreSQL as text", async () => {
      const projectId = await newProject();
      const { parseJson } = await import("@svc/protocol");
      const vast = "7".repeat(140_000);
      const data = parseJson(`{"result":[${vast},1e-20000,12345678901234567890]}`) as Record<string, unknown>;
      expect(await submit(projectId, [event("task.succeeded", "t", data)])).toMatchObject({ inserted: 1 });
      const task = await storedTask(projectId, "t");
      const shown = `["${vast}","1e-20000",12345678901234567890]`;
      expect(task.result!.replaceAll(" ", "")).toBe(shown);
      expect((await storedEvents(projectId))[0]!.payload.replaceAll(" ", "")).toContain(shown);
    });

    test("derives the id of a record without a usable one from its content, so that a repetition is a duplicate", async () => {
      const projectId = await newProject("11111111-2222-4333-8444-555555555555");
      const record =
        '{"kind":"task.succeeded","engine":"celery","task_id":"t-1","occurred_at":"2026-01-02T03:04:05+00:00","data":{"task_name":"app.add","runtime_ms":12}}';
      const text = `{"payload":{"events":[${record}]}}`;
      const batch = [JSON.parse(record)];
      expect(await submit(projectId, batch, { text })).toMatchObject({ inserted: 1 });
      expect(await submit(projectId, batch, { text })).toMatchObject({ inserted: 0 });
      expect((await storedEvents(projectId))[0]!.id).toBe("32e95ba3-fc95-58c9-8392-5f9b87283df7");
      const floats = text.replace('"runtime_ms":12', '"runtime_ms":12.0');
      expect(await submit(projectId, batch, { text: floats })).toMatchObject({ inserted: 1 });
    });

    test("uses the batch's time for a missing time and for one more than a minute ahead", async () => {
      const projectId = await newProject();
      const sealedAt = "2026-01-02T03:00:00.9999Z";
      await submit(
        projectId,
        [
          event("task.sent", "none", {}, { occurred_at: undefined }),
          event("task.sent", "ahead", {}, { occurred_at: "2026-01-02T03:01:01.000Z" }),
          event("task.sent", "near", {}, { occurred_at: "2026-01-02T03:01:00.999Z" }),
        ],
        { sealedAt },
      );
      const times = (await storedEvents(projectId)).map((row) => [row.task_id, row.occurred_at.toISOString()]);
      expect(times.sort()).toEqual([
        ["ahead", "2026-01-02T03:00:00.999Z"],
        ["near", "2026-01-02T03:01:00.999Z"],
        ["none", "2026-01-02T03:00:00.999Z"],
      ]);
    });

    test("stores an unknown kind as reported and projects nothing from it", async () => {
      const projectId = await newProject();
      await submit(projectId, [event("task.paused", "t", { a: 1 })]);
      const [stored] = await storedEvents(projectId);
      expect([stored!.kind, JSON.parse(stored!.payload)]).toEqual(["unknown", { a: 1, kind_received: "task.paused" }]);
      expect(await read().selectFrom("tasks").select("id").where("project_id", "=", projectId).execute()).toEqual([]);
    });

    test("keeps times of more than 25 days, and counters that can be read however long tasks ran", async () => {
      const projectId = await newProject();
      const largest = Number.MAX_SAFE_INTEGER;
      const ended = (taskId: string) => event("task.succeeded", taskId, { task_name: "n", runtime_ms: largest });
      await submit(projectId, [event("task.started", "t", { wait_ms: 3e9 }), ended("t"), ended("u"), ended("v")]);
      expect(await storedTask(projectId, "t")).toMatchObject({ runtime_ms: largest, wait_ms: 3_000_000_000 });
      await withIngest((alone) => alone.foldCounters());
      const rollup = read().selectFrom("rollups").select(["run_ms_sum", "run_count"]);
      const [row] = await rollup.where("project_id", "=", projectId).where("kind", "=", "task.succeeded").execute();
      expect(row).toEqual({ run_ms_sum: 3 * (2 ** 31 - 1), run_count: 3 });
    });

    test("treats an eta beyond what both databases can store as unreadable", async () => {
      const projectId = await newProject();
      await submit(projectId, [
        event("task.sent", "far", { eta: "9999-12-31T23:59:59Z" }),
        event("task.sent", "early", { eta: "0001-01-01T00:00:00Z" }),
        event("task.sent", "near", { eta: "2255-06-05T23:47:34.740999Z" }),
      ]);
      const etas = await read()
        .selectFrom("tasks")
        .select(["task_id", "eta"])
        .where("project_id", "=", projectId)
        .execute();
      expect(Object.fromEntries(etas.map(({ task_id, eta }) => [task_id, eta?.toISOString() ?? null]))).toEqual({
        far: null,
        early: null,
        near: "2255-06-05T23:47:34.740Z",
      });
    });

    test("joins retry links: the earliest event of a new id decides", async () => {
      const projectId = await newProject();
      await submit(projectId, [
        event("task.started", "new", { retried_from: "b" }, { occurred_at: "2026-01-02T03:04:02Z" }),
        event("task.sent", "new", { retried_from: "c" }, { occurred_at: "2026-01-02T03:04:01Z" }),
      ]);
      await submit(projectId, [
        event("task.sent", "new", { retried_from: "a" }, { occurred_at: "2026-01-02T03:04:01Z" }),
      ]);
      await submit(projectId, [
        event("task.sent", "new", { retried_from: "0" }, { occurred_at: "2026-01-02T03:04:03Z" }),
      ]);
      const links = await read().selectFrom("task_links").selectAll().where("project_id", "=", projectId).execute();
      expect(links).toEqual([
        {
          project_id: projectId,
          engine: "bullmq",
          new_id: "new",
          old_id: "a",
          linked_at: new Date("2026-01-02T03:04:01Z"),
        },
      ]);
    });

    test("shares commits between many submitters and answers each with its own counts", async () => {
      const projectId = await newProject();
      await withIngest(async ({ ingest }) => {
        const outcomes = await Promise.all(
          Array.from({ length: 60 }, (_, index) =>
            ingest.submit({
              projectId,
              agentId: `aaaaaaaa-bbbb-4ccc-8ddd-${String(index % 7).padStart(12, "0")}`,
              frameTs,
              events: Array.from({ length: (index % 5) + 1 }, () => event("task.sent", `task-${index}`)),
            }),
          ),
        );
        expect(outcomes.map(({ inserted }) => inserted)).toEqual(outcomes.map((_, index) => (index % 5) + 1));
        expect(ingest.queuedRows()).toBe(0);
      });
    });

    test("sends the dashboard changed tasks and, for too many, a request to fetch again", async () => {
      const projectId = await newProject();
      const changes: { topic: string; ids: readonly string[] | null }[] = [];
      const alone = openIngestAlone({
        database: opened.database,
        clock,
        publish: (change) => change.topic === "task.changed" && changes.push(change),
      });
      const { ingest } = alone;
      await ingest.submit({ projectId, agentId, frameTs, events: [event("task.sent", "t")] });
      expect(changes).toEqual([{ projectId, topic: "task.changed", ids: [(await storedTask(projectId, "t")).id] }]);
      changes.length = 0;
      const many = Array.from({ length: 300 }, (_, index) => event("task.sent", `many-${index}`));
      await ingest.submit({ projectId, agentId, frameTs, events: many });
      expect(changes).toEqual([{ projectId, topic: "task.changed", ids: null }]);
      await alone.stop();
    });

    test("adds columns of time and search for the reads", async () => {
      const projectId = await newProject();
      await submit(projectId, [event("task.sent", "Task-ÄÖ-77", { task_name: "Send Mail", queue: "Mails" })]);
      await withIngest((alone) => alone.indexTaskIds());
      if (dialect === "postgres") {
        const { rows } = await sql<{
          search_text: string;
        }>`SELECT search_text FROM task_search WHERE project_id = ${projectId}`.execute(read());
        expect(rows).toEqual([{ search_text: "send mail\nmails\n\ntask-äö-77" }]);
      } else {
        const terms = await read()
          .selectFrom("task_terms")
          .select(["field", "folded"])
          .where("project_id", "=", projectId)
          .execute();
        expect(terms.map(({ field, folded }) => [field, folded]).sort()).toEqual([
          ["name", "send mail"],
          ["queue", "mails"],
        ]);
        const { rows } = await sql<{ task_id: string }>`
          SELECT task_id FROM tasks WHERE serial IN (SELECT rowid FROM task_id_search WHERE task_id_search MATCH '"äö-" AND "-77"')
        `.execute(read());
        expect(rows).toEqual([{ task_id: "Task-ÄÖ-77" }]);
      }
    });
  });
}
