import { randomUUID } from "node:crypto";
import { waitFor } from "@svc/testkit";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import type { RawAgent } from "@svc/testkit/raw-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answering, childrenGiven, connectEligible, operatorOf } from "../fixtures/bulk-retry-fixture.ts";
import { allCapabilities } from "../fixtures/command-fixture.ts";
import { agentRow } from "../rows/agent-rows.ts";

const crowd = 501;
/** Later than the last contact of every real agent. */
const far = new Date(Date.now() + 86_400_000);
const before = new Date(0);

for (const dialect of testDialects) {
  describe(`in a project with more sessions than are listed on ${dialect}`, () => {
    let brain: TestBrain;
    let agent: RawAgent;
    let agentId: string;
    beforeAll(async () => {
      brain = await startTestBrain({ dialect, env: { SVC_TRUSTED_PROXIES: "127.0.0.1" } });
      const { agent: connected, minted } = await connectEligible(brain, { capabilities: { bullmq: allCapabilities } });
      agent = connected;
      ({ agentId } = minted);
      const project_id = brain.project.id;
      const agents = Array.from({ length: crowd }, (_, index) =>
        agentRow({ project_id, name: `crowd-${index}`, state: "online", transport: "ws", last_seen_at: far }),
      );
      await brain.running.brain.database.write(async (tx) => {
        await tx.insertInto("agents").values(agents).execute();
        const sessions = agents.map(({ id }) => ({
          ...{ id: randomUUID(), agent_id: id, project_id, worker_id: "w", state: "online" },
          ...{ role: null, framework: null, pid: null, started_at: null, last_connect_at: null },
          capabilities: JSON.stringify({ bullmq: allCapabilities, rq: allCapabilities }),
          ...{ last_seen_at: far, created_at: before, updated_at: before },
        }));
        await tx.insertInto("agent_workers").values(sessions).execute();
      });
    });
    afterAll(() => brain.stop());

    const { create, failing, whenStatus } = operatorOf(() => brain);
    const sentTo = async (ids: readonly string[]) => {
      const rows = await brain.running.brain.database.read
        .selectFrom("commands")
        .select("agent_id")
        .where("target_id", "in", ids)
        .execute();
      return rows.map(({ agent_id }) => agent_id);
    };
    const retry = async (engine: string, taskId: string) => {
      const path = `/projects/${brain.project.slug}/commands/retry-task`;
      const { status, body } = await brain.as.operator.post(path, { engine, task_id: taskId });
      return [status, body.agent_id];
    };

    test("a retry goes to the agent that reported the task, or to another eligible one", async () => {
      const { ids } = await failing(1, { reported_by: agentId });
      expect(await retry("bullmq", ids[0]!)).toEqual([202, agentId]);
      const others = await failing(1, { reported_by: agentId, engine: "rq" });
      const [status, chosen] = await retry("rq", others.ids[0]!);
      expect([status, chosen === agentId]).toEqual([202, false]);
    });

    test("a bulk retry sends each task to the agent that reported it", async () => {
      const { queue, ids } = await failing(12, { reported_by: agentId });
      const answers = answering(agent);
      await whenStatus((await create({ filter: { queue } })).body.id, "succeeded");
      answers.stop();
      expect(await sentTo(ids)).toEqual(ids.map(() => agentId));
    });

    test("a bulk retry for one agent reaches it, whichever agent reported the tasks", async () => {
      const { queue, ids } = await failing(3);
      const answers = answering(agent);
      await whenStatus((await create({ filter: { queue }, agent_id: agentId })).body.id, "succeeded");
      answers.stop();
      expect(await sentTo(ids)).toEqual(ids.map(() => agentId));
    });

    test("a task with an offline reporter goes to the most recently seen agent, and others to their reporter", async () => {
      const { queue, ids } = await failing(1, { reported_by: agentId });
      await failing(1, { queue });
      const { body } = await create({ filter: { queue } });
      await waitFor(() => childrenGiven(agent).some(({ taskId }) => taskId === ids[0]));
      const children = await brain.running.brain.database.read
        .selectFrom("bulk_retry_children")
        .select(["reported_by", "claimed_agent_id"])
        .where("parent_id", "=", body.id)
        .execute();
      const [own] = children.filter(({ reported_by }) => reported_by === agentId);
      const [foreign] = children.filter(({ reported_by }) => reported_by !== agentId);
      expect(own?.claimed_agent_id).toBe(agentId);
      expect(foreign?.claimed_agent_id).toEqual(expect.any(String));
      expect(foreign?.claimed_agent_id).not.toBe(agentId);
    });
  });
}
