import { randomUUID } from "node:crypto";
import type { TestRole } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commandsOfTask } from "../../src/features/commands/reads.ts";
import { deleteCommandsEndedBefore } from "../../src/features/commands/store.ts";
import { type CommandFixture, startCommands } from "../fixtures/command-fixture.ts";
import { plansOf } from "../query-plans.ts";

for (const dialect of testDialects) {
  describe(`the commands of a task on ${dialect}`, () => {
    let fixture: CommandFixture;
    beforeAll(async () => {
      fixture = await startCommands(dialect);
      for (const id of ["one", "two", "three"]) await fixture.reportFailed(id);
    });
    afterAll(() => fixture.brain.stop());

    const pathOf = (taskId: string) => `/projects/${fixture.brain.project.slug}/tasks/bullmq/${taskId}/commands`;
    const commandsOf = async (taskId: string, query = "", role: TestRole = "operator") =>
      (await fixture.brain.as[role].get(`${pathOf(taskId)}${query}`)).body as {
        items: Record<string, unknown>[];
        next_cursor: string | null;
      };
    const retry = async (taskId: string) => {
      const answer = await fixture.send("retry-task", { engine: "bullmq", task_id: taskId });
      expect(answer.body).toHaveProperty("id");
      return answer;
    };
    const retryBoth = (taskIds: string[]) =>
      fixture.send(
        "bulk-retry",
        { agent_id: fixture.agentId, filter: { engine: "bullmq", task_ids: taskIds }, max: taskIds.length },
        "admin",
      );

    test("include commands about it alone and about several tasks, newest first, with their requesters", async () => {
      const alone = (await retry("one")).body;
      const several = (await retryBoth(["one", "two"])).body;
      const { items, next_cursor } = await commandsOf("one");
      expect(next_cursor).toBeNull();
      expect(items).toEqual([
        {
          id: several.id,
          agent_id: fixture.agentId,
          action: "bulk_retry",
          is_repeatable: false,
          status: expect.stringMatching(/^(pending|dispatched)$/),
          error: null,
          issued_at: several.issued_at,
          dispatched_at: expect.toSatisfy((at) => at === null || typeof at === "string"),
          completed_at: null,
          issued_by: several.issued_by,
          issuer_email: "admin@example.org",
          issuer_display_name: null,
          api_key_name: null,
          bulk_retry_id: null,
        },
        expect.objectContaining({ id: alone.id, action: "retry_task", issuer_email: "operator@example.org" }),
      ]);
      expect((await commandsOf("two")).items.map(({ id }) => id)).toEqual([several.id]);
      expect((await commandsOf("nowhere")).items).toEqual([]);
      const foreign = `/projects/${fixture.brain.project.slug}/tasks/celery/one/commands`;
      expect((await fixture.brain.as.operator.get(foreign)).body.items).toEqual([]);
    });

    test("name the API key of the request", async () => {
      const { operator } = fixture.brain.as;
      const key = (await operator.post("/api-keys", { name: "deploy bot", scopes: ["commands:write"] })).body;
      const made = await fetch(`${fixture.brain.url}/api/v1${fixture.path("retry-task")}`, {
        method: "POST",
        headers: { authorization: `Bearer ${key.token}`, "content-type": "application/json" },
        body: JSON.stringify({ engine: "bullmq", task_id: "three" }),
      });
      expect(made.status).toBe(202);
      expect((await commandsOf("three")).items).toMatchObject([
        { issuer_email: "operator@example.org", api_key_name: "deploy bot" },
      ]);
    });

    test("name the bulk retry that sent them", async () => {
      await fixture.reportFailed("four");
      const path = `/projects/${fixture.brain.project.slug}/bulk-retry-requests`;
      const filter = { engine: "bullmq", state: "failure", task_ids: ["four"] };
      const body = { filter, max: 1, idempotency_key: randomUUID() };
      const made = await fixture.brain.as.operator.post(path, body);
      expect(made.status).toBe(202);
      await fixture.brain.runLoop("bulk_retry");
      await expect
        .poll(async () => (await commandsOf("four")).items)
        .toMatchObject([{ action: "bulk_retry", issuer_email: "operator@example.org", bulk_retry_id: made.body.id }]);
    });

    test.each(["viewer", "auditor"] as const)("hide their requesters from a %s", async (role) => {
      const { items } = await commandsOf("three", "", role);
      expect(items).toMatchObject([
        { action: "retry_task", issued_by: null, issuer_email: null, issuer_display_name: null, api_key_name: null },
      ]);
      expect((await commandsOf("four", "", role)).items).toMatchObject([{ bulk_retry_id: null }]);
    });

    test("are read page by page, from the beginning with an invalid cursor", async () => {
      await fixture.reportFailed("paged");
      const ids: string[] = [];
      for (let index = 0; index < 5; index += 1) ids.unshift((await retry("paged")).body.id);
      const read: unknown[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const page = await commandsOf("paged", `?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`);
        read.push(...page.items.map(({ id }) => id));
        cursor = page.next_cursor;
      }
      expect(read).toEqual(ids);
      for (const cursor of ["nonsense", Buffer.from('["no id"]').toString("base64url")]) {
        expect((await commandsOf("paged", `?limit=1&cursor=${cursor}`)).items[0]?.id).toBe(ids[0]);
      }
    });

    test("are found through an index, and deleted with the command", async () => {
      const { database } = fixture.brain.running.brain;
      const task = { projectId: fixture.brain.project.id, engine: "bullmq", taskId: "one" };
      const plans = await plansOf(database, (db) => commandsOfTask(db, task, { before: null, limit: 20 }));
      expect(plans).toMatch(/command_tasks_pkey|SEARCH t USING COVERING INDEX sqlite_autoindex_command_tasks_1/);
      const ended = { status: "completed", completed_at: new Date(0), issued_at: new Date(0) };
      await database.write((tx) => tx.updateTable("commands").set(ended).where("target_id", "=", "one").execute());
      expect(await deleteCommandsEndedBefore(database, new Date(1), 10)).toBe(1);
      expect((await commandsOf("one")).items.map(({ action }) => action)).toEqual(["bulk_retry"]);
      const links = database.read.selectFrom("command_tasks").select("command_id").where("task_id", "=", "one");
      expect(await links.execute()).toHaveLength(1);
    });
  });
}
