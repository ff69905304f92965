import { headerNames } from "@svc/protocol";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { callAgentRoute, createRawPoller, rawEvents } from "@svc/testkit/raw-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const megabyte = 1_048_576;

describe("the long-poll routes before the session check", () => {
  let brain: TestBrain;
  const outside = { "x-forwarded-for": "192.0.2.1" };

  beforeAll(async () => {
    brain = await startTestBrain({
      env: {
        SVC_TRUSTED_PROXIES: "127.0.0.1",
        SVC_AGENT_IP_ALLOWLIST: "127.0.0.1,10.0.0.0/8",
        SVC_AGENT_MAX_BODY_BYTES: String(3 * megabyte),
      },
    });
  });
  afterAll(() => brain.stop());

  const poller = async (nonce?: string | null) =>
    createRawPoller({ url: brain.url, ...(await brain.mintAgent()), projectId: brain.project.id }, nonce);

  const routes = [
    ["/agent/events", { method: "POST", headers: { "content-type": "application/json" }, body: '{"frames":["x"]}' }],
    ["/agent/commands?wait=0&max_frames=0", { method: "GET" }],
    ["/agent/commands?wait=0", { method: "GET" }],
  ] as const;

  describe.each(routes)("%s", (path, init) => {
    const call = (headers: Record<string, string>) =>
      callAgentRoute(brain.url, path, { ...init, headers: { ...("headers" in init ? init.headers : {}), ...headers } });

    test("refuses an address outside the list with one body, whatever the token", async () => {
      const { token } = await brain.mintAgent();
      const bodies = new Set<string>();
      for (const headers of [
        {},
        { authorization: "Bearer nope" },
        { authorization: `Bearer ${token}` },
        { authorization: `Bearer ${token}`, "x-svc-session-nonce": "bad nonce" },
        { authorization: `Bearer ${token}`, "content-encoding": "gzip" },
      ] as Record<string, string>[]) {
        const answer = await call({ ...headers, ...outside });
        expect(answer.status).toBe(403);
        expect(answer.headers.get("x-svc-agent-id")).toBeNull();
        expect(answer.headers.get(headerNames.longPollWorker)).not.toBeNull();
        bodies.add(JSON.stringify(answer.body));
      }
      expect([...bodies]).toHaveLength(1);
      expect(JSON.parse([...bodies][0] ?? "")).toEqual({
        error: "ip_denied",
        message: expect.any(String),
        details: { surface: "agent" },
      });
    });

    test.each([{}, { authorization: "Basic abc" }, { authorization: "Bearer" }, { authorization: "Bearer nope" }])(
      "answers 401 to %j",
      async (headers) => {
        const answer = await call(headers as Record<string, string>);
        expect(answer.status).toBe(401);
        expect(answer.body).toMatchObject({ error: "unauthenticated", detail: "invalid agent token", details: {} });
        expect(answer.headers.get(headerNames.longPollWorker)).not.toBeNull();
        expect(answer.headers.get(headerNames.agentId)).toBeNull();
      },
    );

    test("answers 401 to a revoked agent, and 403 in an archived project", async () => {
      const revoked = await brain.mintAgent();
      await brain.as.root.delete(`/projects/${brain.project.slug}/agents/${revoked.agentId}`);
      expect((await call({ authorization: `Bearer ${revoked.token}` })).status).toBe(401);

      const slug = `closed-${init.method.toLowerCase()}-${path.length}`;
      await brain.as.root.post("/projects", { slug, name: slug });
      const { body } = await brain.as.root.post(`/projects/${slug}/agents`, { name: "late" });
      await brain.as.root.delete(`/projects/${slug}`);
      const answer = await call({ authorization: `Bearer ${body.token}` });
      expect(answer.status).toBe(403);
      expect(answer.body.error).toBe("project_inactive");
      expect(answer.headers.get(headerNames.agentId)).toBe(body.agent.id);
    });

    test.each(["a b", "x".repeat(129), "ä"])("answers 422 to the nonce %j", async (nonce) => {
      const { token } = await brain.mintAgent();
      const headers = { authorization: `Bearer ${token}`, [headerNames.sessionNonce]: nonce };
      const answer = await call(headers);
      expect(answer.status).toBe(422);
      expect(answer.body.details.errors[0].loc).toEqual(["header", "x-svc-session-nonce"]);
    });
  });

  test("upload needs JSON without content coding", async () => {
    const agent = await poller();
    for (const [headers, status] of [
      [{ "content-type": "text/plain" }, 415],
      [{ "content-type": "application/x-ndjson" }, 415],
      [{ "content-encoding": "gzip" }, 415],
      [{ "content-encoding": "br" }, 415],
      [{ "content-type": "application/json; charset=utf-8" }, 200],
    ] as [Record<string, string>, number][]) {
      const answer = await agent.upload([agent.sign("heartbeat", {})], headers);
      expect(answer.status).toBe(status);
      expect(answer.headers.get(headerNames.agentId)).toBe(agent.session.agentId);
      expect(answer.headers.get(headerNames.projectId)).toBe(brain.project.id);
    }
  });

  test.each<[string, unknown]>([
    ["no frames", {}],
    ["an empty list", { frames: [] }],
    ["501 frames", { frames: Array.from({ length: 501 }, () => "x") }],
    ["a frame that is not a string", { frames: [{ v: 2 }] }],
    ["a frame over 1 MiB", { frames: ["x".repeat(megabyte + 1)] }],
    ["a frame over 1 MiB in bytes only", { frames: ["\u20ac".repeat(400_000)] }],
    ["a list at the top", []],
    ["no JSON", "{"],
  ])("upload answers 422 to %s and stores nothing", async (_what, body) => {
    const agent = await poller();
    const answer = await callAgentRoute(brain.url, "/agent/events", {
      method: "POST",
      headers: {
        authorization: `Bearer ${(await brain.mintAgent()).token}`,
        "content-type": "application/json",
        [headerNames.sessionNonce]: agent.nonce,
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    expect(answer.status).toBe(422);
    expect(answer.body.error).toBe("validation_error");
    expect(JSON.stringify(answer.body)).not.toContain("xxxx");
  });

  test("upload accepts frames of exactly 1 MiB, and answers 413 to a larger body", async () => {
    const agent = await poller();
    const full = await agent.upload(["x".repeat(megabyte)]);
    expect(full).toMatchObject({ status: 200, body: { accepted: 1, rejected: 0 } });
    const tooMuch = await agent.upload(Array.from({ length: 4 }, () => "x".repeat(megabyte - 1)));
    expect(tooMuch.status).toBe(413);
    expect(tooMuch.body.error).toBe("payload_too_large");
    expect((await agent.upload([agent.sign("event_batch", { events: rawEvents(1) })])).status).toBe(200);
  });

  test.each([
    { wait: -1 },
    { wait: 61 },
    { wait: "soon" },
    { wait: "1.5" },
    { wait: 0, max_frames: -1 },
    { wait: 0, max_frames: 501 },
    { wait: 0, max_frames: "" },
  ])("a poll answers 422 to %j", async (query) => {
    const agent = await poller();
    expect((await agent.poll(query)).status).toBe(422);
  });

  test.each([
    { wait: 0, max_frames: 500 },
    { wait: 0, max_frames: 1 },
    { wait: 1, max_frames: 0 },
  ])("a poll accepts %j", async (query) => {
    const agent = await poller();
    expect(await agent.poll(query)).toMatchObject({ status: 200, body: { frames: [] } });
  });
});
