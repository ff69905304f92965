import { openIngestAlone } from "@svc/brain/ingest";
import { carriedFields, type TaskKind, taskKinds } from "@svc/protocol";
import { createFakeClock } from "@svc/testkit";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fingerprintOf } from "../../issues/index.ts";
import { taskEventOf } from "./event-row.ts";
import { type FoldedTask, foldEvents } from "./fold.ts";

/**
 * The required property of the projection: for every order, repetition and grouping of a history, also through two instances on one database
 * at the same time, the stored rows are those of the pure fold. Retry links are a join as well.
 */
interface HistoryEvent {
  readonly id: string;
  readonly kind: TaskKind;
  readonly task_id: string;
  readonly occurred_at: string;
  readonly data: Record<string, unknown>;
}

const startMs = Date.parse("2026-01-02T03:04:05.000Z");
const agentId = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee";

const dataArbitrary = fc.record(
  {
    task_name: fc.constantFrom("a", "b", "", 7),
    queue: fc.constantFrom("q1", "q2", null),
    worker: fc.constantFrom("w1", "w2"),
    attempt: fc.constantFrom(0, 1, 2, 10, 1_000_000, -1),
    priority: fc.constantFrom("high", "low", "urgent"),
    args: fc.constantFrom([1], ["é", 0.5], {}),
    kwargs: fc.constantFrom({ a: 1 }, {}, []),
    eta: fc.constantFrom("2026-01-03T00:00:00.1234Z", "never"),
    parent_task_id: fc.constantFrom("p1", "t0"),
    root_task_id: fc.constantFrom("r1", "r2"),
    tags: fc.constantFrom(["x"], ["y", "z"], [1]),
    release: fc.constantFrom("1.0", "2.0"),
    traceparent: fc.constantFrom(...["1", "2"].map((digit) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`), "00-0"),
    retried_from: fc.constantFrom("t0", "t1", "other", ""),
    max_attempts: fc.constantFrom(1, 5),
    result: fc.constantFrom(1, { deep: [null, true] }, "text", null),
    exception: fc.constantFrom("X: 1", "Y: 2"),
    // Frames only: ingest would read class and message of the exception from a line that names it.
    traceback: fc.constantFrom("at f (x.js:1:1)", "at g (y.js:1:1)"),
    runtime_ms: fc.constantFrom(0, 12.6, 900),
    wait_ms: fc.constantFrom(1, 2),
    retry_count: fc.constantFrom(1, 7),
  },
  { requiredKeys: [] },
);

/** A set of events: one content per (occurred_at, id), one task per id. */
const historyArbitrary = fc
  .uniqueArray(
    fc.record({
      number: fc.integer({ min: 1, max: 40 }),
      kind: fc.constantFrom(...taskKinds),
      atMs: fc.integer({ min: 0, max: 5 }),
      data: dataArbitrary,
    }),
    { selector: ({ number, atMs }) => `${number}/${atMs}`, minLength: 1, maxLength: 30 },
  )
  .map((drawn) =>
    drawn.map(
      ({ number, kind, atMs, data }): HistoryEvent => ({
        id: `00000000-0000-7000-8000-${String(number).padStart(12, "0")}`,
        kind,
        task_id: `t${number % 3}`,
        occurred_at: new Date(startMs - 1000 + atMs).toISOString(),
        data,
      }),
    ),
  );

const deliveryArbitrary = historyArbitrary.chain((history) =>
  fc.record({
    history: fc.constant(history),
    order: fc.shuffledSubarray([...history, ...history, ...history], { minLength: 2 * history.length }),
    sizes: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 90, maxLength: 90 }),
  }),
);

function expectedRow(projectId: string, events: readonly HistoryEvent[]): FoldedTask {
  const row = foldEvents(
    null,
    events.map(({ id, kind, task_id: taskId, occurred_at, data }) =>
      taskEventOf(
        { id, projectId, agentId, engine: "e", taskId, kind, at: Date.parse(occurred_at) },
        carriedFields(kind, data, taskId),
        data,
        fingerprintOf,
      ),
    ),
  );
  if (row === null) throw new Error("a task without events");
  return row;
}

/** The origin of each task, named by the smallest (occurred_at, old id). */
function expectedLinks(history: readonly HistoryEvent[]): unknown[] {
  const links = new Map<string, string>();
  for (const { kind, task_id: newId, occurred_at, data } of history) {
    const oldId = carriedFields(kind, data, newId).retried_from;
    if (oldId === undefined) continue;
    const link = `${occurred_at} ${oldId}`;
    if (link < (links.get(newId) ?? "~")) links.set(newId, link);
  }
  return [...links].sort().map(([newId, link]) => [newId, ...link.split(" ")]);
}

const jsonColumns = ["args", "kwargs", "tags", "result"] as const;

/** A row in the form that both databases and the fold share: instants as milliseconds, JSON as values. */
function comparable(row: Record<string, unknown>): Record<string, unknown> {
  const { serial, row_version, created_at, updated_at, ...shown } = row;
  for (const [name, value] of Object.entries(shown)) if (value instanceof Date) shown[name] = value.getTime();
  for (const name of jsonColumns) shown[name] = shown[name] === null ? null : JSON.parse(shown[name] as string);
  return shown;
}

let projects = 0;

for (const dialect of testDialects) {
  describe(`the projection stored on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const clock = createFakeClock(new Date(startMs));

    async function deliver(
      projectId: string,
      batches: readonly (readonly HistoryEvent[])[],
      instances: readonly ReturnType<typeof openIngestAlone>[],
    ): Promise<number> {
      const outcomes = await Promise.all(
        batches.map((batch, index) =>
          (instances[index % instances.length] as (typeof instances)[number]).ingest.submit({
            projectId,
            // One agent id on the rows, so that content is equal; lanes still differ between instances.
            agentId,
            frameTs: new Date(startMs).toISOString(),
            events: batch.map((event) => ({ ...event, engine: "e" })),
          }),
        ),
      );
      return outcomes.reduce((sum, { inserted }) => sum + inserted, 0);
    }

    async function check(
      instances: readonly ReturnType<typeof openIngestAlone>[],
      isConcurrent: boolean,
      runs: number,
    ) {
      await fc.assert(
        fc.asyncProperty(deliveryArbitrary, async ({ history, order, sizes }) => {
          projects += 1;
          const projectId = await addProject(
            opened.database,
            `11111111-2222-4333-8444-${String(projects).padStart(12, "0")}`,
          );
          const rest = [...order, ...history];
          const batches: HistoryEvent[][] = [];
          for (const size of sizes) if (rest.length > 0) batches.push(rest.splice(0, size));
          if (rest.length > 0) batches.push(rest);
          let inserted = 0;
          if (isConcurrent) inserted = await deliver(projectId, batches, instances);
          else for (const batch of batches) inserted += await deliver(projectId, [batch], instances);
          expect(inserted).toBe(history.length);
          const rows = await opened.database.read
            .selectFrom("tasks")
            .selectAll()
            .where("project_id", "=", projectId)
            .orderBy("task_id")
            .execute();
          const byTask = [...Map.groupBy(history, ({ task_id }) => task_id)].sort(([a], [b]) => (a < b ? -1 : 1));
          expect(rows.map((row) => comparable({ ...row }))).toEqual(
            byTask.map(([, events]) => comparable({ ...expectedRow(projectId, events) })),
          );
          const links = await opened.database.read
            .selectFrom("task_links")
            .select(["new_id", "linked_at", "old_id"])
            .where("project_id", "=", projectId)
            .orderBy("new_id")
            .execute();
          expect(links.map((link) => [link.new_id, link.linked_at.toISOString(), link.old_id])).toEqual(
            expectedLinks(history),
          );
        }),
        { numRuns: runs },
      );
    }

    test("is that of the pure fold for every order, repetition and grouping", async () => {
      const alone = openIngestAlone({ database: opened.database, clock });
      await check([alone], false, 40);
      await check([alone], true, 40);
      await alone.stop();
    });

    test("is the same through two instances at once", async () => {
      // On SQLite two instances share the one writer; on PostgreSQL they are two processes' pools.
      const second = dialect === "postgres" ? await opened.openAgain() : opened.database;
      try {
        const instances = [
          openIngestAlone({ database: opened.database, clock }),
          openIngestAlone({ database: second, clock }),
        ];
        await check(instances, true, 80);
        for (const instance of instances) await instance.stop();
      } finally {
        if (second !== opened.database) await second.close();
      }
    });
  });
}
