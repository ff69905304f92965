import { encodeHello, type HelloPayload } from "@svc/protocol";
import { waitFor } from "@svc/testkit";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { callAgentRoute, connectRaw, openAgentSocket, type RawCredentials, rawHello } from "@svc/testkit/raw-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

describe("the agent gateway's handshake", () => {
  let brain: TestBrain;
  const outside = { "x-forwarded-for": "192.0.2.1" };

  beforeAll(async () => {
    brain = await startTestBrain({
      env: {
        SVC_WS_PER_AGENT_CONCURRENCY_CAP: "2",
        SVC_TRUSTED_PROXIES: "127.0.0.1",
        SVC_AGENT_IP_ALLOWLIST: "127.0.0.1,10.0.0.0/8",
      },
    });
  });
  afterAll(() => brain.stop());

  const credentials = async (): Promise<RawCredentials & { agentId: string }> => ({
    url: brain.url,
    ...(await brain.mintAgent()),
  });

  const agentPath = (id: string) => `/projects/${brain.project.slug}/agents/${id}`;

  /** Connects with a valid token, sends this first message and returns the close code. */
  async function closedAfter(first: string | Uint8Array): Promise<number> {
    const { token } = await credentials();
    const raw = openAgentSocket(brain.url, token);
    await raw.opened;
    raw.send(first);
    return (await raw.closed).code;
  }

  const helloText = (changes: Record<string, unknown>) =>
    encodeHello(rawHello(changes as Partial<HelloPayload>), { id: "hello_1" });

  test("answers hello with the session's ids, interval and frame limit, and marks the agent online", async () => {
    const given = await credentials();
    const agent = await connectRaw(given);
    expect(agent.hello).toEqual({
      protocol_version: "2",
      brain_version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      agent_id: given.agentId,
      project_id: brain.project.id,
      session_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      heartbeat_interval_seconds: 10,
      max_frame_size_bytes: 1_048_576,
    });
    const frame = JSON.parse(agent.messages[0] ?? "");
    expect(frame).toMatchObject({ v: 2, type: "hello_ack" });
    expect(frame.id).toBe(`hack_${agent.hello.session_id.replaceAll("-", "").slice(0, 12)}`);
    expect(Object.keys(frame)).not.toContain("hmac");

    const shown = await brain.as.viewer.get(agentPath(given.agentId));
    expect(shown.body).toMatchObject({
      state: "online",
      transport: "ws",
      host_name: "raw",
      engine_adapters: ["bullmq"],
    });
    await agent.close();
    await waitFor(async () => (await brain.as.viewer.get(agentPath(given.agentId))).body.state === "offline");
  });

  test("accepts binary hellos and hellos without a worker name", async () => {
    const given = await credentials();
    const raw = openAgentSocket(brain.url, given.token);
    await raw.opened;
    raw.send(Buffer.from(helloText({ worker_id: null })));
    await waitFor(() => raw.messages.length === 1);
    await raw.close();
  });

  test.each([
    ["text that is not JSON", "{"],
    ["text that is not an object", "[]"],
    ["another frame type", JSON.stringify({ v: 2, type: "heartbeat", id: "hb_1", payload: {} })],
    ["another frame version", JSON.stringify({ v: 3, type: "hello", id: "h", payload: { protocol_version: "2" } })],
    ["no payload", JSON.stringify({ v: 2, type: "hello", id: "h", payload: null })],
    ["no protocol version", JSON.stringify({ v: 2, type: "hello", id: "h", payload: { framework: "raw" } })],
    ["bytes that are not UTF-8", Buffer.from([0x7b, 0xff, 0x7d])],
    ["a byte order mark", Buffer.from(`\ufeff${JSON.stringify({ v: 2, type: "hello" })}`)],
    ["engines that are not a list", helloText({ engines: "bullmq" })],
    ["too many runtime features", helloText({ runtime_features: Array.from({ length: 65 }, (_, i) => `f${i}`) })],
    ["a negative pid", helloText({ worker_pid: -1 })],
    ["capabilities that are not a map", helloText({ capabilities: ["retry_task"] })],
  ])("closes with 4400 after %s", async (_what, first) => {
    expect(await closedAfter(first)).toBe(4400);
  });

  test("closes with 4426 for another protocol version", async () => {
    expect(await closedAfter(helloText({ protocol_version: "3" }))).toBe(4426);
  });

  test("closes with 4400 after a text message that is not UTF-8", async () => {
    const raw = openAgentSocket(brain.url, (await credentials()).token);
    await raw.opened;
    raw.socket.send(Buffer.from([0x7b, 0xff, 0x7d]), { binary: false });
    expect((await raw.closed).code).toBe(4400);
  });

  test.each([
    ["99.0.0", 1],
    ["0.0.0", 0],
    ["", 0],
  ])("warns of the agent version %j %i times", async (agent_version, times) => {
    const given = await credentials();
    const agent = await connectRaw(given, { hello: rawHello({ agent_version }) });
    await agent.close();
    const lines = brain.logLines.filter((line) => line.includes("version_skew") && line.includes(given.agentId));
    expect(lines).toHaveLength(times);
  });

  test.each([
    ["no token", null],
    ["an unknown token", "nope"],
    ["a token with inner white space", "a b"],
    ["a token longer than the header limit", "x".repeat(600)],
  ])("closes with 4401 for %s, before any hello", async (_what, token) => {
    expect((await openAgentSocket(brain.url, token).closed).code).toBe(4401);
  });

  test("accepts the bearer scheme in any case", async () => {
    const { token } = await credentials();
    const raw = openAgentSocket(brain.url, null, { authorization: `bEARER \t ${token} ` });
    await raw.opened;
    raw.send(helloText({}));
    await waitFor(() => raw.messages.length === 1);
    await raw.close();
  });

  test("closes with 4401 for a revoked token", async () => {
    const given = await credentials();
    await brain.as.root.delete(agentPath(given.agentId));
    expect((await openAgentSocket(brain.url, given.token).closed).code).toBe(4401);
  });

  test("closes with 4403 outside the address list, whatever the token", async () => {
    const { token } = await credentials();
    for (const presented of [token, "nope", null]) {
      expect(await openAgentSocket(brain.url, presented, outside).closed).toEqual({
        code: 4403,
        reason: "address not allowed",
      });
    }
    const inside = openAgentSocket(brain.url, token, { "x-forwarded-for": "10.1.2.3" });
    await inside.opened;
    inside.send(helloText({}));
    await waitFor(() => inside.messages.length === 1);
    await inside.close();
  });

  async function refusalRows(address: string) {
    const { database, features } = brain.running.brain;
    await features.audit.settled();
    const rows = await database.read.selectFrom("audit_log").selectAll().where("source_ip", "=", address).execute();
    return rows.map(({ metadata, ...row }) => ({ ...row, metadata: JSON.parse(metadata) as unknown }));
  }

  test("audits one refusal per address across transports", async () => {
    await openAgentSocket(brain.url, "nope", { "x-forwarded-for": "10.9.9.9" }).closed;
    await callAgentRoute(brain.url, "/agent/commands?wait=0", { headers: { "x-forwarded-for": "10.9.9.9" } });
    expect(await refusalRows("10.9.9.9")).toMatchObject([
      { action: "agent.auth.bearer_failed", metadata: { path: "/ws/agent" } },
    ]);
  });

  test("audits one denial per address outside the list, across transports", async () => {
    const from = { "x-forwarded-for": "198.51.100.7" };
    await callAgentRoute(brain.url, "/agent/commands?wait=0", { headers: from });
    await callAgentRoute(brain.url, "/agent/events", { method: "POST", headers: from });
    await openAgentSocket(brain.url, (await credentials()).token, from).closed;
    expect(await refusalRows("198.51.100.7")).toMatchObject([
      { action: "auth.ip_denied", target_type: "address", outcome: "deny", metadata: { surface: "agent" } },
    ]);
  });

  test.each([
    ["WebSocket", "/ws/agent"],
    ["upload", "/api/v1/agent/events"],
    ["poll", "/api/v1/agent/commands"],
  ])("audits one refusal per agent of an archived project, first over %s", async (transport, path) => {
    const slug = `archived-${transport.toLowerCase()}`;
    const address = `10.8.8.${slug.length}`;
    const from = { "x-forwarded-for": address };
    const project = (await brain.as.root.post("/projects", { slug, name: slug })).body;
    const agents = [];
    for (const name of ["one", "two"])
      agents.push((await brain.as.root.post(`/projects/${slug}/agents`, { name })).body);
    await brain.as.root.delete(`/projects/${slug}`);
    for (const { token } of agents) {
      const bearer = { ...from, authorization: `Bearer ${token}` };
      const requests: Record<string, () => Promise<unknown>> = {
        WebSocket: () => openAgentSocket(brain.url, token, from).closed,
        upload: () => callAgentRoute(brain.url, "/agent/events", { method: "POST", headers: bearer }),
        poll: () => callAgentRoute(brain.url, "/agent/commands?wait=0", { headers: bearer }),
      };
      await requests[transport]?.();
      for (const attempt of Object.values(requests)) await attempt();
    }
    expect(await refusalRows(address)).toMatchObject(
      agents.map(({ agent }) => ({
        action: "agent.auth.project_inactive",
        target_type: "agent",
        target_id: agent.id,
        project_id: project.id,
        outcome: "deny",
        metadata: { path },
      })),
    );
  });

  test("limits the connections of an agent, and replaces one when the same worker connects again", async () => {
    const given = await credentials();
    const one = await connectRaw(given, { hello: rawHello({ worker_id: "one" }) });
    const two = await connectRaw(given, { hello: rawHello({ worker_id: "two" }) });
    const three = openAgentSocket(brain.url, given.token);
    await three.opened;
    three.send(helloText({ worker_id: "three" }));
    expect((await three.closed).code).toBe(4429);

    const again = await connectRaw(given, { hello: rawHello({ worker_id: "one" }) });
    expect((await one.closed).code).toBe(4002);
    await Promise.all([two.settle(), again.settle()]);
    expect((await brain.as.viewer.get(agentPath(given.agentId))).body.state).toBe("online");
    await Promise.all([two.close(), again.close()]);
  });

  test("has a rate limit per address, shared with the long-poll routes, that refused connects do not count against", async () => {
    const from = { "x-forwarded-for": "10.7.7.7" };
    const attempt = () => callAgentRoute(brain.url, "/agent/commands?wait=0", { headers: from });
    for (let round = 0; round < 60; round += 1) {
      const statuses = await Promise.all(Array.from({ length: 10 }, async () => (await attempt()).status));
      expect(new Set(statuses)).toEqual(new Set([401]));
    }
    const { token } = await credentials();
    expect((await openAgentSocket(brain.url, token, from).closed).code).toBe(4429);
    const refused = await attempt();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(60);
    expect(refused.body.detail).toMatch(/^too many requests; retry in \d+ seconds \(agent-connect\)$/);
    expect(refused.headers.get("x-svc-longpoll-worker")).not.toBeNull();
    // Another address still has its token checked.
    expect((await openAgentSocket(brain.url, "nope", { "x-forwarded-for": "10.7.7.8" }).closed).code).toBe(4401);
  });

  test("claims nothing and frees the connection of a client that disconnects during the handshake", async () => {
    const given = await credentials();
    for (let round = 0; round < 4; round += 1) {
      const raw = openAgentSocket(brain.url, given.token);
      await raw.opened;
      raw.send(helloText({ worker_id: `left-${round}` }));
      raw.socket.terminate();
      await raw.closed;
    }
    const two = await waitFor(async () => {
      const agents = await Promise.all(
        ["a", "b"].map((worker_id) => connectRaw(given, { hello: rawHello({ worker_id }) })),
      );
      return agents;
    });
    await Promise.all(two.map((agent) => agent.close()));
  });
});
