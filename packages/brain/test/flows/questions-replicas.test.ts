import { randomUUID } from "node:crypto";
import type { Frame } from "@svc/protocol";
import { freePort, waitFor } from "@svc/testkit";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { type BrainProcess, startBrainProcess } from "@svc/testkit/brain-process";
import { connectRaw, type RawAgent, rawHello } from "@svc/testkit/raw-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

describe("requests of one brain process to an agent connected to another one", () => {
  let here: TestBrain;
  let there: BrainProcess;
  let agent: RawAgent;
  beforeAll(async () => {
    // The periodic check that covers a lost notification does not run before the test ends.
    const env = { SVC_REGISTRY_RECONCILE_INTERVAL_SECONDS: "3600" };
    here = await startTestBrain({ dialect: "postgres", env });
    const { home, databaseUrl } = here;
    there = await startBrainProcess({ home, databaseUrl, port: await freePort(), env });
    const hello = rawHello({ capabilities: { bullmq: ["list_dead_letters", "reconcile_task"] } });
    agent = await connectRaw({ url: there.url, ...(await here.mintAgent()) }, { hello });
    await agent.settle();
  });
  afterAll(async () => {
    await there.kill();
    await here.stop();
  });

  const project = () => `/projects/${here.project.slug}`;
  const asked = (action: string) => waitFor(() => agent.frames.find(({ payload }) => payload?.action === action));
  const succeed = ({ id, payload }: Frame, result: object) =>
    agent.sendFrame(
      "command_result",
      { status: "success", result, delivery_claim_token: payload?.delivery_claim_token },
      id,
    );

  test("a listing of dead letters returns the agent's answer", async () => {
    const listing = here.as.viewer.get(`${project()}/dead-letters?engine=bullmq`);
    const page = { entries: [], next_cursor: null, total: 7, engine: "bullmq" };
    succeed(await asked("dlq.list"), page);
    const { status, body } = await listing;
    expect([status, body]).toEqual([200, { ...page, agent_id: expect.any(String) }]);
  });

  test("a stale task is corrected by the process that receives the answer", async () => {
    const event = {
      id: randomUUID(),
      kind: "task.started",
      engine: "bullmq",
      task_id: "stuck",
      occurred_at: new Date(Date.now() - 3_600_000).toISOString(),
      data: { task_name: "mail" },
    };
    await agent.ackOf(agent.sendEvents([event]));
    expect(await here.runLoop("reconciliation.sweep")).toEqual({ asked: 1 });
    succeed(await asked("reconcile_task"), { task_id: "stuck", engine_state: "success" });
    await waitFor(async () => (await here.as.viewer.get(`${project()}/tasks/bullmq/stuck`)).body.state === "success");
    const audit = () =>
      here.running.brain.database.read
        .selectFrom("audit_log")
        .select("target_id")
        .where("action", "=", "task.reconciled")
        .execute();
    await waitFor(async () => (await audit()).length > 0);
    expect(await audit()).toEqual([{ target_id: "stuck" }]);
  });
});
