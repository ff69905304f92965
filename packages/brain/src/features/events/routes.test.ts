import { randomUUID } from "node:crypto";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { routeDialects } from "@svc/testkit/databases";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EventRow } from "../../schema/tables/index.ts";
import { type EventFilter, listEvents } from "./list.ts";
import type { EventPosition } from "./reads.ts";

const agentId = "31111111-2222-4333-8444-555555555555";
const otherProjectId = "21111111-2222-4333-8444-555555555555";
// Today, whose partition exists.
const dayMs = Math.floor(Date.now() / 86_400_000) * 86_400_000;
const at = (second: number) => new Date(dayMs + second * 1000);

for (const dialect of routeDialects) {
  describe(`GET /projects/{slug}/events on ${dialect}`, () => {
    let brain: TestBrain;
    let stored: EventRow[] = [];
    const list = (query = "") => brain.as.viewer.get(`/projects/shop/events${query}`);

    beforeAll(async () => {
      brain = await startTestBrain({ dialect });
      // Creates the partition of the day.
      await brain.runLoop("events.retention");
      const kinds = ["task.sent", "task.started", "task.failed"];
      const rows = Array.from(
        { length: 60 },
        (_, index): EventRow => ({
          id: randomUUID(),
          project_id: brain.project.id,
          agent_id: agentId,
          engine: index % 7 === 0 ? "celery" : "bullmq",
          task_id: index % 10 === 9 ? "" : `t-${index % 5}`,
          kind: index % 10 === 9 ? "worker.heartbeat" : (kinds[index % 3] as string),
          occurred_at: at(Math.floor(index / 3)),
          payload: index === 0 ? '{"n": 12345678901234567890}' : "{}",
        }),
      );
      const foreign = rows.map((row) => ({ ...row, id: randomUUID(), project_id: otherProjectId }));
      await brain.running.brain.database.write(async (tx) => {
        await tx.insertInto("events").values(rows).execute();
        await tx.insertInto("events").values(foreign).execute();
      });
      stored = rows.sort((a, b) => b.occurred_at.getTime() - a.occurred_at.getTime() || (a.id < b.id ? 1 : -1));
    });
    afterAll(() => brain.stop());

    test("shows events newest first, with payloads whose numbers keep their digits", async () => {
      const { status, body, text } = await list("?limit=500");
      expect(status).toBe(200);
      expect(body.items.map(({ id }: EventRow) => id)).toEqual(stored.map(({ id }) => id));
      expect(body.next_cursor).toBeNull();
      expect(text).toContain('"payload":{"n":12345678901234567890}');
      expect(Object.keys(body.items[0]).sort()).toEqual(
        ["agent_id", "engine", "id", "kind", "occurred_at", "payload", "project_id", "task_id"].sort(),
      );
    });

    const filters: EventFilter[] = [
      {},
      { engine: "celery" },
      { engine: "none" },
      { taskId: "t-1" },
      { engine: "bullmq", taskId: "t-0" },
      { taskId: "t-2", kind: "task.started" },
      { kind: "task.failed" },
      { kind: "schedule.created" },
      { kind: "task.sent", engine: "celery" },
      { since: at(4), until: at(9) },
      { since: at(4), kind: "task.sent" },
      { until: at(9), taskId: "t-3", engine: "bullmq" },
      { since: at(3), until: at(15), engine: "celery" },
    ];
    const matches = (row: EventRow, { engine, taskId, kind, since, until }: EventFilter) =>
      (engine === undefined || row.engine === engine) &&
      (taskId === undefined || row.task_id === taskId) &&
      (kind === undefined || row.kind === kind) &&
      (since === undefined || row.occurred_at >= since) &&
      (until === undefined || row.occurred_at <= until);

    test.each(filters)("returns every event of %j exactly once over all pages", async (filter) => {
      const expected = stored.filter((row) => matches(row, filter)).map(({ id }) => id);
      // An empty payload is two bytes long.
      for (const sizes of [
        {},
        { stepRows: 5 },
        { stepRows: 4, budgetMs: 0 },
        { maxBytes: 5 },
        { maxBytes: 5, stepRows: 3 },
      ]) {
        const ids: string[] = [];
        let after: EventPosition | null = null;
        do {
          const page = await listEvents(brain.running.brain.database, brain.project.id, filter, {
            after,
            limit: 7,
            ...sizes,
          });
          ids.push(...page.rows.map(({ id }) => id));
          if ("maxBytes" in sizes) expect(page.rows.length).toBeLessThanOrEqual(2);
          after = page.next;
        } while (after !== null);
        expect(ids).toEqual(expected);
      }
    });

    test("takes all filters and the cursor from the query", async () => {
      const since = encodeURIComponent(at(2).toISOString());
      const query = `?engine=bullmq&task_id=t-1&kind=task.sent&since=${since}&until=${since}&limit=1`;
      const { body } = await list(query);
      expect(body.items.map(({ id }: EventRow) => id)).toEqual(
        stored
          .filter((row) =>
            matches(row, { engine: "bullmq", taskId: "t-1", kind: "task.sent", since: at(2), until: at(2) }),
          )
          .map(({ id }) => id),
      );
      const first = (await list("?limit=40")).body;
      const second = (await list(`?limit=40&cursor=${first.next_cursor}`)).body;
      expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(stored.map(({ id }) => id));
      expect(second.next_cursor).toBeNull();
    });

    test("starts from the beginning with a malformed cursor", async () => {
      expect((await list("?limit=1&cursor=zzz")).body.items[0].id).toBe(stored[0]?.id);
    });

    test.each(["kind=task.done", "since=soon", `engine=${"x".repeat(41)}`, `task_id=${"x".repeat(201)}`, "limit=many"])(
      "answers 422 to %s",
      async (query) => {
        const { status, body } = await list(`?${query}`);
        expect([status, body.error]).toEqual([422, "validation_error"]);
      },
    );

    test("is hidden from strangers", async () => {
      expect((await brain.as.stranger.get("/projects/shop/events")).status).toBe(404);
      expect((await brain.as.anonymous.get("/projects/shop/events")).status).toBe(401);
    });
  });
}
