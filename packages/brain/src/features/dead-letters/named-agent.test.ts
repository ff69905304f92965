import { randomUUID } from "node:crypto";
import { waitFor } from "@svc/testkit";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import { connectRaw, rawHello } from "@svc/testkit/raw-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const canList = ["list_dead_letters"];
const page = { entries: [], next_cursor: "next", total: 4, engine: "bullmq" };

for (const dialect of testDialects) {
  describe(`GET /projects/{slug}/dead-letters with agent_id on ${dialect}`, () => {
    let brain: TestBrain;
    beforeAll(async () => {
      brain = await startTestBrain({ dialect });
    });
    afterAll(() => brain.stop());

    async function connect(capabilities: Record<string, string[]> = { bullmq: canList }) {
      const minted = await brain.mintAgent();
      const hello = rawHello({ engines: Object.keys(capabilities), capabilities });
      const agent = await connectRaw({ url: brain.url, ...minted }, { hello });
      return { agent, agentId: minted.agentId };
    }
    const list = (query: string) => brain.as.viewer.get(`/projects/${brain.project.slug}/dead-letters${query}`);
    const countCommands = async () =>
      (await brain.as.operator.get(`/projects/${brain.project.slug}/commands?action=dlq.list`)).body.items.length;

    test("loads from the named agent, even if another was seen later, so that a cursor returns to its agent", async () => {
      const [first, second] = [await connect(), await connect()];
      for (const { agent, agentId } of [first, second]) {
        const listing = list(`?engine=bullmq&cursor=next&agent_id=${agentId.toUpperCase()}`);
        const frame = await waitFor(() => agent.frames.find(({ type }) => type === "command"));
        expect(frame.payload?.parameters).toMatchObject({ cursor: "next" });
        const { delivery_claim_token } = frame.payload as Record<string, unknown>;
        agent.sendFrame("command_result", { status: "success", result: page, delivery_claim_token }, frame.id);
        expect((await listing).body).toEqual({ ...page, agent_id: agentId });
      }
    });

    test("answers 404 for an unknown agent, and 422 with the reason for one that cannot list now", async () => {
      const revoked = await connect();
      await brain.as.admin.delete(`/projects/${brain.project.slug}/agents/${revoked.agentId}`);
      const before = await countCommands();
      for (const agentId of [revoked.agentId, randomUUID()]) {
        const { status, body } = await list(`?engine=bullmq&agent_id=${agentId}`);
        expect([status, body.error, body.details.resource]).toEqual([404, "not_found", "agent"]);
      }
      const other = await connect({ bullmq: ["retry_task"], celery: canList });
      const refusal = async (agentId: string, engine: string) => {
        const { status, body } = await list(`?engine=${engine}&agent_id=${agentId}`);
        const { reason, capability, errors } = body.details;
        expect([status, body.error, capability, errors[0].loc]).toEqual([
          422,
          "validation_error",
          "list_dead_letters",
          ["query", "engine"],
        ]);
        expect([body.details.engine, errors[0].type]).toEqual([engine, reason]);
        return reason;
      };
      expect(await refusal(other.agentId, "bullmq")).toBe("capability_missing");
      expect(await refusal(other.agentId, "rq")).toBe("engine_not_advertised");
      await other.agent.close();
      await waitFor(async () => {
        const { body } = await brain.as.viewer.get(`/projects/${brain.project.slug}/agents/${other.agentId}`);
        return body.state === "offline";
      });
      expect(await refusal(other.agentId, "bullmq")).toBe("agent_offline");
      expect(await countCommands()).toBe(before);
    });
  });
}
