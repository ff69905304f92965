import { randomUUID } from "node:crypto";
import { waitFor } from "@svc/testkit";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import { connectRaw, type RawAgent, rawHello } from "@svc/testkit/raw-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { reconcileKey, Sweep } from "./sweep.ts";

describe("the idempotency key of a question about a task", () => {
  test("names engine, task and interval", () => {
    expect(reconcileKey("bullmq", "mail:7", 42)).toBe("reconcile:bullmq:mail:7:42");
  });

  test("contains a digest when the task would make it too long", () => {
    const fits = "t".repeat(200 - "reconcile:e::42".length);
    expect(reconcileKey("e", fits, 42)).toHaveLength(200);
    // SHA-256 of "e:" and 186 times "t".
    expect(reconcileKey("e", `${fits}t`, 42)).toMatch(/^reconcile:[0-9a-f]{32}:42$/);
    expect(reconcileKey("e", `${fits}t`, 42)).not.toBe(reconcileKey("e", `${fits}u`, 42));
    expect(reconcileKey("e", "😀".repeat(186), 42)).toMatch(/^reconcile:[0-9a-f]{32}:42$/);
    expect(reconcileKey("e", "😀".repeat(185), 42)).toContain("😀");
  });
});

for (const dialect of testDialects) {
  describe(`questions about stale tasks on ${dialect}`, () => {
    let brain: TestBrain;
    beforeAll(async () => {
      brain = await startTestBrain({ dialect });
    });
    afterAll(() => brain.stop());

    /** A project with a stale task, and an agent that can be asked about it. */
    async function withStaleTask() {
      const { id: projectId, slug } = await brain.addProject(`p-${randomUUID().slice(0, 8)}`, "Project");
      const agent = await connect(slug);
      await reportStale(agent, "stale");
      return { agent, projectId, slug };
    }
    async function connect(slug: string, tokens = ["reconcile_task"]): Promise<RawAgent> {
      const { body } = await brain.as.root.post(`/projects/${slug}/agents`, { name: randomUUID() });
      return connectRaw(
        { url: brain.url, token: body.token, hmacSecret: body.hmac_secret },
        { hello: rawHello({ engines: ["bullmq"], capabilities: { bullmq: tokens } }) },
      );
    }
    async function reportStale(agent: RawAgent, taskId: string): Promise<void> {
      const stale = {
        id: randomUUID(),
        kind: "task.started",
        engine: "bullmq",
        task_id: taskId,
        occurred_at: new Date(Date.now() - 3_600_000).toISOString(),
        data: { task_name: "mail" },
      };
      await agent.ackOf(agent.sendEvents([stale]));
    }

    test("go to the reporter of the task, or to the most recently seen agent when it cannot answer", async () => {
      const { agent: first, slug } = await withStaleTask();
      const second = await connect(slug);
      const silent = await connect(slug, []);
      await reportStale(second, "of-second");
      await reportStale(silent, "of-silent");
      await brain.running.brain.database.write((tx) =>
        tx
          .updateTable("agents")
          .set({ last_seen_at: new Date("2090-01-01T00:00:00Z") })
          .where("id", "=", second.session.agentId)
          .execute(),
      );
      expect(await brain.runLoop("reconciliation.sweep")).toEqual({ asked: 3 });
      const askedOf = ({ frames }: RawAgent) =>
        frames.flatMap(({ payload }) =>
          payload?.action === "reconcile_task" ? [(payload.parameters as { task_id: string }).task_id] : [],
        );
      await waitFor(() => askedOf(first).length + askedOf(second).length === 3);
      expect([askedOf(first), askedOf(second).sort()]).toEqual([["stale"], ["of-second", "of-silent"]]);
      for (const agent of [first, second, silent]) await agent.close();
      expect((await brain.as.root.delete(`/projects/${slug}`)).status).toBe(204);
    });

    test("get one audit row each", async () => {
      const { agent, projectId } = await withStaleTask();
      await brain.runLoop("reconciliation.sweep");
      const asked = await waitFor(() => agent.frames.find(({ payload }) => payload?.action === "reconcile_task"));
      const rows = await brain.running.brain.database.read
        .selectFrom("audit_log")
        .selectAll()
        .where("project_id", "=", projectId)
        .where("action", "=", "command.issue.reconcile_task")
        .execute();
      expect(rows).toMatchObject([{ target_type: "command", target_id: asked.id, user_id: null, result: "success" }]);
      expect(JSON.parse(rows[0]?.metadata ?? "")).toEqual({
        agent_id: agent.session.agentId,
        engine: "bullmq",
        target_type: "task",
        target_id: "stale",
      });
      await agent.close();
    });

    test.each(["revoked", "archived"])("are not sent to an agent that was %s since it was chosen", async (how) => {
      const { agent, projectId, slug } = await withStaleTask();
      const { database, features } = brain.running.brain;
      const { commands } = features;
      const agents = {
        seenLast: async (query: Parameters<typeof features.agents.seenLast>[0]) => {
          const chosen = await features.agents.seenLast({ ...query, projectId });
          const path = how === "revoked" ? `/agents/${agent.session.agentId}` : "";
          expect((await brain.as.root.delete(`/projects/${slug}${path}`)).status).toBe(204);
          return chosen;
        },
        onlineAmong: (...asked: Parameters<typeof features.agents.onlineAmong>) =>
          features.agents.onlineAmong(...asked),
      };
      const settings = { SVC_RECONCILIATION_SWEEP_SECONDS: 300, SVC_RECONCILIATION_STALE_THRESHOLD_SECONDS: 900 };
      const clock = { now: () => new Date(), monotonicMs: () => 0 };
      const sweep = new Sweep({ database, clock, agents, commands, settings });
      expect(await sweep.run(new AbortController().signal)).toBe(0);
      const rows = await database.read.selectFrom("commands").selectAll().where("project_id", "=", projectId).execute();
      expect(rows).toEqual([]);
      await agent.close();
    });
  });
}
