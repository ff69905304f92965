import { once } from "node:events";
import { waitFor } from "@svc/testkit";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { routeDialects } from "@svc/testkit/databases";
import { connectRaw, openRawSocket, type RawSocket, rawEvents, rawHello } from "@svc/testkit/raw-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

type Caller = keyof TestBrain["as"];
// biome-ignore lint/suspicious/noExplicitAny: frames of every shape
type HubFrame = any;

const framesOf = ({ messages }: RawSocket): HubFrame[] => messages.map((text) => JSON.parse(text));

/** Opens the hub as this caller, by default from the brain's own page. */
function openHub(brain: TestBrain, caller: Caller | { cookie: string }, origin: string | null = brain.url): RawSocket {
  const { cookie } = typeof caller === "string" ? brain.as[caller] : caller;
  return openRawSocket(`${brain.url}/ws/dashboard`, {
    ...(cookie !== "" && { cookie }),
    ...(origin !== null && { origin }),
  });
}

async function subscribe(brain: TestBrain, caller: Caller, topics: string[] = ["task.changed"]): Promise<RawSocket> {
  const hub = openHub(brain, caller);
  await hub.opened;
  hub.send(JSON.stringify({ type: "subscribe", project_id: brain.project.id, topics }));
  await waitFor(() => framesOf(hub)[0]?.type === "ready", { that: "ready" });
  return hub;
}

const rowsOf = (hub: RawSocket, topic: string): HubFrame[] =>
  framesOf(hub).flatMap((frame) => (frame.topic === topic ? (frame.rows ?? []) : []));

const agentOf = async (brain: TestBrain) => connectRaw({ url: brain.url, ...(await brain.mintAgent()) });

