import { randomUUID } from "node:crypto";
import { freePort, waitFor } from "@svc/testkit";
import { startTestBrain } from "@svc/testkit/brain";
import { startBrainProcess } from "@svc/testkit/brain-process";
import { testDialects } from "@svc/testkit/databases";
import { connectRaw, rawHello } from "@svc/testkit/raw-agent";
import pg from "pg";
import { describe, expect, test } from "vitest";

// SQLite has one writer, so nothing from outside can run between the two transactions.
describe.runIf(testDialects.includes("postgres"))("a brain process that dies between correction and audit row", () => {
  test("leaves the row to the next sweep, in any process", async () => {
    const here = await startTestBrain({ dialect: "postgres" });
    const { home, databaseUrl } = here;
    const there = await startBrainProcess({ home, databaseUrl, port: await freePort() });
    const holder = new pg.Client({ connectionString: databaseUrl });
    try {
      await holder.connect();
      const hello = rawHello({ capabilities: { bullmq: ["reconcile_task"] } });
      const agent = await connectRaw({ url: there.url, ...(await here.mintAgent()) }, { hello });
      const event = {
        id: randomUUID(),
        kind: "task.started",
        engine: "bullmq",
        task_id: "stuck",
        occurred_at: new Date(Date.now() - 3_600_000).toISOString(),
        data: { task_name: "mail" },
      };
      await agent.ackOf(agent.sendEvents([event]));
      const { agents } = here.running.brain.features;
      await waitFor(async () => (await agents.seenLast({ token: "reconcile_task", limit: 1 })).length > 0);
      const sweep = () => here.runLoop("reconciliation.sweep");
      expect(await sweep()).toEqual({ asked: 1 });
      const { id, payload } = await waitFor(() =>
        agent.frames.find((frame) => frame.payload?.action === "reconcile_task"),
      );

      await holder.query("BEGIN; SELECT 1 FROM audit_chain_state FOR UPDATE");
      const result = { task_id: "stuck", engine_state: "failure" };
      const token = { delivery_claim_token: payload?.delivery_claim_token };
      agent.sendFrame("command_result", { status: "success", result, ...token }, id);
      const task = `/projects/${here.project.slug}/tasks/bullmq/stuck`;
      await waitFor(async () => (await here.as.viewer.get(task)).body.state === "failure", {
        that: "the correction",
      });
      await there.kill();
      await holder.query("ROLLBACK");

      const rows = () =>
        here.running.brain.database.read
          .selectFrom("audit_log")
          .select("target_id")
          .where("action", "=", "task.reconciled")
          .execute();
      expect(await rows()).toEqual([]);
      await sweep();
      await sweep();
      expect(await rows()).toEqual([{ target_id: "stuck" }]);
    } finally {
      await holder.end();
      await there.kill();
      await here.stop();
    }
  });
});
