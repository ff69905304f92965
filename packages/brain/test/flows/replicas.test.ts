import { waitFor } from "@svc/testkit";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { connectRaw, createRawPoller, rawEvents, rawHello, spoilt } from "@svc/testkit/raw-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

describe("agents of two brains on one PostgreSQL", () => {
  let first: TestBrain;
  let second: TestBrain;
  beforeAll(async () => {
    first = await startTestBrain({ dialect: "postgres" });
    second = await startTestBrain({ databaseUrl: first.databaseUrl, home: first.home });
  });
  afterAll(async () => {
    await second.stop();
    await first.stop();
  });

  /** The same agent at each brain, with separate nonces. */
  async function pollers() {
    const given = { ...(await first.mintAgent()), projectId: first.project.id };
    return {
      ...given,
      atFirst: () => createRawPoller({ url: first.url, ...given }),
      atSecond: () => createRawPoller({ url: second.url, ...given }),
    };
  }

  test("are refused by both after a bad signature at one, until a probe at either", async () => {
    const { atFirst, atSecond } = await pollers();
    const near = atFirst();
    const far = atSecond();
    expect((await far.upload([far.sign("heartbeat", {})])).status).toBe(200);
    expect((await near.upload([spoilt(near.sign("heartbeat", {}))])).status).toBe(409);
    await waitFor(async () => (await far.upload(["no frame"])).status === 409);
    expect((await atSecond().probe()).status).toBe(200);
    await waitFor(async () => (await atFirst().poll({ wait: 0 })).status === 200);
  });

  test("keep a nonce that the other brain has not seen, with a session there", async () => {
    const { atFirst, atSecond } = await pollers();
    const near = atFirst();
    await near.upload([near.sign("event_batch", { events: rawEvents(1) })]);
    const moved = createRawPoller({ ...(await pollers()), url: second.url });
    expect((await moved.upload([moved.sign("event_batch", { events: rawEvents(1) })])).status).toBe(200);
    const there = atSecond();
    expect((await there.upload([there.sign("event_batch", { events: rawEvents(1) })])).status).toBe(200);
    const [here, elsewhere] = [await near.poll({ wait: 0 }), await there.poll({ wait: 0 })];
    expect(here.headers.get("x-svc-longpoll-worker")).not.toBe(elsewhere.headers.get("x-svc-longpoll-worker"));
  });

  test("lose sockets and polls at both when they are revoked at one", async () => {
    const { agentId, atSecond, ...given } = await pollers();
    const socket = await connectRaw({ url: second.url, ...given });
    const polling = atSecond().poll({ wait: 60 });
    await waitFor(() => second.running.brain.features.commands.work.isWaiting(agentId));
    await first.as.root.delete(`/projects/${first.project.slug}/agents/${agentId}`);
    expect((await socket.closed).code).toBe(4003);
    expect((await polling).status).toBe(401);
  });

  test("lose sockets at both when the project is archived at one", async () => {
    await first.as.root.post("/projects", { slug: "doomed", name: "Doomed" });
    const { body } = await first.as.root.post("/projects/doomed/agents", { name: "late" });
    const socket = await connectRaw({ url: second.url, token: body.token, hmacSecret: body.hmac_secret });
    await first.as.root.delete("/projects/doomed");
    expect((await socket.closed).code).toBe(4003);
  });

  test.each(["first", "second"] as const)(
    "stay online while one of their processes is connected to the %s brain",
    async (which) => {
      const { agentId, ...given } = await pollers();
      const [here, there] = which === "first" ? [first, second] : [second, first];
      const older = await connectRaw({ url: here.url, ...given }, { hello: rawHello({ worker_id: "one" }) });
      const newer = await connectRaw({ url: there.url, ...given }, { hello: rawHello({ worker_id: "two" }) });
      await newer.close();
      const agentWorkers = async () =>
        (await first.as.viewer.get(`/projects/${first.project.slug}/agent-workers`)).body as Record<string, unknown>[];
      await waitFor(async () =>
        (await agentWorkers()).some(
          (row) => row.agent_id === agentId && row.worker_id === "two" && row.state === "offline",
        ),
      );
      const { body } = await first.as.viewer.get(`/projects/${first.project.slug}/agents/${agentId}`);
      expect(body.state).toBe("online");
      await older.close();
    },
  );

  test("stay online while a connection to the other brain is newer", async () => {
    const { agentId, ...given } = await pollers();
    const old = await connectRaw({ url: first.url, ...given });
    const newer = await connectRaw({ url: second.url, ...given });
    await old.close();
    await newer.settle();
    const state = async () =>
      (await first.as.viewer.get(`/projects/${first.project.slug}/agents/${agentId}`)).body.state;
    await waitFor(() => first.running.brain.features.agents.flush().then(() => true));
    expect(await state()).toBe("online");
    await newer.close();
    await waitFor(async () => (await state()) === "offline");
  });
});
