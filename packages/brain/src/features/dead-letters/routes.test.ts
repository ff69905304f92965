import { randomUUID } from "node:crypto";
import type { Frame } from "@svc/protocol";
import { waitFor } from "@svc/testkit";
import { type ApiAnswer, startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { routeDialects } from "@svc/testkit/databases";
import {
  connectRaw,
  createRawPoller,
  type RawAgent,
  type RawPoller,
  rawFrameId,
  rawHello,
} from "@svc/testkit/raw-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const canList = ["list_dead_letters", "requeue_dead_letter"];
const page = {
  entries: [
    {
      task_id: "mail:7",
      task_name: "mail",
      queue: "emails",
      failed_at: "2026-04-01T10:00:00.000Z",
      error_excerpt: "timed out",
      attempts: 3,
    },
  ],
  next_cursor: "next",
  total: 4,
  engine: "bullmq",
};

let addresses = 0;
/** Every caller has its own address, and therefore its own rate limit. */
const elsewhere = () => {
  addresses += 1;
  return { "x-forwarded-for": `198.51.${Math.floor(addresses / 250)}.${(addresses % 250) + 1}` };
};

for (const dialect of routeDialects) {
  describe(`GET /projects/{slug}/dead-letters on ${dialect}`, () => {
    let brain: TestBrain;
    let agents: RawAgent[] = [];

    beforeAll(async () => {
      brain = await startTestBrain({ dialect, env: { SVC_TRUSTED_PROXIES: "127.0.0.1" } });
    });
    afterAll(() => brain.stop());

    async function connect(capabilities: Record<string, string[]> = { bullmq: canList }) {
      const minted = await brain.mintAgent();
      const hello = rawHello({ engines: Object.keys(capabilities), capabilities });
      const agent = await connectRaw({ url: brain.url, ...minted }, { hello });
      agents.push(agent);
      return { agent, minted, agentId: minted.agentId };
    }
    async function endSessions(): Promise<void> {
      await Promise.all(agents.map((agent) => agent.close()));
      agents = [];
      await waitFor(async () => {
        const { body } = await brain.as.viewer.get(`/projects/${brain.project.slug}/agents`);
        return body.items.every(({ state }: { state: string }) => state !== "online");
      });
    }
    const list = (query: string, as: "viewer" | "operator" | "stranger" | "anonymous" = "viewer", of = brain) =>
      of.as[as].get(`/projects/${of.project.slug}/dead-letters${query}`, elsewhere());
    const asked = (agent: RawAgent, count = 1) =>
      waitFor(() => agent.frames.filter(({ type }) => type === "command")[count - 1], { that: "the command" });
    const echoOf = ({ payload }: Frame) => ({ delivery_claim_token: payload?.delivery_claim_token });
    const answer = (agent: RawAgent, frame: Frame, payload: object) =>
      agent.sendFrame("command_result", { ...payload, ...echoOf(frame) }, frame.id);
    const succeed = (agent: RawAgent, frame: Frame, result: unknown) =>
      answer(agent, frame, { status: "success", result });
    async function listAnswered(
      query: string,
      payload: object,
    ): Promise<ApiAnswer & { frame: Frame; agentId: string }> {
      await endSessions();
      const { agent, agentId } = await connect();
      const listing = list(query);
      const frame = await asked(agent);
      answer(agent, frame, payload);
      return { ...(await listing), frame, agentId };
    }
    const countCommands = async () =>
      (await brain.as.operator.get(`/projects/${brain.project.slug}/commands?action=dlq.list&limit=500`)).body.items
        .length as number;

    test("asks the agent, waits, and returns its page with the agent's id", async () => {
      const { status, body, frame, agentId } = await listAnswered("?engine=bullmq&queue=emails&limit=5&cursor=from", {
        status: "success",
        result: page,
      });
      expect([status, body]).toEqual([200, { ...page, agent_id: agentId }]);
      expect(frame.payload).toMatchObject({
        action: "dlq.list",
        target: { type: "queue", id: "emails", engine: "bullmq" },
        parameters: { engine: "bullmq", queue: "emails", limit: 5, cursor: "from" },
      });
    });

    test("by default asks for the first 100 entries of every queue", async () => {
      const { status, frame } = await listAnswered("?engine=bullmq", { status: "success", result: page });
      expect(status).toBe(200);
      expect(frame.payload?.target).toEqual({ type: "queue", id: "", engine: "bullmq" });
      expect(frame.payload?.parameters).toEqual({ engine: "bullmq", queue: null, limit: 100, cursor: null });
    });

    test("redacts secrets in the page", async () => {
      const secret = { ...page.entries[0], error_excerpt: "with sk_live_4eC39HqLyjWDarjtT1zdp7dc" };
      const { body } = await listAnswered("?engine=bullmq", {
        status: "success",
        result: { ...page, entries: [secret] },
      });
      expect(body.entries[0].error_excerpt).toBe("[REDACTED]");
    });

    test("adds the command to the list of commands, and a row to the audit log", async () => {
      const { frame } = await listAnswered("?engine=bullmq&queue=emails&limit=5", { status: "success", result: page });
      const path = `/projects/${brain.project.slug}/commands/${frame.id}`;
      expect((await brain.as.operator.get(path)).body).toMatchObject({
        action: "dlq.list",
        target_type: "queue",
        target_id: "emails",
        status: "completed",
        result: page,
      });
      expect((await brain.as.viewer.get(path)).body).toMatchObject({ issued_by: null, payload: {}, result: null });
      const rows = await brain.running.brain.database.read
        .selectFrom("audit_log")
        .selectAll()
        .where("target_id", "=", frame.id)
        .execute();
      expect(rows).toHaveLength(1);
      expect(rows[0]).toMatchObject({ action: "dead_letters.list", target_type: "command", result: "success" });
      expect(JSON.parse(rows[0]?.metadata ?? "")).toMatchObject({ engine: "bullmq", queue: "emails", limit: 5 });
      expect(rows[0]?.user_id).not.toBeNull();
      expect(rows[0]?.user_id).toBe((await brain.as.operator.get(path)).body.issued_by);
    });

    test("asks the most recently seen agent that can list them", async () => {
      await endSessions();
      const first = await connect();
      const second = await connect();
      await connect({ bullmq: ["retry_task"], celery: canList });
      const seen = async (agentId: string, at: string) => {
        await brain.running.brain.database.write((tx) =>
          tx
            .updateTable("agents")
            .set({ last_seen_at: new Date(at) })
            .where("id", "=", agentId)
            .execute(),
        );
      };
      await seen(first.agentId, "2090-01-02T00:00:00Z");
      await seen(second.agentId, "2090-01-01T00:00:00Z");
      const listing = list("?engine=bullmq");
      succeed(first.agent, await asked(first.agent), page);
      expect((await listing).status).toBe(200);
      await seen(second.agentId, "2090-01-03T00:00:00Z");
      const next = list("?engine=bullmq");
      succeed(second.agent, await asked(second.agent), page);
      expect((await next).status).toBe(200);
    });

    /** A polling agent whose earlier hello advertised its capabilities. */
    async function connectPoller() {
      const { minted, agentId } = await connect();
      await endSessions();
      const poller = createRawPoller({ url: brain.url, ...minted, projectId: brain.project.id });
      await poller.probe();
      const revoke = () => brain.as.admin.delete(`/projects/${brain.project.slug}/agents/${agentId}`);
      return { poller, agentId, revoke };
    }
    async function upload(poller: RawPoller): Promise<void> {
      await poller.upload([poller.sign("heartbeat", {})]);
      await brain.running.brain.features.agents.flush();
    }

    test("asks a polling agent by the capabilities of its earlier hello, while it uploads", async () => {
      await endSessions();
      const { poller, agentId, revoke } = await connectPoller();
      expect((await list("?engine=bullmq")).status).toBe(409);
      await upload(poller);
      const listing = list("?engine=bullmq");
      const { body } = await poller.poll({ wait: 10 });
      const [frame] = poller.open(body.frames);
      const result = { status: "success", result: page, ...echoOf(frame as Frame) };
      await poller.upload([poller.sign("command_result", result, frame?.id)]);
      expect((await listing).body).toEqual({ ...page, agent_id: agentId });
      const again = list(`?engine=bullmq&agent_id=${agentId}`);
      const [named] = poller.open((await poller.poll({ wait: 10 })).body.frames);
      await poller.upload([
        poller.sign("command_result", { status: "success", result: page, ...echoOf(named as Frame) }, named?.id),
      ]);
      expect((await again).status).toBe(200);

      await brain.running.brain.features.agents.flush();
      const seenAt = new Date(Date.now() - 31_000);
      await brain.running.brain.database.write((tx) =>
        tx.updateTable("agents").set({ last_seen_at: seenAt }).where("id", "=", agentId).execute(),
      );
      expect((await list("?engine=bullmq")).status).toBe(409);
      expect((await list(`?engine=bullmq&agent_id=${agentId}`)).body.details.reason).toBe("agent_offline");
      await revoke();
    });

    test("answers 502 when the agent is revoked before it takes the command", async () => {
      await endSessions();
      const { poller, revoke } = await connectPoller();
      await upload(poller);
      const before = await countCommands();
      const listing = list("?engine=bullmq");
      await waitFor(async () => (await countCommands()) > before);
      await revoke();
      const { status, body } = await listing;
      expect([status, body.details.reason]).toEqual([502, "adapter_error"]);
    });

    test("answers 409 with the capabilities of each online agent when none is eligible, and asks none", async () => {
      await endSessions();
      const before = await countCommands();
      const none = await list("?engine=bullmq");
      expect([none.status, none.body.error, none.body.details]).toEqual([
        409,
        "conflict",
        { engine: "bullmq", agents: [] },
      ]);
      const { agentId } = await connect({ bullmq: ["retry_task"], celery: canList });
      const { status, body } = await list("?engine=bullmq");
      expect(status).toBe(409);
      expect(body.details).toEqual({
        engine: "bullmq",
        agents: [
          {
            agent_id: agentId,
            name: expect.any(String),
            engines: ["bullmq", "celery"],
            capabilities: { bullmq: ["retry_task"], celery: canList },
          },
        ],
      });
      expect(await countCommands()).toBe(before);
    });

    test("does not ask a revoked agent", async () => {
      await endSessions();
      const { agentId } = await connect();
      await brain.as.admin.delete(`/projects/${brain.project.slug}/agents/${agentId}`);
      expect((await list("?engine=bullmq")).status).toBe(409);
    });

    test.each([
      ["", "engine"],
      ["?engine=", "engine"],
      [`?engine=${"e".repeat(41)}`, "engine"],
      ["?engine=bull%20mq", "engine"],
      ["?engine=bullmq&limit=0", "limit"],
      ["?engine=bullmq&limit=201", "limit"],
      ["?engine=bullmq&limit=many", "limit"],
      [`?engine=bullmq&cursor=${"c".repeat(2049)}`, "cursor"],
      [`?engine=bullmq&queue=${"q".repeat(201)}`, "queue"],
      ["?engine=bullmq&agent_id=first", "agent_id"],
    ])("answers 422 to %s", async (query, field) => {
      const { status, body } = await list(query);
      expect([status, body.error, body.details.errors[0].loc]).toEqual([422, "validation_error", ["query", field]]);
    });

    test("answers 422 to a cursor that the agent does not accept", async () => {
      const { status, body } = await listAnswered("?engine=bullmq&cursor=old", {
        status: "failed",
        error: "invalid_cursor: not one of this listing",
      });
      expect([status, body.error]).toEqual([422, "validation_error"]);
      expect(body.details.errors).toEqual([
        { loc: ["query", "cursor"], type: "invalid_cursor", message: expect.any(String) },
      ]);
    });

    test.each([
      ["refused", { status: "failed", error: "unsupported: this agent does not watch bullmq" }],
      ["refused", { status: "failed", error: "refused: not now" }],
      ["adapter_error", { status: "failed", error: "Couldn't connect to Redis. Nothing was changed." }],
    ])("answers 502 with reason %s and the agent's words to %j", async (reason, payload) => {
      const { status, body, frame } = await listAnswered("?engine=bullmq", payload);
      const details = { command_id: frame.id, reason, error: payload.error };
      expect([status, body.error, body.details]).toEqual([502, "adapter_error", details]);
      expect(body.message).not.toContain(payload.error);
    });

    test("includes at most 500 characters of the agent's error, with secrets redacted", async () => {
      const failed = (error: string) => listAnswered("?engine=bullmq", { status: "failed", error });
      const secret = "sk_live_4eC39HqLyjWDarjtT1zdp7dc";
      const { text, body } = await failed(`Redis refused ${secret}`);
      expect([text.includes(secret), body.details.error]).toEqual([false, expect.stringContaining("[REDACTED]")]);
      expect((await failed("long ".repeat(200))).body.details.error).toHaveLength(500);
      expect((await failed("")).body.details.error).toBe("the agent reported no reason");
    });

    test.each([
      { status: "success", result: { entries: "none" } },
      { status: "success" },
      { status: "success", result: { ...page, engine: "celery" } },
    ])("answers 502 with reason not_a_page to %j", async (payload) => {
      const { status, body, frame } = await listAnswered("?engine=bullmq", payload);
      const details = { command_id: frame.id, reason: "not_a_page" };
      expect([status, body.error, body.details]).toEqual([502, "adapter_error", details]);
    });

    test("answers 429 without asking an agent once an address has reached its rate limit", async () => {
      await endSessions();
      await connect();
      const before = await countCommands();
      const from = { "x-forwarded-for": "203.0.113.9" };
      const path = `/projects/${brain.project.slug}/dead-letters?engine=unknown`;
      for (let call = 0; call < 10; call += 1) expect((await brain.as.viewer.get(path, from)).status).toBe(409);
      const { status, body, headers } = await brain.as.viewer.get(path.replace("unknown", "bullmq"), from);
      expect([status, body.error]).toEqual([429, "rate_limited"]);
      expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
      expect(await countCommands()).toBe(before);
    });

    test("does not answer strangers, callers without a session, and HEAD", async () => {
      expect((await list("?engine=bullmq", "stranger")).status).toBe(404);
      expect((await list("?engine=bullmq", "anonymous")).status).toBe(401);
      const head = await fetch(`${brain.url}/api/v1/projects/${brain.project.slug}/dead-letters?engine=bullmq`, {
        method: "HEAD",
        headers: { cookie: brain.as.viewer.cookie, ...elsewhere() },
      });
      expect([404, 405]).toContain(head.status);
    });

    test("answers 504 with the command when the agent does not answer in time; the command keeps its own timeout", async () => {
      const quick = await startTestBrain({
        dialect,
        env: {
          SVC_COMMAND_TIMEOUT_SECONDS: "1",
          SVC_AGENT_LONGPOLL_REDISPATCH_MIN_INTERVAL_SECONDS: "1",
          SVC_COMMAND_TIMEOUT_SWEEP_SECONDS: "300",
        },
      });
      try {
        const minted = await quick.mintAgent(`silent-${randomUUID().slice(0, 8)}`);
        const agent = await connectRaw(
          { url: quick.url, ...minted },
          { hello: rawHello({ capabilities: { bullmq: canList } }) },
        );
        const { status, body } = await list("?engine=bullmq", "viewer", quick);
        const frame = await asked(agent);
        expect([status, body.error, body.details]).toEqual([
          504,
          "command_timeout",
          { command_id: frame.id, waited_seconds: 1 },
        ]);
        const path = `/projects/${quick.project.slug}/commands/${frame.id}`;
        expect((await quick.as.operator.get(path)).body.status).toBe("dispatched");
        agent.sendFrame("command_ack", echoOf(frame), rawFrameId());
        await agent.close();
      } finally {
        await quick.stop();
      }
    });
  });
}
