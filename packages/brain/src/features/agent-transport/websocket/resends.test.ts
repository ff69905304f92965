import { randomUUID } from "node:crypto";
import { waitFor } from "@svc/testkit";
import { testDialects } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { type Line, offeredAgent, useOffers } from "../../../../test/fixtures/offers-fixture.ts";
import type { CommandRow } from "../../../schema/tables/index.ts";

const fire = { action: "schedule.fire", payload: '{"engine":"bullmq","fire_id":"f"}' };
const idsOf = ({ sent }: Line) => sent.map(({ id }) => id);

for (const dialect of testDialects) {
  describe(`an unacknowledged command on ${dialect}`, () => {
    const offered = useOffers(dialect);
    const { opened, clock, connect, connectionOf, disconnect, issue, issueMany, rowOf, offer, answerAll } = offered;

    /** A command that was sent to a connection which ended without an ack. */
    async function unacknowledged(given: Partial<CommandRow> = {}): Promise<{ id: string; payload: unknown }> {
      const line = connect("first");
      const id = await issue({ ...fire, ...given });
      offer();
      const payload = await waitFor(() => line.sent[0]?.payload);
      await offered.offers.settled();
      clock.advance(1);
      disconnect("first");
      return { id, payload };
    }
    async function begin(workerId: string, capabilities?: Record<string, string[]>): Promise<Line> {
      const line = connect(workerId, capabilities);
      await offered.offers.begin(connectionOf(workerId));
      return line;
    }
    const change = (id: string, changes: Partial<CommandRow>) =>
      opened.database.write((tx) => tx.updateTable("commands").set(changes).where("id", "=", id).execute());
    const later = (ms: number) => new Date(clock.now().getTime() + ms);

    test("is sent again, unchanged, to a new connection of its agent", async () => {
      const { id, payload } = await unacknowledged();

      const next = await begin("next");

      expect(next.sent.map((frame) => [frame.id, frame.payload])).toEqual([[id, payload]]);
      expect(await rowOf(id)).toMatchObject({ status: "dispatched", last_sent_at: clock.now() });
      const { delivery_claim_token } = next.sent[0]?.payload ?? {};
      await offered.commands.reports.resulted(offeredAgent.agent_id, id, { status: "success", delivery_claim_token });
      expect((await rowOf(id)).status).toBe("completed");
    });

    test("is sent although the process that claimed it was killed before it sent it", async () => {
      const id = await issue(fire);
      const { agent_id: agentId } = offeredAgent;
      const { commands } = await offered.commands.claim({ agentId, max: 1, retryContracts: new Set() });
      expect(commands.map((command) => command.id)).toEqual([id]);
      clock.advance(1);

      expect(idsOf(await begin("next"))).toEqual([id]);
    });

    test("is sent again until its time limit, however long ago it was dispatched", async () => {
      const { id } = await unacknowledged();
      await change(id, { timeout_at: later(3_600_001) });
      clock.advance(3_600_000);
      expect(idsOf(await begin("second"))).toEqual([id]);

      clock.advance(1);

      expect(idsOf(await begin("third"))).toEqual([]);
    });

    test.each<[string, () => Partial<CommandRow>]>([
      ["acknowledged", () => ({ acked_at: clock.now() })],
      ["of an action that runs at most once", () => ({ action: "submit_task" })],
      ["already finished", () => ({ status: "completed" })],
      ["of another agent", () => ({ agent_id: randomUUID() })],
    ])("is not sent again when it is %s", async (_what, changes) => {
      const { id } = await unacknowledged();
      await change(id, changes());

      expect(idsOf(await begin("next"))).toEqual([]);
    });

    test("goes to another connection of its agent that qualifies when its own ends", async () => {
      const web = connect("web", { celery: ["submit_task"] });
      const other = connect("other");
      clock.advance(1);

      const { id } = await unacknowledged();

      await waitFor(() => other.sent.length > 0);
      await offered.offers.settled();
      expect([idsOf(other), idsOf(web)]).toEqual([[id], []]);
    });

    test("is not sent to a connection that does not qualify", async () => {
      const { id } = await unacknowledged();
      expect(idsOf(await begin("web", { celery: ["submit_task"] }))).toEqual([]);
      expect(idsOf(await begin("next"))).toEqual([id]);
    });

    test("is sent again by a regular offer after the interval, and not before", async () => {
      const line = connect("first");
      const id = await issue(fire);
      offer();
      await waitFor(() => line.sent.length === 1);
      clock.advance(9_999);
      expect(await offered.offers.offerAll()).toBe(0);

      clock.advance(1);
      expect(await offered.offers.offerAll()).toBe(1);
      await waitFor(() => line.sent.length === 2);

      expect(idsOf(line)).toEqual([id, id]);
      expect(await offered.offers.offerAll()).toBe(0);
    });

    test("is sent again when the first attempt to do so failed", async () => {
      const { claim } = offered.commands;
      let calls = 0;
      offered.offerWith({
        claim(request) {
          calls += request.resendSentBy === undefined ? 0 : 1;
          return calls === 1 ? Promise.reject(new Error("the database is unavailable")) : claim(request);
        },
      });
      const other = connect("other");
      clock.advance(1);

      const { id } = await unacknowledged();

      await waitFor(() => idsOf(other).includes(id));
    });

    test("holds up a new connection with others by 500 at most; the rest follows, each sent once", async () => {
      const line = connect("first");
      const ids = await issueMany(560, fire);
      offer();
      await waitFor(() => {
        answerAll("first", line);
        return line.sent.length === ids.length;
      });
      await offered.offers.settled();
      clock.advance(1);
      disconnect("first");

      const next = connect("next");
      await offered.offers.begin(connectionOf("next"));
      const atFirst = next.sent.length;
      clock.advance(1);
      await waitFor(() => {
        answerAll("next", next);
        return next.sent.length >= ids.length;
      });
      await offered.offers.stop();

      expect([atFirst, idsOf(next)]).toEqual([500, ids]);
    });

    test("counts as unfinished for 10 s only, so that an agent without an answer gets it again", async () => {
      const line = connect("first");
      const ids = await issueMany(500, fire);
      offer();
      await waitFor(() => line.sent.length === ids.length);
      await offered.offers.settled();
      clock.advance(10_000);

      await offered.offers.offerAll();
      await waitFor(() => line.sent.length === 2 * ids.length);

      expect(idsOf(line)).toEqual([...ids, ...ids]);
    });
  });
}
