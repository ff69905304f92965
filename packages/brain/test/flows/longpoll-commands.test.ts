import { randomUUID } from "node:crypto";
import { headerNames } from "@svc/protocol";
import { waitFor } from "@svc/testkit";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { routeDialects } from "@svc/testkit/databases";
import { callAgentRoute, connectRaw, createRawPoller, type RawPoller, rawHello, spoilt } from "@svc/testkit/raw-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commandRow } from "../rows/command-rows.ts";

const contracts = { [headerNames.retryContracts]: "bullmq=1" };

for (const dialect of routeDialects) {
  describe(`polling for commands on ${dialect}`, () => {
    let brain: TestBrain;

    beforeAll(async () => {
      brain = await startTestBrain({ dialect });
    });
    afterAll(() => brain.stop());

    const credentials = async () => ({ url: brain.url, ...(await brain.mintAgent()), projectId: brain.project.id });
    const connect = async () => createRawPoller(await credentials());

    let issuedMs = Date.now();

    /** A pending command, as the command routes create it. */
    async function issue(agentId: string, action: string, parameters: Record<string, unknown>): Promise<string> {
      const id = randomUUID();
      issuedMs += 1;
      const row = commandRow({
        id,
        project_id: brain.project.id,
        agent_id: agentId,
        action,
        payload: JSON.stringify(parameters),
        issued_at: new Date(issuedMs),
        timeout_at: new Date(Date.now() + 60_000),
      });
      await brain.running.brain.database.write((tx) => tx.insertInto("commands").values(row).execute());
      return id;
    }
    const cancel = (agentId: string) => issue(agentId, "cancel_task", { engine: "bullmq", task_id: "task-1" });
    const rowOf = (id: string) =>
      brain.running.brain.database.read
        .selectFrom("commands")
        .selectAll()
        .where("id", "=", id)
        .executeTakeFirstOrThrow();
    const waitingPolls = (agent: RawPoller) =>
      waitFor(() => brain.running.brain.features.commands.work.isWaiting(agent.session.agentId));

    test("returns waiting commands as signed frames, oldest first, each once", async () => {
      const agent = await connect();
      const ids = [];
      for (let index = 0; index < 3; index += 1) ids.push(await cancel(agent.session.agentId));
      const some = await agent.poll({ wait: 0, max_frames: 2 });
      const rest = await agent.poll({ wait: 0 });
      const frames = agent.open([...some.body.frames, ...rest.body.frames]);
      expect(frames.map(({ id }) => id)).toEqual(ids);
      expect(frames.map(({ seq }) => seq)).toEqual([1, 2, 3]);
      expect(frames[0]).toMatchObject({
        type: "command",
        payload: {
          action: "cancel_task",
          target: { type: "task", id: "task-1", engine: "bullmq" },
          parameters: { engine: "bullmq", task_id: "task-1" },
          timeout_seconds: 60,
        },
      });
      const row = await rowOf(ids[0] as string);
      expect(row).toMatchObject({
        status: "dispatched",
        delivery_claim_token: frames[0]?.payload?.delivery_claim_token,
      });
      expect((await agent.poll({ wait: 0 })).body.frames).toEqual([]);
    });

    test("stores the ack and the result only of the agent that received the command", async () => {
      const agent = await connect();
      const stranger = await connect();
      const id = await cancel(agent.session.agentId);
      const [frame] = agent.open((await agent.poll({ wait: 0 })).body.frames);
      const token = frame?.payload?.delivery_claim_token;
      const echo = { delivery_claim_token: token };
      await stranger.upload([stranger.sign("command_result", { status: "success", ...echo }, id)]);
      await agent.upload([agent.sign("command_result", { status: "success", delivery_claim_token: "other" }, id)]);
      expect((await rowOf(id)).status).toBe("dispatched");
      await agent.upload([agent.sign("command_ack", echo, id)]);
      expect((await rowOf(id)).acked_at).not.toBeNull();
      const failure = {
        status: "failed",
        error: "no\u0000 such \ud83d\ude00 task",
        result: { deep: "\u0000" },
        ...echo,
      };
      const answer = await agent.upload([agent.sign("command_result", failure, id)]);
      expect(answer.body).toMatchObject({ accepted: 1, rejected: 0 });
      expect(await rowOf(id)).toMatchObject({ status: "failed", error: "no\ufffd such \ud83d\ude00 task" });
      await agent.upload([agent.sign("command_result", { status: "success", ...echo }, id)]);
      expect((await rowOf(id)).status).toBe("failed");
    });

    test("stores a result with characters that databases cannot store as text", async () => {
      const agent = await connect();
      const id = await cancel(agent.session.agentId);
      await agent.poll({ wait: 0 });
      const answer = await agent.upload([
        agent.sign("command_result", { status: "success", result: { text: "a\u0000b" } }, id),
      ]);
      expect(answer.body).toMatchObject({ accepted: 1, rejected: 0 });
      const { status, result } = await rowOf(id);
      expect(status).toBe("completed");
      expect(JSON.parse(result ?? "")).toEqual({ text: "a\ufffdb" });
    });

    test("wakes a waiting poll for a command that was written without a notification", async () => {
      const agent = await connect();
      const polling = agent.poll({ wait: 30 });
      await waitingPolls(agent);
      const id = await cancel(agent.session.agentId);
      expect(agent.open((await polling).body.frames).map((frame) => frame.id)).toEqual([id]);
    });

    test("wakes a waiting poll at once for a command that was announced", async () => {
      const agent = await connect();
      const polling = agent.poll({ wait: 30 });
      await waitingPolls(agent);
      const id = await cancel(agent.session.agentId);
      brain.running.brain.features.commands.work.announce([agent.session.agentId]);
      expect(agent.open((await polling).body.frames).map((frame) => frame.id)).toEqual([id]);
    });

    test("gives each of many commands to only one of two polls", async () => {
      const given = await credentials();
      const polls = [createRawPoller(given), createRawPoller(given)];
      const ids = await Promise.all(Array.from({ length: 10 }, () => cancel(given.agentId)));
      const answers = await Promise.all(polls.map((poller) => poller.poll({ wait: 0 })));
      const got = answers.flatMap(({ body }, index) => (polls[index] as RawPoller).open(body.frames));
      expect(got.map(({ id }) => id).sort()).toEqual([...ids].sort());
    });

    test("gives retries only to polls that support the contract of their engine, without hiding other commands", async () => {
      const agent = await connect();
      const retry = await issue(agent.session.agentId, "retry_task", { engine: "bullmq", task_id: "task-1" });
      const bulk = await issue(agent.session.agentId, "bulk_retry", {
        filter: { engine: "bullmq", task_ids: [] },
        max: 1,
      });
      const other = await cancel(agent.session.agentId);
      for (const header of [undefined, "celery=1", "bullmq=1,,", "bullmq=2", Array(65).fill("bullmq=1").join(",")]) {
        const headers = header === undefined ? {} : { [headerNames.retryContracts]: header };
        const { body } = await agent.poll({ wait: 0, max_frames: 1 }, { headers });
        expect(agent.open(body.frames).map(({ id }) => id)).toEqual(header === undefined ? [other] : []);
      }
      const { body } = await agent.poll({ wait: 0 }, { headers: contracts });
      expect(agent.open(body.frames).map(({ id }) => id)).toEqual([retry, bulk]);
    });

    test("gives a poll that only resubmits retries of one task, but not of several", async () => {
      const agent = await connect();
      const retry = await issue(agent.session.agentId, "retry_task", { engine: "celery", task_id: "task-1" });
      const filter = { engine: "celery", task_ids: ["task-2"] };
      const bulk = await issue(agent.session.agentId, "bulk_retry", { filter, max: 1 });
      for (const [header, given] of [
        ["bullmq=1", []],
        ["celery=1,,", []],
        ["bullmq=1,celery=1", [retry]],
      ] as const) {
        const headers = { [headerNames.retryResubmits]: header };
        const { body } = await agent.poll({ wait: 0 }, { headers });
        expect(agent.open(body.frames).map(({ id }) => id)).toEqual(given);
      }
      expect((await rowOf(bulk)).status).toBe("pending");
    });

    test("claims nothing for a probe, which records the runtime features", async () => {
      const agent = await connect();
      const id = await cancel(agent.session.agentId);
      const names = Array.from({ length: 70 }, (_, index) => `feature-${index}`);
      const features = [" bulk ", "", "y".repeat(65), "z".repeat(64), ...names].join(",");
      const answer = await agent.probe({ [headerNames.runtimeFeatures]: features });
      expect(answer).toMatchObject({ status: 200, body: { frames: [] } });
      expect(answer.headers.get(headerNames.agentId)).toBe(agent.session.agentId);
      expect((await rowOf(id)).status).toBe("pending");
      const shown = await brain.as.viewer.get(`/projects/${brain.project.slug}/agents/${agent.session.agentId}`);
      expect(shown.body).toMatchObject({ transport: "longpoll" });
      const { runtime_features } = await brain.running.brain.database.read
        .selectFrom("agents")
        .select("runtime_features")
        .where("id", "=", agent.session.agentId)
        .executeTakeFirstOrThrow();
      expect(JSON.parse(runtime_features)).toEqual(["bulk", "z".repeat(64), ...names.slice(0, 62)]);
    });

    test("counts as contact: an agent that only polls is not revoked by the hygiene sweep", async () => {
      const [agent, silent] = [await connect(), await connect()];
      const monthsAgo = new Date(Date.now() - 100 * 86_400_000);
      const ids = [agent, silent].map(({ session }) => session.agentId);
      await brain.running.brain.database.write((tx) =>
        tx
          .updateTable("agents")
          .set({ created_at: monthsAgo, last_seen_at: monthsAgo, last_connect_at: monthsAgo })
          .where("id", "in", ids)
          .execute(),
      );
      const polling = agent.poll({ wait: 30 });
      await waitingPolls(agent);
      expect(await brain.runLoop("agents.hygiene")).toEqual({ revoked: 1 });
      const id = await cancel(agent.session.agentId);
      expect(agent.open((await polling).body.frames).map((frame) => frame.id)).toEqual([id]);
      expect((await silent.poll({ wait: 0 })).status).toBe(401);
    });

    test("claims nothing for a HEAD request, which is refused", async () => {
      const given = await credentials();
      const id = await cancel(given.agentId);
      const headers = { authorization: `Bearer ${given.token}` };
      const answer = await callAgentRoute(brain.url, "/agent/commands?wait=0", { method: "HEAD", headers });
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, OPTIONS"]);
      expect((await rowOf(id)).status).toBe("pending");
    });

    test("claims nothing for a client that has disconnected", async () => {
      const agent = await connect();
      const disconnected = new AbortController();
      const polling = agent.poll({ wait: 30 }, { signal: disconnected.signal }).catch(() => "aborted");
      await waitingPolls(agent);
      disconnected.abort();
      expect(await polling).toBe("aborted");
      await waitFor(() => !brain.running.brain.features.commands.work.isWaiting(agent.session.agentId));
      const id = await cancel(agent.session.agentId);
      expect(agent.open((await agent.poll({ wait: 0 })).body.frames).map((frame) => frame.id)).toEqual([id]);
    });

    test("ends with 401 when the agent is revoked while it waits", async () => {
      const agent = await connect();
      const polling = agent.poll({ wait: 30 });
      await waitingPolls(agent);
      await brain.as.root.delete(`/projects/${brain.project.slug}/agents/${agent.session.agentId}`);
      expect(await polling).toMatchObject({ status: 401, body: { detail: "invalid agent token" } });
      expect((await agent.poll({ wait: 0 })).status).toBe(401);
    });

    test("ends with 401 also when the revocation was written without a notification", async () => {
      const agent = await connect();
      const polling = agent.poll({ wait: 30 });
      await waitingPolls(agent);
      await brain.running.brain.database.write((tx) =>
        tx.updateTable("agents").set({ revoked_at: new Date() }).where("id", "=", agent.session.agentId).execute(),
      );
      expect((await polling).status).toBe(401);
    });

    test("ends with 403 when the project is archived while it waits", async () => {
      await brain.as.root.post("/projects", { slug: "doomed", name: "Doomed" });
      const { body } = await brain.as.root.post("/projects/doomed/agents", { name: "late" });
      const agent = createRawPoller({
        url: brain.url,
        token: body.token,
        hmacSecret: body.hmac_secret,
        agentId: body.agent.id,
        projectId: body.agent.project_id,
      });
      const polling = agent.poll({ wait: 30 });
      await waitingPolls(agent);
      await brain.as.root.delete("/projects/doomed");
      expect(await polling).toMatchObject({ status: 403, body: { error: "project_inactive" } });
    });

    test("ends with 409 when an upload invalidates the agent's sessions while it waits", async () => {
      const agent = await connect();
      const polling = agent.poll({ wait: 30 });
      await waitingPolls(agent);
      await agent.upload([spoilt(agent.sign("heartbeat", {}))]);
      expect(await polling).toMatchObject({ status: 409, body: { details: { reason: "session_invalidated" } } });
    });

    test("answers 503 when all sixteen sessions of the agent are in use", async () => {
      const given = await credentials();
      const disconnected = new AbortController();
      const held = Array.from({ length: 16 }, () =>
        createRawPoller(given)
          .poll({ wait: 60 }, { signal: disconnected.signal })
          .catch(() => "aborted"),
      );
      const extra = createRawPoller(given);
      const full = await waitFor(async () => {
        const answer = await extra.poll({ wait: 0, max_frames: 1 });
        return answer.status === 503 && answer;
      });
      expect(full.headers.get("retry-after")).toBe("1");
      expect(full.body).toMatchObject({ error: "unready" });
      disconnected.abort();
      await Promise.all(held);
      await waitFor(async () => (await extra.poll({ wait: 0 })).status === 200);
    });

    test("delivers to a WebSocket as it connects, filtered by its own contracts", async () => {
      const given = await credentials();
      const retry = await issue(given.agentId, "retry_task", { engine: "bullmq", task_id: "task-1" });
      const plain = await cancel(given.agentId);
      const first = await connectRaw(given);
      await first.settle();
      expect(first.frames.filter(({ type }) => type === "command").map(({ id }) => id)).toEqual([plain]);
      first.sendFrame("command_ack", {}, plain);
      await first.settle();
      await first.close();
      const eligible = rawHello({ capabilities: { bullmq: ["retry_task", "retry_by_reference_v1"] } });
      const second = await connectRaw(given, { hello: eligible });
      await second.settle();
      expect(second.frames.filter(({ type }) => type === "command").map(({ id }) => id)).toEqual([retry]);
    });
  });
}
