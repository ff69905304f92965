import { randomUUID } from "node:crypto";
import { waitFor } from "@svc/testkit";
import { testDialects } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { offeredAgent, offeredCapabilities, useOffers } from "../../../../test/fixtures/offers-fixture.ts";
import { agentRow } from "../../../../test/rows/agent-rows.ts";

const tokens = offeredCapabilities.bullmq ?? [];

for (const dialect of testDialects) {
  describe(`commands for connected agents on ${dialect}`, () => {
    const offered = useOffers(dialect);
    const { opened, clock, connect, connectionOf, issue, issueMany, rowOf, offer, answerAll } = offered;
    const became = (id: string, status: string) => waitFor(async () => (await rowOf(id)).status === status);
    /** A session of the agent as its hello leaves it in the database. */
    async function haveSession(workerId: string, capabilities: Record<string, string[]>): Promise<void> {
      const { agent_id, project_id } = offeredAgent;
      const at = clock.now();
      await opened.database.write(async (tx) => {
        await tx
          .insertInto("agents")
          .values(agentRow({ id: agent_id, project_id, name: "agent", state: "online" }))
          .execute();
        await tx
          .insertInto("agent_workers")
          .values({
            id: randomUUID(),
            agent_id,
            project_id,
            worker_id: workerId,
            role: "other",
            framework: "node",
            pid: 1,
            started_at: null,
            state: "online",
            capabilities: JSON.stringify(capabilities),
            last_seen_at: at,
            last_connect_at: at,
            created_at: at,
            updated_at: at,
          })
          .execute();
      });
    }

    test("wait again when the socket broke, and still end by the result of the send that seemed to fail", async () => {
      const line = connect("one");
      line.fate = "breaks";
      const id = await issue();
      offer();
      await waitFor(() => line.sent.length > 0);
      line.close();
      await became(id, "pending");
      const token = line.sent[0]?.payload.delivery_claim_token;
      expect(await rowOf(id)).toMatchObject({ dispatched_at: null, delivery_claim_token: token });
      await offered.commands.reports.resulted(offeredAgent.agent_id, id, {
        status: "success",
        delivery_claim_token: token,
      });
      expect((await rowOf(id)).status).toBe("completed");
    });

    test("go to another connection of the agent under a new token, after which the first one is ignored", async () => {
      const broken = connect("broken", { bullmq: [...tokens, "more"] });
      broken.fate = "breaks";
      const id = await issue();
      offer();
      await waitFor(() => broken.sent.length > 0);
      broken.close();
      const whole = connect("whole");
      await offered.offers.settled();
      offer();
      await waitFor(() => whole.sent.length > 0);
      const [first, second] = [broken, whole].map(({ sent }) => sent.at(-1)?.payload.delivery_claim_token);
      expect(second).not.toBe(first);
      await offered.commands.reports.resulted(offeredAgent.agent_id, id, {
        status: "success",
        delivery_claim_token: first,
      });
      expect((await rowOf(id)).status).toBe("dispatched");
    });

    test("stay with the agent when they may not be done twice", async () => {
      const line = connect("one");
      line.fate = "breaks";
      const id = await issue({ action: "retry_task" });
      offer();
      await waitFor(() => line.sent.length > 0);
      await offered.offers.settled();
      offer();
      await offered.offers.settled();
      expect((await rowOf(id)).status).toBe("dispatched");
      expect(line.sent).toHaveLength(1);
    });

    test("are not sent to an agent that does not read, until it reads again", async () => {
      const line = connect("one");
      line.fate = "stays";
      const [first, second] = [await issue(), await issue()];
      offer();
      await became(first, "pending");
      await became(second, "pending");
      const before = line.sent.length;
      offer();
      await offered.offers.settled();
      expect(line.sent).toHaveLength(before);
      line.flush();
      await became(first, "dispatched");
      await became(second, "dispatched");
    });

    test("go to the most recently active eligible connection", async () => {
      const lines = { first: connect("first"), second: connect("second"), web: connect("web", { celery: tokens }) };
      clock.advance(1);
      connectionOf("first").touch();
      clock.advance(1);
      connectionOf("web").touch();
      const id = await issue();
      offer();
      await waitFor(() => lines.first.sent.some((frame) => frame.id === id));
      expect([lines.second.sent, lines.web.sent]).toEqual([[], []]);
    });

    test("are not sent to an ineligible connection while another one is eligible, here or elsewhere", async () => {
      const poor = connect("poor", { bullmq: ["retry_task", "purge_queue", "pool_grow"] });
      await haveSession("elsewhere", { bullmq: ["cancel_task"] });
      const cancel = await issue();
      const purge = await issue({ action: "purge_queue", payload: '{"queue":"emails"}' });
      offer();
      await waitFor(() => poor.sent.some((frame) => frame.id === purge));
      await offered.offers.settled();
      expect((await rowOf(cancel)).status).toBe("pending");
      const eligible = connect("eligible", { bullmq: ["cancel_task"] });
      clock.advance(1);
      connectionOf("poor").touch();
      offer();
      await waitFor(() => eligible.sent.some((frame) => frame.id === cancel));
      expect(poor.sent).toHaveLength(1);
    });

    test.each([
      [["retry_task", "bulk_retry", "retry_resubmits"]],
      [["retry_task", "bulk_retry", "retry_by_reference_v1", "retry_resubmits"]],
    ])("go to a connection that can only resubmit as retries of one task, never of several: %j", async (listed) => {
      const again = connect("again", { bullmq: listed });
      const one = await issue({ action: "retry_task" });
      const payload = '{"filter":{"engine":"bullmq","task_ids":["t"]},"max":1}';
      const several = await issue({ action: "bulk_retry", payload });
      offer();
      await waitFor(() => again.sent.some((frame) => frame.id === one));
      await offered.offers.settled();
      expect((await rowOf(several)).status).toBe("pending");
      const kept = connect("kept", { bullmq: ["bulk_retry", "retry_by_reference_v1"] });
      offer();
      await waitFor(() => kept.sent.some((frame) => frame.id === several));
      expect(again.sent).toHaveLength(1);
    });

    test("go to an ineligible connection when none is eligible, which reports the reason", async () => {
      await haveSession("poor", { bullmq: ["retry_task"] });
      const poor = connect("poor", { bullmq: ["retry_task"] });
      const id = await issue();
      offer();
      await waitFor(() => poor.sent.some((frame) => frame.id === id));
    });

    test("hold up a new connection by 500 at most, and follow as results arrive", async () => {
      const ids = await issueMany(560);
      const line = connect("one");
      await offered.offers.begin(connectionOf("one"));
      await offered.offers.stop();
      const atFirst = line.sent.length;
      offered.offerWith({});
      await waitFor(() => {
        answerAll("one", line);
        return line.sent.length >= ids.length;
      });
      expect([atFirst, line.sent.map(({ id }) => id)]).toEqual([500, ids]);
    });

    test("are claimed a few megabytes at a time", async () => {
      const line = connect("one");
      const payload = JSON.stringify({ engine: "bullmq", task_id: "x".repeat(1_000_000) });
      const rows = await Promise.all(Array.from({ length: 9 }, () => issue({ payload })));
      const { commands: first, hasMore } = await offered.commands.claim({
        agentId: offeredAgent.agent_id,
        max: 50,
        retryContracts: new Set(),
      });
      expect([first.length, hasMore]).toEqual([5, true]);
      offer();
      await waitFor(() => line.sent.length === rows.length - 5);
    });

    // The server database takes no text that cannot be signed.
    if (dialect === "sqlite") {
      test("fail when they cannot be signed", async () => {
        const line = connect("one");
        const id = await issue({ payload: '{"engine":"bullmq","task_id":"\\ud800"}' });
        offer();
        await became(id, "failed");
        expect(await rowOf(id)).toMatchObject({ error: "WebSocket signing failed", completed_at: clock.now() });
        expect(line.sent).toEqual([]);
      });
    }
  });
}
