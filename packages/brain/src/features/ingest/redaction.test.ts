import { openIngestAlone } from "@svc/brain/ingest";
import { redactionMarker } from "@svc/protocol";
import { createFakeClock } from "@svc/testkit";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { redactionVerdicts } from "@svc/testkit/redaction-verdicts";
import { describe, expect, test } from "vitest";

const agentId = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee";
const frameTs = "2026-01-02T03:04:05.000Z";

for (const dialect of testDialects) {
  describe(`unredacted data from agents, on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    let projects = 0;

    /** Stores one failed task with this data and returns the payload of its event and its row. */
    async function stored(
      data: Record<string, unknown>,
      settings: NonNullable<Parameters<typeof openIngestAlone>[0]["settings"]> = {},
    ) {
      projects += 1;
      const projectId = await addProject(
        opened.database,
        `11111111-2222-4333-8444-${String(projects).padStart(12, "0")}`,
      );
      const alone = openIngestAlone({ database: opened.database, clock: createFakeClock(frameTs), settings });
      const event = {
        kind: "task.failed",
        engine: "bullmq",
        task_id: "t",
        occurred_at: "2026-01-02T03:04:00.000Z",
        data,
      };
      expect(await alone.ingest.submit({ projectId, agentId, frameTs, events: [event] })).toMatchObject({
        inserted: 1,
      });
      await alone.stop();
      const { read } = opened.database;
      const { payload } = await read
        .selectFrom("events")
        .select("payload")
        .where("project_id", "=", projectId)
        .executeTakeFirstOrThrow();
      const task = await read
        .selectFrom("tasks")
        .select(["name", "args", "kwargs", "exception", "fingerprint"])
        .where("project_id", "=", projectId)
        .executeTakeFirstOrThrow();
      return {
        payload: JSON.parse(payload),
        task: { ...task, args: JSON.parse(task.args), kwargs: JSON.parse(task.kwargs) },
      };
    }

    test("is redacted in the event, in the row and before the fingerprint is computed", async () => {
      const { payload, task } = await stored({
        task_name: "mail",
        args: ["bob@example.org", "plain"],
        kwargs: { password: "hunter2", nested: [{ api_key: 7 }] },
        exception: "redis://:pw@cache refused",
      });
      const shown = {
        args: [redactionMarker, "plain"],
        kwargs: { password: redactionMarker, nested: [{ api_key: redactionMarker }] },
        exception: redactionMarker,
      };
      expect(payload).toEqual({ task_name: "mail", ...shown });
      expect(task).toMatchObject({ name: "mail", ...shown });
      const other = await stored({ exception: "redis://:other@elsewhere timed out" });
      expect(other.task.fingerprint).toBe(task.fingerprint);
    });

    test("is judged by the same table that agents use", async () => {
      const { given, expected } = redactionVerdicts;
      const { payload, task } = await stored({ task_name: "table", kwargs: given });
      expect([payload, task]).toEqual([
        { task_name: "table", kwargs: expected },
        expect.objectContaining({ kwargs: expected }),
      ]);
    });

    test("keeps the names of the task, its queue and its worker", async () => {
      const names = { task_name: "mail bob@example.org", queue: "q-4111111111111111", worker: "celery@a.example.org" };
      const { payload, task } = await stored({
        ...names,
        parent_task_id: "p:bob@example.org",
        args: ["bob@example.org"],
      });
      expect(payload).toEqual({ ...names, parent_task_id: "p:bob@example.org", args: [redactionMarker] });
      expect(task.name).toBe(names.task_name);
    });

    test("is redacted by extra patterns of keys and of values too", async () => {
      const { payload, task } = await stored(
        { task_name: "pay", kwargs: { "Internal-Id": 1, note: "see ACME-1234" } },
        { SVC_REDACTION_EXTRA_KEY_PATTERNS: ["internal_?id"], SVC_REDACTION_EXTRA_VALUE_PATTERNS: ["acme-[0-9]{4}"] },
      );
      const kwargs = { "Internal-Id": redactionMarker, note: redactionMarker };
      expect([payload, task]).toMatchObject([{ kwargs }, { name: "pay", kwargs }]);
    });

    test("is cut after SVC_MAX_PAYLOAD_SIZE_BYTES of each string", async () => {
      const { payload, task } = await stored(
        { task_name: "cut", args: ["é".repeat(100), "short"] },
        { SVC_MAX_PAYLOAD_SIZE_BYTES: 129 },
      );
      const args = [`${"é".repeat(64)}[...72 more bytes truncated]`, "short"];
      expect([payload, task]).toMatchObject([{ args }, { args }]);
    });
  });
}
