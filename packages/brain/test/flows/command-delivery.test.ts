import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { waitFor } from "@svc/testkit";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import { connectRaw, createRawPoller, type RawAgent, type RawPoller, rawHello } from "@svc/testkit/raw-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CommandRow } from "../../src/schema/tables/index.ts";

const eligible = { capabilities: { bullmq: ["cancel_task", "retry_task", "retry_by_reference_v1"] } };

for (const dialect of testDialects) {
  describe(`the delivery of commands on ${dialect}`, () => {
    let brain: TestBrain;
    beforeAll(async () => {
      // Regular offers would hide a notification that is missing.
      brain = await startTestBrain({ dialect, env: { SVC_REGISTRY_RECONCILE_INTERVAL_SECONDS: "3600" } });
    });
    afterAll(() => brain.stop());

    const database = () => brain.running.brain.database;
    const rowOf = (id: string) =>
      database().read.selectFrom("commands").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
    const change = (id: string, changes: Partial<CommandRow>) =>
      database().write((tx) => tx.updateTable("commands").set(changes).where("id", "=", id).execute());
    const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);
    const lateRows = (id: string) =>
      database()
        .read.selectFrom("audit_log")
        .select(["action", "metadata"])
        .where("target_id", "=", id)
        .where("action", "=", "command.late_result")
        .orderBy("occurred_us")
        .execute();
    const audited = async (id: string, count: number) => {
      const rows = await waitFor(async () => {
        await brain.running.brain.features.audit.settled();
        const found = await lateRows(id);
        return found.length >= count && found;
      });
      return rows.map(({ metadata }) => JSON.parse(metadata).reason);
    };
    const frameOf = (agent: RawAgent, id: string) => agent.frames.find((frame) => frame.id === id);

    async function connect(hello: Parameters<typeof rawHello>[0] = eligible) {
      const minted = await brain.mintAgent();
      const agent = await connectRaw({ url: brain.url, ...minted }, { hello: rawHello(hello) });
      await agent.settle();
      return { agent, minted, agentId: minted.agentId };
    }
    async function poller() {
      const minted = await brain.mintAgent();
      const agent = createRawPoller({ url: brain.url, ...minted, projectId: brain.project.id });
      await agent.probe();
      return { agent, agentId: minted.agentId };
    }
    async function order(agentId: string, name = "cancel-task"): Promise<string> {
      const { status, body } = await brain.as.operator.post(`/projects/${brain.project.slug}/commands/${name}`, {
        agent_id: agentId,
        engine: "bullmq",
        task_id: "task-1",
      });
      expect(status).toBe(202);
      return body.id;
    }
    const polled = async (agent: RawPoller, headers?: Record<string, string>) => {
      const { body } = await agent.poll({ wait: 0 }, headers === undefined ? {} : { headers });
      return agent.open(body.frames);
    };

    describe("over long-poll", () => {
      /** A dispatched command, as if sent some time ago. */
      async function sent(agent: RawPoller, agentId: string, secondsAgo: number) {
        const id = await order(agentId);
        const [frame] = await polled(agent);
        expect(frame?.id).toBe(id);
        await change(id, { dispatched_at: ago(secondsAgo), last_sent_at: ago(secondsAgo) });
        return { id, frame };
      }

      test("repeats unacknowledged commands unchanged, once per interval", async () => {
        const { agent, agentId } = await poller();
        const { id, frame } = await sent(agent, agentId, 11);
        const [again] = await polled(agent);
        expect(again?.id).toBe(id);
        expect(again?.payload).toEqual(frame?.payload);
        expect(again?.seq).not.toBe(frame?.seq);
        expect(await polled(agent)).toEqual([]);
        expect(await rowOf(id)).toMatchObject({ status: "dispatched" });
      });

      test("gives a repetition to one of two polls", async () => {
        const { agent, agentId } = await poller();
        const { id } = await sent(agent, agentId, 11);
        const frames = (await Promise.all([polled(agent), polled(agent)])).flat();
        expect(frames.map((frame) => frame.id)).toEqual([id]);
      });

      test("wakes a waiting poll for it", async () => {
        const { agent, agentId } = await poller();
        const { id } = await sent(agent, agentId, 5);
        const polling = agent.poll({ wait: 30 });
        await waitFor(() => brain.running.brain.features.commands.work.isWaiting(agentId));
        await change(id, { last_sent_at: ago(11) });
        expect(agent.open((await polling).body.frames).map((frame) => frame.id)).toEqual([id]);
      });

      test.each<[string, () => Partial<CommandRow>]>([
        ["sent too recently", () => ({ last_sent_at: ago(2) })],
        ["past the window", () => ({ dispatched_at: ago(61) })],
        ["acknowledged", () => ({ acked_at: ago(1) })],
        ["past its timeout", () => ({ timeout_at: ago(1) })],
        ["of an action that runs at most once", () => ({ action: "retry_task" })],
        ["already finished", () => ({ status: "completed" })],
        ["of another agent", () => ({ agent_id: randomUUID() })],
      ])("does not repeat a command that is %s", async (_what, changes) => {
        const { agent, agentId } = await poller();
        const { id } = await sent(agent, agentId, 11);
        await change(id, changes());
        expect(await polled(agent, { "x-svc-retry-contracts": "bullmq=1" })).toEqual([]);
      });

      test("accepts the result of a repetition and of the first send, which share one token", async () => {
        const { agent, agentId } = await poller();
        const { id, frame } = await sent(agent, agentId, 11);
        await polled(agent);
        const echo = { delivery_claim_token: frame?.payload?.delivery_claim_token };
        await agent.upload([agent.sign("command_result", { status: "success", ...echo }, id)]);
        expect((await rowOf(id)).status).toBe("completed");
      });
    });

    describe("over WebSocket", () => {
      test("continues with the next check when a notification was lost", async () => {
        const { agent, agentId } = await connect();
        const { commands } = brain.running.brain.features;
        const quiet = {
          projectId: brain.project.id,
          agentId,
          action: "cancel_task",
          target: { type: "task", id: "quiet" },
          parameters: { engine: "bullmq", task_id: "quiet" },
        } as const;
        const { commands: issued } = await database().write((tx) => commands.issueIn(tx, [quiet]));
        await brain.runLoop("agent_transport.offer");
        await waitFor(() => frameOf(agent, issued[0]!.id));
      });

      test("leaves commands that a connection cannot take to one that can", async () => {
        const { agent, agentId, minted } = await connect({ ...eligible, worker_id: "eligible" });
        const plain = await connectRaw(
          { url: brain.url, ...minted },
          { hello: rawHello({ worker_id: "plain", capabilities: { bullmq: ["cancel_task"] } }) },
        );
        await plain.settle();
        const id = await order(agentId, "retry-task");
        await waitFor(() => frameOf(agent, id));
        expect(frameOf(plain, id)).toBeUndefined();
      });

      test("sends an unacknowledged command again through another session when its session ends", async () => {
        const { agent, agentId, minted } = await connect({ ...eligible, worker_id: "first" });
        const other = await connectRaw(
          { url: brain.url, ...minted },
          { hello: rawHello({ ...eligible, worker_id: "other" }) },
        );
        await other.settle();
        await agent.settle(); // the most recently active session gets new commands
        const ids = [await order(agentId), await order(agentId, "retry-task")];
        const frames = await waitFor(() => {
          const found = ids.map((id) => frameOf(agent, id));
          return found.every((frame) => frame !== undefined) && found;
        });

        agent.socket.terminate();

        const again = await waitFor(() => frameOf(other, ids[0]!));
        expect(again.payload).toEqual(frames[0]?.payload);
        await other.settle();
        expect(frameOf(other, ids[1]!)).toBeUndefined();
      });

      test("answers a ping only when the result before it is stored", async () => {
        const { agent, agentId } = await connect();
        for (let round = 0; round < 5; round += 1) {
          const id = await order(agentId);
          const { payload } = await waitFor(() => frameOf(agent, id));
          const pong = once(agent.socket, "pong");
          agent.sendFrame(
            "command_result",
            { status: "success", delivery_claim_token: payload?.delivery_claim_token },
            id,
          );
          agent.socket.ping();
          await pong;
          expect((await rowOf(id)).status).toBe("completed");
        }
      });

      test("delivers many waiting commands in order when it connects, each once", async () => {
        const { agent, agentId, minted } = await connect();
        await agent.close();
        const { commands } = brain.running.brain.features;
        const many = Array.from({ length: 130 }, (_, index) => ({
          projectId: brain.project.id,
          agentId,
          action: "cancel_task" as const,
          target: { type: "task", id: `many-${index}` },
          parameters: { engine: "bullmq", task_id: `many-${index}` },
        }));
        await database().write((tx) => commands.issueIn(tx, many));
        const again = await connectRaw({ url: brain.url, ...minted });
        await again.settle();
        const ordered = await database()
          .read.selectFrom("commands")
          .select("id")
          .where("agent_id", "=", agentId)
          .orderBy("issued_at")
          .orderBy("id")
          .execute();
        const got = again.frames.filter(({ type }) => type === "command").map(({ id }) => id);
        expect(got).toEqual(ordered.map(({ id }) => id));
      });
    });

    describe("ends", () => {
      test("in a timeout when it was not taken, or when no result arrived, and not before", async () => {
        const { agent, agentId } = await connect();
        const waiting = await order(agentId);
        await waitFor(() => frameOf(agent, waiting));
        const { agentId: awayId } = await poller();
        const pending = await order(awayId);
        const intact = await order(awayId);
        for (const id of [waiting, pending]) await change(id, { timeout_at: ago(1) });
        await brain.runLoop("commands.timeout");
        expect(await rowOf(waiting)).toMatchObject({ status: "timeout", error: "no result from the agent in time" });
        expect(await rowOf(pending)).toMatchObject({
          status: "timeout",
          error: "the agent did not take it in time",
        });
        expect((await rowOf(pending)).completed_at).not.toBeNull();
        expect((await rowOf(intact)).status).toBe("pending");
      });

      test("once: later results change nothing and are audited once, even when repeated", async () => {
        const { agent, agentId } = await connect();
        const { agent: stranger } = await connect();
        const id = await order(agentId);
        const frame = await waitFor(() => frameOf(agent, id));
        const echo = { delivery_claim_token: frame.payload?.delivery_claim_token };
        stranger.sendFrame("command_result", { status: "success", ...echo }, id);
        expect(await audited(id, 1)).toEqual(["other_agent"]);
        agent.sendFrame("command_result", { status: "success", delivery_claim_token: "other" }, id);
        expect(await audited(id, 2)).toEqual(["other_agent", "other_delivery"]);
        await change(id, { timeout_at: ago(1) });
        await brain.runLoop("commands.timeout");
        for (let again = 0; again < 3; again += 1) {
          agent.sendFrame("command_result", { status: "success", result: { too: "late" }, ...echo }, id);
        }
        expect(await audited(id, 3)).toEqual(["other_agent", "other_delivery", "ended"]);
        await agent.settle();
        await brain.running.brain.features.audit.settled();
        expect(await lateRows(id)).toHaveLength(3);
        expect(await rowOf(id)).toMatchObject({ status: "timeout", result: null });
      });

      test("once over WebSocket: a duplicate, a late ack and a replay change nothing", async () => {
        const { agent, agentId, minted } = await connect();
        const id = await order(agentId);
        const frame = await waitFor(() => frameOf(agent, id));
        const echo = { delivery_claim_token: frame.payload?.delivery_claim_token };
        const text = agent.sign("command_result", { status: "success", result: { first: true }, ...echo }, id);
        agent.send(text);
        const ended = await waitFor(async () => {
          const row = await rowOf(id);
          return row.status === "completed" && row;
        });
        expect(JSON.parse(ended.result ?? "")).toEqual({ first: true });

        agent.sendFrame("command_result", { status: "success", result: { second: true }, ...echo }, id);
        agent.sendFrame("command_result", { status: "failed", error: "third", ...echo }, id);
        agent.sendFrame("command_ack", echo, id);
        expect(await audited(id, 1)).toEqual(["ended"]);
        await agent.settle();
        expect(await rowOf(id)).toEqual(ended);
        // A replay of the same bytes ends the session, together with everything after it.
        agent.send(text);
        agent.sendFrame("command_result", { status: "failed", error: "fourth", ...echo }, id);
        expect((await agent.closed).code).toBeGreaterThan(4000);
        const again = await connectRaw({ url: brain.url, ...minted }, { hello: rawHello(eligible) });
        again.send(text);
        expect((await again.closed).code).toBeGreaterThan(4000);
        expect(await rowOf(id)).toEqual(ended);
      });

      test("once over long-poll: a duplicate, a late ack and a replay change nothing", async () => {
        const { agent, agentId } = await poller();
        const id = await order(agentId);
        const [frame] = await polled(agent);
        const echo = { delivery_claim_token: frame?.payload?.delivery_claim_token };
        const text = agent.sign("command_result", { status: "success", result: { first: true }, ...echo }, id);
        expect((await agent.upload([text])).body.accepted).toBe(1);
        const ended = await rowOf(id);
        expect(ended.status).toBe("completed");

        const more = [
          agent.sign("command_result", { status: "failed", error: "second", ...echo }, id),
          agent.sign("command_ack", echo, id),
        ];
        expect((await agent.upload(more)).body.accepted).toBe(2);
        expect(await rowOf(id)).toEqual(ended);
        expect((await agent.upload([text])).status).toBe(409);
        expect(await rowOf(id)).toEqual(ended);
      });

      test("cancelled with its agent, which wakes the waiting caller", async () => {
        const { agentId } = await poller();
        const id = await order(agentId);
        const { commands } = brain.running.brain.features;
        const waiting = commands.awaitResult(id, { waitMs: 30_000, signal: new AbortController().signal });
        await brain.as.root.delete(`/projects/${brain.project.slug}/agents/${agentId}`);
        expect(await waiting).toMatchObject({ status: "cancelled", error: "the agent was revoked" });
      });

      test("cancelled with its project, and announced at once", async () => {
        const { id: projectId, slug } = await brain.addProject(`p-${dialect}`, "Project");
        const { body } = await brain.as.root.post(`/projects/${slug}/agents`, { name: "agent" });
        const restart = { agent_id: body.agent.id, worker_name: "w1" };
        const { id } = (await brain.as.operator.post(`/projects/${slug}/commands/restart-worker`, restart)).body;
        const ended: unknown[] = [];
        const stop = brain.running.brain.features.commands.onEnded((command) => void ended.push(command));
        expect((await brain.as.root.delete(`/projects/${slug}`)).status).toBe(204);
        stop();
        expect(ended).toEqual([{ id, project_id: projectId, action: "restart_worker", status: "cancelled" }]);
        expect(await rowOf(id)).toMatchObject({ status: "cancelled", error: "the project was archived" });
      });
    });
  });
}