for (const dialect of routeDialects) {
  describe(`the dashboard hub on ${dialect}`, () => {
    let brain: TestBrain;
    beforeAll(async () => {
      brain = await startTestBrain({ dialect });
    });
    afterAll(() => brain.stop());

    test("sends a task as the list returns it, without inputs, result and traceback, and with counts", async () => {
      const hub = await subscribe(brain, "viewer");
      const agent = await agentOf(brain);
      const data = { args: [1], kwargs: { a: 2 }, result: "done", traceback: "at x" };
      await agent.ackOf(agent.sendEvents(rawEvents(1, "shown", data)));
      const row = await waitFor(() => rowsOf(hub, "task.changed").find(({ task_id }) => task_id === "shown-0"));
      const { body } = await brain.as.viewer.get(`/projects/${brain.project.slug}/tasks?search=shown-0`);
      const [listed] = body.items;
      const { args: _a, kwargs: _k, result: _r, traceback: _t, ...shown } = listed;
      expect(row).toEqual(shown);
      expect(framesOf(hub).find(({ type }) => type === "event").counts).toEqual(expect.any(Object));
      await hub.close();
    });

    test("sends changes of agents, workers and queues, and removed tasks", async () => {
      const topics = ["task.changed", "agent.changed", "worker.changed", "queue.changed"];
      const hub = await subscribe(brain, "viewer", topics);
      const agent = await agentOf(brain);
      await waitFor(() =>
        rowsOf(hub, "agent.changed").some(({ id, state }) => id === agent.hello.agent_id && state === "online"),
      );
      const started = rawEvents(2, "removed", { worker: "worker-1", queue: "mails" });
      await agent.ackOf(agent.sendEvents(started.map((event) => ({ ...event, kind: "task.started" }))));
      await waitFor(() => rowsOf(hub, "queue.changed").some(({ name }) => name === "mails"));
      await waitFor(() => rowsOf(hub, "worker.changed").some(({ name }) => name === "worker-1"));
      const { id } = await waitFor(() => rowsOf(hub, "task.changed").find(({ task_id }) => task_id === "removed-0"));
      const deleted = await brain.as.root.post(`/projects/${brain.project.slug}/tasks/bulk-delete`, { task_ids: [id] });
      expect(deleted.status).toBe(200);
      await waitFor(() => framesOf(hub).some(({ removed }) => removed?.includes(id)));
      await agent.close();
      await waitFor(() => rowsOf(hub, "agent.changed").some(({ state }) => state === "offline"));
      await hub.close();
    });

    test("sends schedules as the list returns them, with counts, and deleted ones", async () => {
      const hub = await subscribe(brain, "viewer", ["schedule.changed"]);
      const path = `/projects/${brain.project.slug}/schedules`;
      const nightly = {
        name: "bob@example.com",
        engine: "bullmq",
        kind: "cron",
        expression: "0 3 * * *",
        task_name: "m",
      };
      const { id } = (await brain.as.admin.post(path, nightly)).body;
      await waitFor(() => rowsOf(hub, "schedule.changed").some((row) => row.id === id));
      await brain.as.operator.post(`${path}/${id}/pause`);
      const last = await waitFor(() => framesOf(hub).find(({ counts }) => counts?.paused === 1));
      expect(last.counts).toEqual({ enabled: 1, paused: 1, stopped: 0 });
      expect(last.rows).toEqual((await brain.as.viewer.get(path)).body.items);
      await brain.as.admin.delete(`${path}/${id}`);
      await waitFor(() => framesOf(hub).some(({ removed }) => removed?.includes(id)));
      await hub.close();
    });

    test("sends commands as each role may see them, with counts of open ones", async () => {
      const minted = await brain.mintAgent();
      const agent = await connectRaw(
        { url: brain.url, ...minted },
        { hello: rawHello({ capabilities: { bullmq: ["cancel_task"] } }) },
      );
      await agent.settle();
      const hubs = {
        viewer: await subscribe(brain, "viewer", ["command.changed"]),
        operator: await subscribe(brain, "operator", ["command.changed"]),
      };
      const path = `/projects/${brain.project.slug}/commands`;
      const body = { agent_id: minted.agentId, engine: "bullmq", task_id: "shown" };
      const { id } = (await brain.as.operator.post(`${path}/cancel-task`, body)).body;
      const sent = await waitFor(() => agent.frames.find((frame) => frame.id === id));
      for (const hub of Object.values(hubs)) {
        await waitFor(() =>
          framesOf(hub).some(({ rows, counts }) => rows?.[0]?.status === "dispatched" && counts.dispatched === 1),
        );
      }
      const echo = { delivery_claim_token: sent.payload?.delivery_claim_token };
      agent.sendFrame("command_result", { status: "success", result: { hidden: 1 }, ...echo }, id);
      for (const role of ["viewer", "operator"] as const) {
        const last = await waitFor(() =>
          framesOf(hubs[role]).find(({ rows }) => rows?.some((row: HubFrame) => row.status === "completed")),
        );
        expect(last.counts).toEqual({ pending: 0, dispatched: 0 });
        expect(last.rows).toEqual([(await brain.as[role].get(`${path}/${id}`)).body]);
      }
      expect(hubs.viewer.messages.join("")).not.toMatch(/hidden|task_id|delivery_claim_token/);
      expect(hubs.operator.messages.join("")).toContain('"hidden":1');
      for (const hub of Object.values(hubs)) await hub.close();
    });

    test("requests a refetch when more than 200 tasks change at once", async () => {
      const hub = await subscribe(brain, "viewer");
      const agent = await agentOf(brain);
      await agent.ackOf(agent.sendEvents(rawEvents(201)));
      await waitFor(() => framesOf(hub).some(({ topic, refetch }) => topic === "task.changed" && refetch === true));
      await hub.close();
    });

    test("answers pings", async () => {
      const hub = openHub(brain, "viewer");
      await hub.opened;
      hub.send('{"type":"ping"}');
      await waitFor(() => framesOf(hub)[0]?.type === "pong");
      const pong = once(hub.socket, "pong");
      hub.socket.ping();
      await pong;
      await hub.close();
    });

    test("closes at once when its session ends", async () => {
      const { email, password } = { email: "operator@example.org", password: "correct horse battery" };
      const { headers, body } = await brain.as.anonymous.post("/auth/login", { email, password });
      const cookie = headers
        .getSetCookie()
        .map((line) => line.split(";")[0])
        .join("; ");
      const csrf = /csrf=([^;]+)/.exec(cookie)?.[1] ?? "";
      expect(body).toBeDefined();
      const hub = openHub(brain, { cookie });
      await hub.opened;
      hub.send(JSON.stringify({ type: "subscribe", project_id: brain.project.id, topics: ["task.changed"] }));
      await waitFor(() => framesOf(hub)[0]?.type === "ready");
      const other = await subscribe(brain, "operator");
      const out = await brain.as.anonymous.post("/auth/logout", {}, { cookie, "x-csrf-token": csrf });
      expect(out.status).toBeLessThan(300);
      expect((await hub.closed).code).toBe(4401);
      expect(other.socket.readyState).toBe(other.socket.OPEN);
      expect((await openHub(brain, { cookie }).closed).code).toBe(4401);
      await other.close();
    });
  });
}

