import { randomUUID } from "node:crypto";
import { waitFor } from "@svc/testkit";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import type { RawAgent } from "@svc/testkit/raw-agent";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  answer,
  answering,
  childrenGiven,
  connectEligible,
  failTasks,
  whenRequest,
} from "../fixtures/bulk-retry-fixture.ts";

for (const dialect of testDialects) {
  describe(`bulk retries without any background loop on ${dialect}`, () => {
    let brain: TestBrain;
    let agent: RawAgent;
    let agentId: string;
    beforeAll(async () => {
      brain = await startTestBrain({ dialect, env: { SVC_TRUSTED_PROXIES: "127.0.0.1" } });
      // No periodic check covers a missed wake-up.
      await brain.running.brain.loops.stop();
      const { agent: connected, minted } = await connectEligible(brain);
      agent = connected;
      ({ agentId } = minted);
    });
    afterAll(() => brain.stop());

    const path = (id = "") => `/projects/${brain.project.slug}/bulk-retry-requests${id === "" ? "" : `/${id}`}`;
    let addresses = 0;
    async function retry(count: number, { engine = "bullmq", ...more }: Record<string, unknown> = {}) {
      const queue = `queue-${randomUUID()}`;
      const { database } = brain.running.brain;
      const ids = await failTasks(
        database,
        { project_id: brain.project.id, queue, engine: String(engine) },
        count,
        queue,
      );
      addresses += 1;
      const { body, status } = await brain.as.operator.post(
        path(),
        { idempotency_key: randomUUID(), filter: { queue }, ...more },
        { "x-forwarded-for": `10.2.0.${addresses}` },
      );
      expect(status).toBe(202);
      return { id: body.id as string, ids };
    }
    const whenSucceeded = (id: string) =>
      whenRequest(brain.as.operator, path(id), ({ status }) => status === "succeeded");
    const givenOf = (ids: readonly string[], of = agent) =>
      childrenGiven(of).filter(({ taskId }) => ids.includes(taskId));
    const run = (statement: string) =>
      brain.running.brain.database.write((tx) => sql.raw(statement).execute(tx), { alone: true });
    const logged = (event: string) => waitFor(() => brain.logLines.some((line) => line.includes(event)));

    test("run hundreds of children to completion, driven by results alone", async () => {
      const answers = answering(agent);
      const { id, ids } = await retry(400);
      const done = await whenSucceeded(id);
      answers.stop();
      expect(done.counts).toMatchObject({ total: 400, succeeded: 400 });
      expect(givenOf(ids)).toHaveLength(400);
    });

    test("are sent in the order of their plan", async () => {
      const answers = answering(agent);
      const { id, ids } = await retry(24);
      await whenSucceeded(id);
      answers.stop();
      expect(givenOf(ids).map(({ taskId }) => taskId)).toEqual(ids);
    });

    test("go to an agent that connects after their creation", async () => {
      const { id, ids } = await retry(20, { engine: "rq" });
      const { agent: late } = await connectEligible(brain, {
        engines: ["rq"],
        capabilities: { rq: ["bulk_retry", "retry_by_reference_v1"] },
      });
      answering(late);
      await whenSucceeded(id);
      expect(givenOf(ids, late)).toHaveLength(20);
      await late.close();
    });

    test("continue when a silent agent reports again", async () => {
      const { database, features } = brain.running.brain;
      await database.write((tx) =>
        tx
          .updateTable("agents")
          .set({ last_seen_at: new Date(1000) })
          .where("id", "=", agentId)
          .execute(),
      );
      expect(await features.agents.presence.sweepOffline()).toBe(1);
      const { id, ids } = await retry(20);
      expect(givenOf(ids)).toEqual([]);
      const answers = answering(agent);
      agent.sendFrame("heartbeat", { buffer_size: 0, dropped_events: 0, adapter_health: {} });
      await whenSucceeded(id);
      answers.stop();
    });

    test("send the rest as soon as their canary task has succeeded", async () => {
      const answers = answering(agent);
      const { id, ids } = await retry(4, { canary_size: 1 });
      await whenRequest(brain.as.operator, path(id), ({ counts }) => counts.succeeded === 1);
      const end = (taskId: string | undefined) => ({
        id: randomUUID(),
        kind: "task.succeeded",
        engine: "bullmq",
        task_id: taskId,
        occurred_at: new Date().toISOString(),
        data: { task_name: "mail" },
      });
      // The end of another task releases nothing.
      await agent.ackOf(agent.sendEvents([end(`other-${ids[0]}`)]));
      expect(givenOf(ids)).toHaveLength(1);
      await agent.ackOf(agent.sendEvents([end(ids[0])]));
      await whenSucceeded(id);
      answers.stop();
    });

    test("send one after another as their rate allows", async () => {
      const answers = answering(agent);
      const { id } = await retry(5, { rate_per_minute: 1200 });
      await whenSucceeded(id);
      answers.stop();
    });

    test.each([
      ["processed again when a round fails", "INSERT", "bulk_retries.round_failed"],
      ["given to their agent again when that fails", "UPDATE OF status", "agent_transport.offer_failed"],
    ])("are %s", async (_what, change, event) => {
      const raise =
        dialect === "postgres"
          ? [
              "CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no room'; END $$",
              `CREATE TRIGGER refuse BEFORE ${change} ON commands FOR EACH ROW EXECUTE FUNCTION refuse()`,
            ]
          : [`CREATE TRIGGER refuse BEFORE ${change} ON commands BEGIN SELECT RAISE(ABORT, 'no room'); END`];
      for (const statement of raise) await run(statement);
      const answers = answering(agent);
      const { id } = await retry(20);
      await logged(event);
      await run(dialect === "postgres" ? "DROP TRIGGER refuse ON commands" : "DROP TRIGGER refuse");
      await whenSucceeded(id);
      answers.stop();
    });

    test("lose no result while its request cannot be read", async () => {
      const { id, ids } = await retry(20);
      await waitFor(() => givenOf(ids).length === 8);
      await run("ALTER TABLE bulk_retry_children RENAME TO bulk_retry_children_away");
      for (const child of givenOf(ids)) answer(agent, child);
      await logged("bulk_retries.look_failed");
      const answers = answering(agent, ({ taskId }) => (ids.indexOf(taskId) < 8 ? null : {}));
      await run("ALTER TABLE bulk_retry_children_away RENAME TO bulk_retry_children");
      await whenSucceeded(id);
      answers.stop();
    });
  });
}
