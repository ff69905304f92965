import { waitFor } from "@svc/testkit";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import {
  createRawPoller,
  createRawSigning,
  ofVersion,
  type RawPoller,
  rawEvents,
  spoilt,
} from "@svc/testkit/raw-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

describe("a long-poll upload", () => {
  let brain: TestBrain;

  beforeAll(async () => {
    brain = await startTestBrain();
  });
  afterAll(() => brain.stop());

  const credentials = async () => ({ url: brain.url, ...(await brain.mintAgent()), projectId: brain.project.id });
  const connect = async (nonce?: string | null) => createRawPoller(await credentials(), nonce);
  const batch = (agent: RawPoller, count = 1) => agent.sign("event_batch", { events: rawEvents(count) });
  const storedEvents = async ({ session }: RawPoller) => {
    const { count } = await brain.running.brain.database.read
      .selectFrom("events")
      .select((eb) => eb.fn.countAll<number>().as("count"))
      .where("agent_id", "=", session.agentId)
      .executeTakeFirstOrThrow();
    return Number(count);
  };

  test("stores events before it answers, and marks the agent online", async () => {
    const agent = await connect();
    const answer = await agent.upload([batch(agent, 3), agent.sign("heartbeat", { buffer_size: 0 })]);
    expect(answer).toMatchObject({ status: 200, body: { accepted: 2, rejected: 0, errors: [], error_code: null } });
    expect(await storedEvents(agent)).toBe(3);
    await waitFor(async () => {
      const path = `/projects/${brain.project.slug}/agents/${agent.session.agentId}`;
      return (await brain.as.viewer.get(path)).body.state === "online";
    });
  });

  test("creates no agent process", async () => {
    const agent = await connect();
    await agent.upload([agent.sign("heartbeat", { buffer_size: 0 })]);
    await brain.running.brain.features.agents.flush();
    const processes = brain.running.brain.database.read.selectFrom("agent_workers").select("worker_id");
    expect(await processes.where("agent_id", "=", agent.session.agentId).execute()).toEqual([]);
  });

  test("confirms stored, duplicate, unparseable, unknown, misdirected and handshake frames", async () => {
    const agent = await connect();
    const events = rawEvents(2);
    const answer = await agent.upload([
      agent.sign("event_batch", { events }),
      agent.sign("event_batch", { events }),
      "no frame",
      '{"v":2,"type":"hello","id":"h","payload":{}}',
      '{"v":2,"type":"hello_ack","id":"h","payload":{}}',
      '{"v":2,"type":"greeting","id":"h","payload":{}}',
      '{"v":2,"type":"heartbeat","id":"\ud800","payload":{}}',
      agent.sign("command", { action: "retry_task" }),
      agent.sign("command_result", { status: "perhaps" }),
      agent.sign("command_result", { status: "success" }, "unknown"),
      agent.sign("registry_delta", {}),
    ]);
    expect(answer.body).toMatchObject({ accepted: 11, rejected: 0, error_code: null });
    expect(answer.body.errors.length).toBeGreaterThan(0);
    expect(answer.body.errors.length).toBeLessThanOrEqual(10);
    expect(await storedEvents(agent)).toBe(2);
  });

  test("with an unescaped U+0000 rejects only that frame", async () => {
    const agent = await connect();
    const answer = await agent.upload([batch(agent), "no\u0000frame"]);
    expect(answer).toMatchObject({ status: 200, body: { accepted: 2, rejected: 0 } });
    expect(await storedEvents(agent)).toBe(1);
  });

  test("stores twelve of its status samples and confirms them all", async () => {
    const agent = await connect();
    const frames = Array.from({ length: 30 }, (_, index) => agent.sign("agent_status", { index }));
    expect((await agent.upload(frames)).body).toMatchObject({ accepted: 30, rejected: 0 });
    const path = `/projects/${brain.project.slug}/agents/${agent.session.agentId}/status-history`;
    const { body } = await brain.as.viewer.get(path);
    expect(body.items).toHaveLength(12);
    await agent.upload([agent.sign("agent_status", { index: 30 })]);
    expect((await brain.as.viewer.get(path)).body.items).toHaveLength(13);
  });

  test("names up to ten dropped events, and confirms their frame", async () => {
    const agent = await connect();
    const [good] = rawEvents(1);
    const old = { ...good, occurred_at: "2001-01-01T00:00:00.000Z" };
    const answer = await agent.upload([agent.sign("event_batch", { events: [good, ...Array(20).fill(old)] })]);
    expect(answer.body).toMatchObject({ accepted: 1, rejected: 0 });
    expect(answer.body.errors).toHaveLength(10);
    expect(await storedEvents(agent)).toBe(1);
  });

  test("rejects only the frame of another version", async () => {
    const agent = await connect();
    const answer = await agent.upload([batch(agent), ofVersion(batch(agent), "3"), batch(agent)]);
    expect(answer).toMatchObject({ status: 200, body: { accepted: 2, rejected: 1 } });
    expect(await storedEvents(agent)).toBe(2);
  });

  test.each<[string, (agent: RawPoller) => string]>([
    ["a wrong signature", (agent) => spoilt(batch(agent, 5))],
    ["an unsigned frame", () => '{"v":2,"type":"event_batch","id":"e","payload":{"events":[]}}'],
    [
      "another nonce's signature",
      ({ secret, session }) =>
        createRawSigning(secret, { ...session, sessionId: "other" }).sign("event_batch", { events: rawEvents(5) }),
    ],
    [
      "another project's signature",
      ({ secret, session }) =>
        createRawSigning(secret, { ...session, projectId: "11111111-2222-4333-8444-555555555555" }).sign(
          "event_batch",
          { events: rawEvents(5) },
        ),
    ],
    [
      "a used sequence number",
      (agent) => {
        agent.resetSeq();
        return batch(agent, 5);
      },
    ],
    [
      "a stale time",
      (agent) => {
        agent.skewMs = -120_000;
        const text = batch(agent, 5);
        agent.skewMs = 0;
        return text;
      },
    ],
  ])("with %s keeps the frames before it and answers 409 for the rest", async (_what, bad) => {
    const agent = await connect();
    const frames = [batch(agent, 1), "no frame", bad(agent), batch(agent, 5), batch(agent, 5)];
    const answer = await agent.upload(frames);
    expect(answer.status).toBe(409);
    expect(answer.body).toMatchObject({
      error: "conflict",
      detail: expect.any(String),
      details: { reason: "session_invalidated", accepted: 2, rejected: 3, error_code: null },
    });
    expect(await storedEvents(agent)).toBe(1);
  });

  test("that replays an earlier upload ends the session and stores nothing", async () => {
    const agent = await connect();
    const frames = [batch(agent)];
    expect((await agent.upload(frames)).status).toBe(200);
    expect((await agent.upload(frames)).status).toBe(409);
    expect(await storedEvents(agent)).toBe(1);
  });

  test("after an invalidation gets 409 with every nonce until a probe with a new one", async () => {
    const given = await credentials();
    const [agent, other, fresh, later] = [0, 1, 2, 3].map(() => createRawPoller(given)) as RawPoller[];
    if (!agent || !other || !fresh || !later) throw new Error("unreachable");
    await other.upload([batch(other)]);
    await agent.upload([spoilt(batch(agent))]);

    for (const poller of [agent, other, fresh]) {
      const refused = await poller.upload([batch(poller)]);
      expect(refused).toMatchObject({ status: 409, body: { details: { reason: "session_invalidated" } } });
      expect((await poller.poll({ wait: 0 })).status).toBe(409);
    }
    // Nonces that were in use at that time cannot end the invalidation.
    expect((await agent.probe()).status).toBe(409);
    expect((await other.probe()).status).toBe(409);
    expect(await later.probe()).toMatchObject({ status: 200, body: { frames: [] } });
    expect((await later.upload([batch(later)])).body).toMatchObject({ accepted: 1, rejected: 0 });
    expect(await storedEvents(agent)).toBe(2);
  });

  test("waits only for the earlier upload of its session", async () => {
    const agent = await connect();
    const other = await connect();
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const held = brain.running.brain.database.write(() => gate);
    const answered: string[] = [];
    const first = agent.upload([batch(agent)]).then(() => answered.push("first"));
    await waitFor(() => brain.running.brain.features.ingest.hasCapacity() && answered.length === 0);
    const second = agent.upload(["no frame"]).then(() => answered.push("second"));
    for (let round = 0; round < 5; round += 1) await other.upload(["no frame"]);
    expect(answered).toEqual([]);
    open();
    await Promise.all([held, first, second]);
    expect(answered).toEqual(["first", "second"]);
  });

  test("without a nonce uses one shared session, which a probe restarts", async () => {
    const given = await credentials();
    const legacy = createRawPoller(given, null);
    expect((await legacy.upload([batch(legacy)])).status).toBe(200);
    const replay = batch(legacy);
    expect((await legacy.upload([replay])).status).toBe(200);

    const restarted = createRawPoller(given, null);
    expect((await restarted.probe()).status).toBe(200);
    expect((await restarted.upload([batch(restarted)])).status).toBe(200);
    // The nonces stay, so a frame captured before the probe is still a replay.
    expect((await restarted.upload([replay])).status).toBe(409);
    expect(await storedEvents(legacy)).toBe(3);
  });

  test("stops at a heartbeat after revocation, with 401 and its counts", async () => {
    const agent = await connect();
    const { agents } = brain.running.brain.features;
    const { agentId, projectId } = agent.session;
    const revoke = (revoked_at: Date | null) =>
      brain.running.brain.database.write((tx) =>
        tx.updateTable("agents").set({ revoked_at }).where("id", "=", agentId).execute(),
      );
    // The cached token is still valid, as for two seconds after a lost notification from a replica.
    await revoke(new Date());
    const identity = { agent_id: agentId, project_id: projectId, name: "agent", project_is_active: true };
    await agents.heartbeats.seen(identity, undefined, new Date());
    await agents.flush();
    await revoke(null);

    const answer = await agent.upload([batch(agent), agent.sign("heartbeat", {}), batch(agent), "no frame"]);
    expect(answer).toMatchObject({
      status: 401,
      body: {
        error: "unauthenticated",
        detail: "invalid agent token",
        details: { accepted: 1, rejected: 3, errors: [], error_code: null },
      },
    });
    expect(await storedEvents(agent)).toBe(1);
  });
});
