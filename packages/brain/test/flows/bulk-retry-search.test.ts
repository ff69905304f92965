import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, waitFor } from "@svc/testkit";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { type BrainProcess, startBrainProcess } from "@svc/testkit/brain-process";
import { migratedDatabaseUrl, openDatabaseAt, testDialects } from "@svc/testkit/databases";
import type { RawAgent } from "@svc/testkit/raw-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answering, childrenGiven, connectEligible, failTasks, operatorOf } from "../fixtures/bulk-retry-fixture.ts";
import { bulkRetryRow } from "../rows/bulk-retry-rows.ts";

const ofCustomer = (customer: number) => JSON.stringify([{ customer }]);

for (const dialect of testDialects) {
  describe(`a bulk retry with a query on ${dialect}`, () => {
    let brain: TestBrain;
    let agent: RawAgent;
    beforeAll(async () => {
      brain = await startTestBrain({ dialect, env: { SVC_TRUSTED_PROXIES: "127.0.0.1" } });
      ({ agent } = await connectEligible(brain));
    });
    afterAll(() => brain.stop());
    const { path, create, failing, whenStatus } = operatorOf(() => brain);

    test("seals the matches after the response and retries each once", async () => {
      const { queue, ids } = await failing(30, { args: ofCustomer(42) });
      await failTasks(
        brain.running.brain.database,
        { project_id: brain.project.id, queue, args: ofCustomer(43) },
        30,
        queue.replace("queue", "other"),
      );
      const body = { idempotency_key: randomUUID(), filter: { queue, q: "args.customer:42" } };
      const made = await create(body);
      expect(made.status).toBe(202);
      expect(made.body).toMatchObject({
        plan_digest: null,
        sealed_at: null,
        status: "sealing",
        sealing: { found: 0, reached: null },
      });
      const answers = answering(agent);
      const done = await whenStatus(made.body.id, "succeeded");
      answers.stop();
      expect(done).toMatchObject({ counts: { total: 30, succeeded: 30 }, sealing: null, control_state: "running" });
      expect(done.sealed_at).not.toBeNull();
      const given = childrenGiven(agent)
        .map(({ taskId }) => taskId)
        .filter((id) => ids.includes(id));
      expect(given.toSorted()).toEqual(ids);
      const parameters = agent.frames.find(({ payload }) => payload?.action === "bulk_retry")?.payload?.parameters;
      // Agents know ids, not queries.
      expect((parameters as { filter: object }).filter).not.toHaveProperty("q");
      const plan = await brain.as.operator.get(path(made.body.id, "plan"));
      expect(plan.body.filter).toEqual({ state: "failure", queue, q: "args.customer:42" });
      const again = await create(body);
      expect([again.status, again.body.id]).toEqual([200, made.body.id]);
      const changed = await create({ ...body, filter: { queue, q: "args.customer:43" } });
      expect(changed.body.details.reason).toBe("idempotency_key_in_use");
    });

    test("is refused with the reason when more than max tasks match", async () => {
      const { queue } = await failing(6, { args: ofCustomer(42) });
      const made = await create({ filter: { queue, q: "args.customer:42" }, max: 5 });
      const refused = await whenStatus(made.body.id, "refused");
      expect(refused).toMatchObject({
        blocked_reason: "more than 5 tasks match",
        counts: { total: 0 },
        control_state: "refused",
      });
      for (const action of ["pause", "resume", "cancel"]) {
        const answer = await brain.as.operator.post(path(made.body.id, action));
        expect([answer.status, answer.body.details.reason]).toEqual([409, "finished"]);
      }
    });

    test("can be cancelled during its search, and then neither paused nor resumed", async () => {
      // Its last step lies in the future, so that no process continues the search.
      const last_progress_at = new Date(Date.now() + 3_600_000);
      const none = { child_count: 0, pending_count: 0, ranges: "[]", plan_digest: null, sealed_at: null };
      const row = bulkRetryRow({
        project_id: brain.project.id,
        control_state: "sealing",
        ...none,
        found_count: 3,
        last_progress_at,
      });
      await brain.running.brain.database.write(async (tx) => {
        await tx.insertInto("bulk_retry_requests").values(row).execute();
        await tx.insertInto("bulk_retry_matches").values({ request_id: row.id, task_row_id: randomUUID() }).execute();
      });
      const seen = await brain.as.operator.get(path(row.id));
      expect(seen.body).toMatchObject({ status: "sealing", sealing: { found: 3 }, counts: { total: 0 } });
      const paused = await brain.as.operator.post(path(row.id, "pause"));
      expect([paused.status, paused.body.details.reason]).toEqual([409, "sealing"]);
      for (const _ of [1, 2]) {
        const cancelled = await brain.as.operator.post(path(row.id, "cancel"));
        expect([cancelled.status, cancelled.body.status, cancelled.body.sealing]).toEqual([200, "cancelled", null]);
      }
      const { database } = brain.running.brain;
      const matches = database.read.selectFrom("bulk_retry_matches").selectAll().where("request_id", "=", row.id);
      expect(await matches.execute()).toEqual([]);
      const audited = database.read.selectFrom("audit_log").select("action").where("target_id", "=", row.id);
      expect(await audited.execute()).toEqual([{ action: "bulk_retry_request.cancelled" }]);
    });

    test("can be paused but not cancelled once it is sealed", async () => {
      const { queue } = await failing(1);
      const { body } = await create({ filter: { queue } });
      const answer = await brain.as.operator.post(path(body.id, "cancel"));
      expect([answer.status, answer.body.details.reason]).toEqual([409, "sealed"]);
    });

    test("needs a valid query, without ids", async () => {
      const faulty = await create({ filter: { q: "customer:42" } });
      expect(faulty.status).toBe(422);
      expect(faulty.body.details.errors[0]).toMatchObject({
        loc: ["body", "filter", "q"],
        type: "unknown_field",
        at: 0,
        to: 8,
      });
      const both = await create({ filter: { q: "mail", engine: "bullmq", task_ids: ["a"] } });
      expect([both.status, both.body.details.errors[0].type]).toEqual([400, "not_with_task_ids"]);
    });
  });

  test(`a search continues where a killed process left it, on ${dialect}`, async () => {
    const home = await mkdtemp(join(tmpdir(), "svc-bulk-search-"));
    const { url: databaseUrl, drop } = await migratedDatabaseUrl(dialect);
    const matching = 4000;
    let running: BrainProcess | undefined;
    try {
      const prepared = await startTestBrain({ home, databaseUrl });
      const project_id = prepared.project.id;
      for (const customer of [42, 43]) {
        const given = { project_id, args: ofCustomer(customer) };
        await failTasks(prepared.running.brain.database, given, matching, `of-${customer}`);
      }
      const body = { idempotency_key: randomUUID(), filter: { q: "args.customer:42" }, max: matching };
      const made = await prepared.as.operator.post(`/projects/${prepared.project.slug}/bulk-retry-requests`, body);
      expect(made.body.status).toBe("sealing");
      await prepared.stop();
      const database = await openDatabaseAt(databaseUrl);
      const read = () => database.read.selectFrom("bulk_retry_requests").selectAll().executeTakeFirstOrThrow();
      const left = await read();
      expect(left.control_state).toBe("sealing");

      const port = await freePort();
      running = await startBrainProcess({ home, databaseUrl, port });
      const isFurther = async () => (await read()).found_count > left.found_count;
      await waitFor(isFurther, { everyMs: 1, that: "a further step of the search" });
      await running.kill();
      const killed = await read();
      expect(killed).toMatchObject({ control_state: "sealing", child_count: 0 });

      running = await startBrainProcess({ home, databaseUrl, port });
      const sealed = await waitFor(
        async () => {
          const row = await read();
          return row.control_state !== "sealing" && row;
        },
        { that: "the sealed request" },
      );
      expect(sealed).toMatchObject({ control_state: "running", child_count: matching, found_count: matching });
      const children = await database.read
        .selectFrom("bulk_retry_children")
        .select("task_id")
        .orderBy("ordinal")
        .execute();
      const expected = Array.from({ length: matching }, (_, index) => `of-42-${String(index).padStart(5, "0")}`);
      expect(children.map(({ task_id }) => task_id)).toEqual(expected);
      const audited = database.read.selectFrom("audit_log").select("action").where("target_id", "=", sealed.id);
      expect((await audited.execute()).map(({ action }) => action).toSorted()).toEqual([
        "bulk_retry_request.created",
        "bulk_retry_request.sealed",
      ]);
      await database.close();
    } finally {
      await running?.kill();
      await drop();
      await rm(home, { recursive: true, force: true });
    }
  });
}