describe("access to the dashboard hub", () => {
  let brain: TestBrain;
  beforeAll(async () => {
    brain = await startTestBrain({ env: { SVC_CORS_ORIGINS: "https://wall.example.org" } });
  });
  afterAll(() => brain.stop());
  const codeOf = async ({ closed }: RawSocket) => (await closed).code;

  test("is refused with 4403 for other origins and without an origin", async () => {
    for (const origin of ["https://evil.example.org", "null", null]) {
      expect(await codeOf(openHub(brain, "viewer", origin))).toBe(4403);
    }
  });

  test("is allowed for origins in the settings", async () => {
    const hub = openHub(brain, "viewer", "https://wall.example.org");
    await hub.opened;
    hub.send('{"type":"ping"}');
    await waitFor(() => framesOf(hub).length === 1);
    await hub.close();
  });

  test("is refused with 4401 without a session, or with a forged one", async () => {
    expect(await codeOf(openHub(brain, "anonymous"))).toBe(4401);
    const forged = brain.as.viewer.cookie.replace(/svc_session=[^;]+/, "svc_session=abc.def");
    expect(await codeOf(openHub(brain, { cookie: forged }))).toBe(4401);
  });

  test("is refused with 4401 for an API key: only a session cookie is accepted", async () => {
    const { body } = await brain.as.root.post("/api-keys", { name: "all", scopes: ["admin:*"] });
    const headers = { authorization: `Bearer ${body.token}`, origin: brain.url };
    expect(await codeOf(openRawSocket(`${brain.url}/ws/dashboard`, headers))).toBe(4401);
  });

  test("is refused with 4403 for a project of which the user is not a member", async () => {
    await brain.as.root.post("/projects", { slug: "secret", name: "Secret" });
    const { body } = await brain.as.root.get("/projects/secret");
    for (const [caller, project_id] of [
      ["viewer", body.id],
      ["stranger", brain.project.id],
    ] as const) {
      const hub = openHub(brain, caller);
      await hub.opened;
      hub.send(JSON.stringify({ type: "subscribe", project_id, topics: ["task.changed"] }));
      expect(await codeOf(hub)).toBe(4403);
      expect(hub.messages).toEqual([]);
    }
  });

  test("ends with 4400 after a bad frame and with 4402 when the brain stops", async () => {
    for (const message of [
      '{"type":"subscribe"}',
      Buffer.from([...Buffer.from('{"type":"ping","a":"'), 0xff, 0x22, 0x7d]),
    ]) {
      const bad = openHub(brain, "viewer");
      await bad.opened;
      bad.socket.send(message, { binary: false });
      expect(await codeOf(bad)).toBe(4400);
    }
    const second = await startTestBrain();
    const hub = await subscribe(second, "viewer");
    await second.stop();
    expect(await codeOf(hub)).toBe(4402);
  });
});

describe("a live view of a user whose membership ends", () => {
  test("closes with 4403 in every process, while others stay open", async () => {
    await using first = await startTestBrain({ dialect: "postgres" });
    await using second = await startTestBrain({ databaseUrl: first.databaseUrl, home: first.home });
    const [near, far] = [await subscribe(first, "operator"), await subscribe(second, "operator")];
    const other = await subscribe(first, "viewer");
    const { body } = await first.as.root.get(`/projects/${first.project.slug}/memberships`);
    const { id } = body.items.find((member: { role: string }) => member.role === "operator");
    const removed = await first.as.root.delete(`/projects/${first.project.slug}/memberships/${id}`);
    expect(removed.status).toBe(204);
    expect([(await near.closed).code, (await far.closed).code]).toEqual([4403, 4403]);
    expect(other.socket.readyState).toBe(other.socket.OPEN);
    await other.close();
  });
});

describe("two brains on one PostgreSQL", () => {
  test("send each other's changes, and close sessions that the other one ended", async () => {
    await using first = await startTestBrain({ dialect: "postgres" });
    await using second = await startTestBrain({ databaseUrl: first.databaseUrl, home: first.home });
    const hub = await subscribe(second, "viewer", ["task.changed", "agent.changed"]);
    const agent = await agentOf(first);
    await agent.ackOf(agent.sendEvents(rawEvents(3, "far")));
    await waitFor(() => rowsOf(hub, "task.changed").filter(({ task_id }) => task_id.startsWith("far-")).length === 3);
    await waitFor(() => rowsOf(hub, "agent.changed").some(({ id }) => id === agent.hello.agent_id));

    // The second brain created the session; the first ends it.
    const { cookie, csrfToken } = second.as.viewer;
    const out = await first.as.anonymous.post("/auth/logout", {}, { cookie, "x-csrf-token": csrfToken });
    expect(out.status).toBeLessThan(300);
    expect((await hub.closed).code).toBe(4401);
  });
});
