import { canonicalText, createVerifier } from "@svc/protocol";
import { waitFor } from "@svc/testkit";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import {
  connectRaw,
  createRawSigning,
  ofVersion,
  type RawAgent,
  type RawCredentials,
  rawEvents,
  rawHello,
  spoilt,
} from "@svc/testkit/raw-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

describe("frames over the agent gateway", () => {
  let brain: TestBrain;

  beforeAll(async () => {
    brain = await startTestBrain({ env: { SVC_MAX_WS_FRAME_BYTES: "200000", SVC_WS_INGEST_QUEUE_MAXSIZE: "16" } });
  });
  afterAll(() => brain.stop());

  const credentials = async (): Promise<RawCredentials & { agentId: string }> => ({
    url: brain.url,
    ...(await brain.mintAgent()),
  });
  const connect = async () => connectRaw(await credentials());
  const storedEvents = async (agent: RawAgent) =>
    brain.running.brain.database.read
      .selectFrom("events")
      .select(["id", "task_id", "project_id"])
      .where("agent_id", "=", agent.hello.agent_id)
      .execute();

  test("are acknowledged with the number of new events", async () => {
    const agent = await connect();
    const events = rawEvents(3);
    const id = agent.sendEvents(events);
    expect(await agent.ackOf(id)).toEqual({ acked_id: id, received: 3, accepted: 3, rejected: 0, errors: [] });
    expect(agent.frames.at(-1)?.id).toBe(`eba_${id}`);

    const again = agent.sendEvents([...events, ...rawEvents(1)]);
    expect(await agent.ackOf(again)).toEqual({ acked_id: again, received: 4, accepted: 1, rejected: 3, errors: [] });
    expect(await storedEvents(agent)).toHaveLength(4);
  });

  test("are acknowledged under an id cut to 64 characters", async () => {
    const agent = await connect();
    const id = "\u{1f600}".repeat(64);
    agent.sendEvents(rawEvents(1), id);
    const ack = await agent.ackOf(id);
    expect(ack.accepted).toBe(1);
    expect([...(agent.frames.at(-1)?.id ?? "")].length).toBeLessThanOrEqual(64);
  });

  test("are acknowledged with the dropped events, and the rest is stored", async () => {
    const agent = await connect();
    const [good] = rawEvents(1);
    const id = agent.sendEvents([good, { ...good, task_id: "x".repeat(201) }, "no record", { engine: "" }, null]);
    const ack = await agent.ackOf(id);
    expect(ack).toMatchObject({ received: 5, accepted: 1, rejected: 4 });
    expect(ack.errors).toHaveLength(1);
  });

  test("count events beyond 5000 as received and drop them", async () => {
    const agent = await connect();
    const id = agent.sendEvents(Array.from({ length: 5003 }, () => 0));
    const ack = await agent.ackOf(id);
    expect(ack).toMatchObject({ received: 5003, accepted: 0, rejected: 5003 });
    expect(ack.errors).toEqual(["3 events beyond the limit of 5000 were dropped"]);
  });

  test("of other types get no answer, and their contents are stored", async () => {
    const agent = await connect();
    const health = { "bullmq.queue_depths": '{"mail":7}' };
    agent.sendFrame("heartbeat", { buffer_size: 0, dropped_events: 0, adapter_health: health });
    agent.sendFrame("agent_status", { auth_failure_streak: 0, buffer_depth: 5 });
    agent.sendFrame("registry_delta", { engine: "bullmq", added: [], removed: [], updated: [] });
    agent.sendFrame("error", { code: "odd", message: "something", fatal: false });
    await agent.settle();
    expect(agent.frames.map(({ type }) => type)).toEqual(["event_batch_ack"]);
    const path = `/projects/${brain.project.slug}`;
    await waitFor(async () => {
      const { body } = await brain.as.viewer.get(`${path}/agents/${agent.hello.agent_id}/status-history`);
      return body.items[0]?.payload.buffer_depth === 5;
    });
    await waitFor(async () => {
      const { body } = await brain.as.viewer.get(`${path}/queues`);
      return body.items.some((queue: { name: string; pending_count: number }) => queue.pending_count === 7);
    });
  });

  test("of agent_status are kept 12 times a minute", async () => {
    const agent = await connect();
    for (let index = 0; index < 20; index += 1) agent.sendFrame("agent_status", { index });
    await agent.settle();
    const path = `/projects/${brain.project.slug}/agents/${agent.hello.agent_id}/status-history`;
    const indexes = async () =>
      (await brain.as.viewer.get(path)).body.items.map(
        (sample: { payload: { index: number } }) => sample.payload.index,
      );
    await waitFor(async () => (await indexes()).length === 12);
    expect(new Set(await indexes())).toEqual(new Set(Array.from({ length: 12 }, (_, index) => index)));
  });

  test("are accepted in any valid JSON form", async () => {
    const agent = await connect();
    const frame = JSON.parse(agent.sign("event_batch", { events: rawEvents(1) }, "ev_loose"));
    const loose = JSON.stringify({ type: frame.type, v: 2, ...frame }, null, 2);
    agent.send(loose);
    expect((await agent.ackOf("ev_loose")).accepted).toBe(1);
  });

  test("are answered in binary messages", async () => {
    const agent = await connect();
    const kinds: boolean[] = [];
    agent.socket.on("message", (_data, isBinary) => kinds.push(isBinary));
    agent.send(ofVersion(agent.sign("heartbeat", {}), "3"));
    await agent.settle();
    expect(kinds).toEqual([true, true]);
  });

  test.each<[string, string, (agent: RawAgent) => string | Uint8Array]>([
    ["text that is not JSON", "malformed", () => "{"],
    ["text that is not an object", "malformed", () => '"hello"'],
    ["bytes that are not UTF-8", "malformed", () => Buffer.from([0xff, 0xfe])],
    [
      "an unknown type",
      "unknown_type",
      (agent) => agent.sign("heartbeat", {}).replace('"type":"heartbeat"', '"type":"greeting"'),
    ],
    ["a version that is not an integer", "malformed", (agent) => ofVersion(agent.sign("heartbeat", {}), "2.0")],
    [
      "a payload that is not an object",
      "malformed",
      (agent) => agent.sign("heartbeat", {}).replace('"payload":{}', '"payload":[]'),
    ],
    ["an invalid id", "malformed", (agent) => agent.sign("heartbeat", {}, "x".repeat(65))],
    ["a second hello", "handshake", () => canonicalText({ id: "h", payload: {}, ts: null, type: "hello", v: 2 })],
    ["a frame for agents", "wrong_direction", (agent) => agent.sign("command", { action: "retry_task" })],
  ])("drops %s with a warning and keeps the connection", async (_what, word, text) => {
    const agent = await connect();
    agent.send(text(agent));
    await agent.settle();
    const lines = brain.logLines.filter((line) => line.includes(agent.hello.agent_id));
    expect(lines).toEqual([expect.stringContaining(word)]);
    await agent.close();
  });

  test("drops text messages that are not UTF-8 with one warning and keeps the connection", async () => {
    const agent = await connect();
    for (let round = 0; round < 20; round += 1) {
      agent.socket.send(Buffer.from([0x7b, 0xff, 0x7d]), { binary: false });
    }
    await agent.settle();
    const lines = brain.logLines.filter((line) => line.includes(agent.hello.agent_id));
    expect(lines).toEqual([expect.stringContaining("malformed")]);
    await agent.close();
  });

  test.each<[string, (agent: RawAgent) => string | Uint8Array]>([
    ["an event_batch without events", (agent) => agent.sign("event_batch", { events: "none" })],
    ["a result without status", (agent) => agent.sign("command_result", { result: {} })],
    ["a result of an unknown command", (agent) => agent.sign("command_result", { status: "success" }, "unknown")],
    ["a heartbeat with wrong types", (agent) => agent.sign("heartbeat", { adapter_health: 5, dropped_events: "x" })],
  ])("drops %s and keeps the connection", async (_what, text) => {
    const agent = await connect();
    agent.send(text(agent));
    await agent.settle();
    expect(agent.socket.readyState).toBe(agent.socket.OPEN);
    await agent.close();
  });

  test("answers a frame of another version with an error and does not confirm it", async () => {
    const agent = await connect();
    agent.send(ofVersion(agent.sign("event_batch", { events: rawEvents(1) }, "ev_future"), "3"));
    await agent.settle();
    const [error, ack] = agent.frames;
    expect(error).toMatchObject({
      type: "error",
      id: "err_ev_future",
      payload: { code: "protocol_incompatible", fatal: false },
    });
    expect(ack?.payload?.acked_id).not.toBe("ev_future");
    expect(await storedEvents(agent)).toEqual([]);
  });

  test("survives ids that canonical JSON cannot hold", async () => {
    const agent = await connect();
    agent.send('{"v":3,"type":"heartbeat","id":"\\ud800","payload":{}}');
    await agent.settle();
    expect(agent.frames[0]).toMatchObject({ type: "error", id: "err_\ufffd" });
    await agent.close();
  });

  test.each<[string, (agent: RawAgent) => string]>([
    ["a wrong signature", (agent) => spoilt(agent.sign("event_batch", { events: rawEvents(1) }))],
    ["no signature", () => canonicalText({ id: "e", payload: {}, ts: null, type: "event_batch", v: 2 })],
    [
      "a changed byte",
      (agent) => agent.sign("event_batch", { events: rawEvents(1, "task") }).replace("task-0", "task-1"),
    ],
    [
      "a signature of another session",
      ({ secret, session }) =>
        createRawSigning(secret, { ...session, sessionId: "11111111-2222-4333-8444-555555555555" }).sign(
          "event_batch",
          { events: rawEvents(1) },
        ),
    ],
    [
      "a signature for another project",
      ({ secret, session }) =>
        createRawSigning(secret, { ...session, projectId: "11111111-2222-4333-8444-555555555555" }).sign(
          "event_batch",
          { events: rawEvents(1) },
        ),
    ],
    [
      "a used sequence number",
      (agent) => {
        agent.send(agent.sign("heartbeat", {}));
        agent.resetSeq();
        return agent.sign("event_batch", { events: rawEvents(1) });
      },
    ],
    [
      "a repeated frame",
      (agent) => {
        const text = agent.sign("heartbeat", {});
        agent.send(text);
        return text;
      },
    ],
    [
      "a frame from two minutes ago",
      (agent) => {
        agent.skewMs = -120_000;
        return agent.sign("event_batch", { events: rawEvents(1) });
      },
    ],
    [
      "a frame from the future",
      (agent) => {
        agent.skewMs = 120_000;
        return agent.sign("event_batch", { events: rawEvents(1) });
      },
    ],
  ])("closes with 4403 for %s, and ignores everything after it", async (_what, text) => {
    const agent = await connect();
    const bad = text(agent);
    agent.skewMs = 0;
    // In one write: the next frame has already arrived when the bad frame is checked.
    agent.socket.send(bad);
    agent.sendEvents(rawEvents(5));
    expect((await agent.closed).code).toBe(4403);
    expect(agent.acks()).toEqual([]);
    const another = await connect();
    await another.settle();
    expect(await storedEvents(agent)).toEqual([]);
  });

  test("closes with 1009 for a message over the limit of hello_ack", async () => {
    const agent = await connect();
    expect(agent.hello.max_frame_size_bytes).toBe(200_000);
    const padding = "x".repeat(199_000);
    agent.sendFrame("error", { code: "big", message: padding, fatal: false });
    await agent.settle();
    agent.sendFrame("error", { code: "big", message: `${padding}${"x".repeat(2000)}`, fatal: false });
    expect((await agent.closed).code).toBe(1009);
  });

  test("are not read while the ingest queue is full, and are all stored in the end", async () => {
    const agent = await connect();
    const { database, features } = brain.running.brain;
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const held = database.write(() => gate);
    const ids = Array.from({ length: 120 }, () => agent.sendEvents(rawEvents(50)));
    try {
      await waitFor(() => !features.ingest.hasCapacity());
      for (let round = 0; round < 5; round += 1) await brain.as.anonymous.get("//health");
      // The queue holds its limit and the frames of the chunk that exceeded it, not all 6000 events.
      expect(features.ingest.queuedRows()).toBeLessThan(2500);
      expect(agent.acks()).toEqual([]);
    } finally {
      open();
      await held;
    }
    const acks = await Promise.all(ids.map((id) => agent.ackOf(id)));
    expect(acks.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(6000);
  });

  test("signs its own frames with a rising sequence that the agent can check", async () => {
    const agent = await connect();
    for (let index = 0; index < 3; index += 1) await agent.ackOf(agent.sendEvents(rawEvents(1)));
    expect(agent.frames.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    const stranger = createVerifier({ secret: agent.secret, session: { ...agent.session, sessionId: "other" } });
    expect(stranger.open(agent.messages.at(-1) ?? "")).toMatchObject({ ok: false, reason: "signature" });
  });

  test("closes every socket with 4003 when the agent is revoked", async () => {
    const given = await credentials();
    const agents = await Promise.all(
      ["a", "b"].map((worker_id) => connectRaw(given, { hello: rawHello({ worker_id }) })),
    );
    await brain.as.root.delete(`/projects/${brain.project.slug}/agents/${given.agentId}`);
    expect(await Promise.all(agents.map(async ({ closed }) => (await closed).code))).toEqual([4003, 4003]);
  });

  test("closes with 4003 when the project is archived, and refuses the next connect with 4401", async () => {
    await brain.as.root.post("/projects", { slug: "doomed", name: "Doomed" });
    const { body } = await brain.as.root.post("/projects/doomed/agents", { name: "late" });
    const given = { url: brain.url, token: body.token, hmacSecret: body.hmac_secret };
    const agent = await connectRaw(given);
    expect((await brain.as.root.delete("/projects/doomed")).status).toBe(204);
    expect((await agent.closed).code).toBe(4003);
    await expect(connectRaw(given)).rejects.toThrow("4401 project archived");
    await brain.as.root.patch("/projects/doomed", { is_active: true });
    await (await connectRaw(given)).close();
  });
});
