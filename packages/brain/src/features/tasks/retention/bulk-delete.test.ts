import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type GivenTask, insertTasks } from "../../../../test/rows/task-rows.ts";
import { maxFilteredDeletes } from "./bulk-delete.ts";

const otherProjectId = "21111111-2222-4333-8444-555555555555";
const received = new Date(Math.floor(Date.now() / 1000) * 1000 - 3_600_000);

for (const dialect of testDialects) {
  describe(`bulk delete on ${dialect}`, () => {
    let brain: TestBrain;
    // Each client address has ten of these requests a minute.
    let address = 0;
    const remove = (body: unknown, who: "admin" | "operator" = "admin") => {
      address += 1;
      return brain.as[who].post("/projects/shop/tasks/bulk-delete", body, { "x-forwarded-for": `10.0.0.${address}` });
    };
    const left = async () => {
      const rows = await brain.running.brain.database.read
        .selectFrom("tasks")
        .select(["task_id"])
        .orderBy("task_id")
        .execute();
      return rows.map(({ task_id }) => task_id);
    };
    let ids: string[] = [];

    beforeAll(async () => {
      brain = await startTestBrain({ dialect, env: { SVC_TRUSTED_PROXIES: "127.0.0.1" } });
    });
    afterAll(() => brain.stop());
    beforeEach(async () => {
      const { database } = brain.running.brain;
      await database.write(async (tx) => {
        for (const table of ["tasks", "task_links", "task_terms", "counter_deltas"] as const)
          await tx.deleteFrom(table).execute();
        if (dialect === "postgres") await tx.deleteFrom("task_search").execute();
      });
      const own = (task_id: string, more: Partial<GivenTask> = {}): GivenTask => ({
        task_id,
        project_id: brain.project.id,
        received_at: received,
        ...more,
      });
      const rows = await insertTasks(database, [
        own("a", { state: "failure", name: "app.mail" }),
        own("b", { state: "failure", queue: "mails", priority: "high" }),
        own("c", { state: "success", worker_name: "w1", name: "100%" }),
        { task_id: "other", project_id: otherProjectId, state: "failure", name: "app.mail", received_at: received },
      ]);
      ids = rows.map(({ id }) => id);
      await database.write((tx) =>
        tx
          .insertInto("task_links")
          .values([
            { project_id: brain.project.id, engine: "bullmq", old_id: "a", new_id: "b", linked_at: received },
            { project_id: otherProjectId, engine: "bullmq", old_id: "a", new_id: "b", linked_at: received },
          ])
          .execute(),
      );
    });

    test("deletes the given ids of this project, in upper or lower case, and ignores all others", async () => {
      const unknown = "00000000-0000-4000-8000-000000000001";
      const { status, body } = await remove({ task_ids: [ids[0]?.toUpperCase(), ids[0], ids[3], unknown] });
      expect([status, body]).toEqual([200, { deleted_count: 1 }]);
      expect(await left()).toEqual(["b", "c", "other"]);
    });

    test("ignores unknown keys", async () => {
      expect((await remove({ task_ids: [ids[0]], filter_foo: "x" })).body).toEqual({ deleted_count: 1 });
      expect(await left()).toEqual(["b", "c", "other"]);
    });

    test.each([
      [{ filter_state: "failure" }, ["c", "other"]],
      [{ filter_priority: ["high", "low"] }, ["a", "c", "other"]],
      [{ filter_search: "MAIL" }, ["c", "other"]],
      [{ filter_search: "%" }, ["a", "b", "other"]],
      [{ filter_name: "mail", filter_state: "failure" }, ["b", "c", "other"]],
      [{ filter_queue: "mails" }, ["a", "c", "other"]],
      [{ filter_worker: "w1", filter_search: null }, ["a", "b", "other"]],
      [{ filter_since: received.toISOString(), filter_until: received.toISOString() }, ["other"]],
      [{ filter_until: "2001-01-01T00:00:00Z" }, ["a", "b", "c", "other"]],
    ])("deletes what %j matches, and nothing else", async (filter, expected) => {
      const { status, body } = await remove(filter);
      expect([status, body.deleted_count]).toEqual([200, 4 - expected.length]);
      expect(await left()).toEqual(expected);
    });

    test("deletes at most the limit of one call by filter, first in the order of their ids", async () => {
      const { database } = brain.running.brain;
      const many = Array.from({ length: maxFilteredDeletes + 2 }, (_, index): GivenTask => {
        return { task_id: `many-${index}`, project_id: brain.project.id, queue: "many", received_at: received };
      });
      const rows = await insertTasks(database, many, { isIndexed: false });
      expect((await remove({ filter_queue: "many" })).body).toEqual({ deleted_count: 10_000 });
      const kept = await database.read.selectFrom("tasks").select("id").where("queue", "=", "many").execute();
      const inOrder = rows.map(({ id }) => id).sort();
      expect(kept.map(({ id }) => id).sort()).toEqual(inOrder.slice(10_000));
      expect((await remove({ filter_queue: "many" })).body).toEqual({ deleted_count: 2 });
    });

    test("deletes links, search rows and counts too, and leaves an audit row", async () => {
      const { database } = brain.running.brain;
      await brain.runLoop("stats.fold-counters");
      const of = database.read.selectFrom("task_counts").select("count").where("project_id", "=", brain.project.id);
      const before = (await of.where("state", "=", "failure").executeTakeFirst())?.count ?? 0;
      await remove({ filter_state: "failure" });
      const links = await database.read.selectFrom("task_links").select("project_id").execute();
      expect(links).toEqual([{ project_id: otherProjectId }]);
      await brain.runLoop("stats.fold-counters");
      const counts = await database.read.selectFrom("task_counts").select(["project_id", "state", "count"]).execute();
      expect(counts).toContainEqual({ project_id: brain.project.id, state: "failure", count: before - 2 });
      expect((await brain.as.viewer.get("/projects/shop/tasks?search=mail")).body.items).toEqual([]);
      if (dialect === "postgres") {
        const search = await database.read.selectFrom("task_search").select("id").execute();
        expect(search.map(({ id }) => id).sort()).toEqual([ids[2], ids[3]].sort());
      }
      const [row] = await database.read
        .selectFrom("audit_log")
        .select(["project_id", "target_id", "metadata"])
        .where("action", "=", "tasks.bulk_delete")
        .orderBy("occurred_us", "desc")
        .execute();
      expect({ ...row, metadata: JSON.parse(row?.metadata ?? "") }).toEqual({
        project_id: brain.project.id,
        target_id: brain.project.id,
        metadata: { mode: "filter", deleted_count: 2 },
      });
    });

    test.each([
      {},
      { task_ids: null, filter_state: null },
      { filter_states: "failure" },
      { filter_foo: 1, state: "failure" },
      { task_ids: [] },
      { task_ids: ["not-a-uuid"] },
      { task_ids: Array.from({ length: 1001 }, () => otherProjectId) },
      { task_ids: [otherProjectId], filter_state: "failure" },
      { filter_state: "done" },
      { filter_state: "" },
      { filter_priority: [] },
      { filter_priority: ["urgent"] },
      { filter_priority: ["high", "high"] },
      { filter_search: "  " },
      { filter_name: "" },
      { filter_queue: "\t" },
      { filter_worker: " " },
      { filter_since: "soon" },
      { filter_name: "a\0b" },
    ])("answers 422 to %j and deletes nothing", async (body) => {
      const answer = await remove(body);
      expect([answer.status, answer.body.error]).toEqual([422, "validation_error"]);
      expect(await left()).toEqual(["a", "b", "c", "other"]);
    });

    test("is for admins with their CSRF token", async () => {
      expect((await remove({ filter_state: "failure" }, "operator")).status).toBe(403);
      const bare = await fetch(`${brain.url}/api/v1/projects/shop/tasks/bulk-delete`, {
        method: "POST",
        headers: { cookie: brain.as.admin.cookie, "content-type": "application/json" },
        body: '{"filter_state":"failure"}',
      });
      expect([bare.status, ((await bare.json()) as { error: string }).error]).toEqual([403, "csrf_failed"]);
      expect(await left()).toHaveLength(4);
    });

    test("shares the budget of the bulk routes", async () => {
      const again = () =>
        brain.as.admin.post(
          "/projects/shop/tasks/bulk-delete",
          { filter_name: "none" },
          { "x-forwarded-for": "10.9.9.9" },
        );
      for (let request = 0; request < 10; request += 1) expect((await again()).status).toBe(200);
      expect((await again()).status).toBe(429);
    });
  });
}
