import { once } from "node:events";
import { type ClientRequest, request } from "node:http";
import type { Socket } from "node:net";
import { headerNames } from "@svc/protocol";
import { waitFor } from "@svc/testkit";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { createRawPoller, type RawPoller, rawEvents } from "@svc/testkit/raw-agent";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const megabyte = 1_048_576;

describe("the memory for uploads", () => {
  let brain: TestBrain;
  /** Connections as the brain sees them, by the client's port. */
  const sockets = new Map<number, Socket>();

  beforeEach(async () => {
    // Memory for four bodies of the maximum size, two of one agent.
    brain = await startTestBrain({ env: { SVC_AGENT_MAX_BODY_BYTES: String(megabyte), SVC_METRICS_PUBLIC: "true" } });
    brain.running.brain.app.server.on("connection", (socket) => sockets.set(socket.remotePort ?? 0, socket));
  });
  afterEach(() => brain.stop());

  const credentials = async () => ({ url: brain.url, ...(await brain.mintAgent()), projectId: brain.project.id });
  const batch = (agent: RawPoller) => agent.sign("event_batch", { events: rawEvents(1) });

  /** Waits until this number of uploads has arrived completely: each opens its own session. */
  const uploadsAtWork = (count: number) =>
    waitFor(async () => {
      const { text } = await brain.as.anonymous.get("//metrics");
      return text.includes(`svc_longpoll_sessions ${count}\n`);
    });

  async function withoutDatabase<T>(work: () => Promise<T>): Promise<T> {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const held = brain.running.brain.database.write(() => gate);
    try {
      return await work();
    } finally {
      open();
      await held;
    }
  }

  /** Starts an upload on its own connection and sends all but the last byte of a maximum-size body. */
  async function beginUpload(
    token: string,
    { nonce, frame }: { nonce: string; frame: string },
  ): Promise<ClientRequest> {
    const body = JSON.stringify({ frames: [frame] }).padEnd(megabyte);
    const client = request(`${brain.url}/api/v1/agent/events`, {
      method: "POST",
      agent: false,
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "content-length": megabyte,
        [headerNames.sessionNonce]: nonce,
      },
    });
    client.on("error", () => {});
    client.write(body.slice(0, -1));
    await once(client, "socket");
    return client;
  }

  /** Closes the connection and waits until the brain has noticed. */
  async function disconnect(client: ClientRequest): Promise<void> {
    const seen = sockets.get(client.socket?.localPort ?? 0);
    client.destroy();
    await waitFor(() => seen?.destroyed === true);
  }

  test("stays reserved for clients that disconnect while their frames wait for the database", async () => {
    const agents = await Promise.all([credentials(), credentials()]);
    const extra = createRawPoller(await credentials());
    await withoutDatabase(async () => {
      const uploads = await Promise.all(
        [...agents, ...agents].map((given) => {
          const agent = createRawPoller(given);
          return beginUpload(given.token, { nonce: agent.nonce, frame: batch(agent) });
        }),
      );
      for (const upload of uploads) upload.end(" ");
      await uploadsAtWork(4);
      await Promise.all(uploads.map(disconnect));
      const refused = await extra.upload([batch(extra)]);
      expect(refused).toMatchObject({ status: 503, body: { error: "unready", details: { reason: "uploads_full" } } });
      expect(refused.headers.get("retry-after")).toBe("1");
    });
    const stored = await waitFor(async () => (await extra.upload([batch(extra)])).status === 200);
    expect(stored).toBe(true);
    const { tasks } = { tasks: await brain.as.viewer.get(`/projects/${brain.project.slug}/tasks`) };
    expect(tasks.body.items).toHaveLength(5);
  });

  test("is freed when a client disconnects before sending its body", async () => {
    const agents = await Promise.all([credentials(), credentials()]);
    const extra = createRawPoller(await credentials());
    const uploads = await Promise.all(
      [...agents, ...agents].map(({ token }, index) => beginUpload(token, { nonce: `nonce-${index}`, frame: "" })),
    );
    await waitFor(async () => (await extra.upload(["no frame"])).status === 503);
    await Promise.all(uploads.map(disconnect));
    expect((await extra.upload(["no frame"])).status).toBe(200);
  });

  test("is not used up by one agent that never sends its bodies", async () => {
    const given = await credentials();
    const [same, other] = [createRawPoller(given), createRawPoller(await credentials())];
    const uploads = await Promise.all(["a", "b"].map((nonce) => beginUpload(given.token, { nonce, frame: "" })));
    await waitFor(async () => (await same.upload(["no frame"])).status === 503);
    expect((await other.upload(["no frame"])).status).toBe(200);
    await Promise.all(uploads.map(disconnect));
    expect((await same.upload(["no frame"])).status).toBe(200);
  });

  test("is enough for all sixteen sessions of an agent at once", async () => {
    const given = await credentials();
    const uploads = await withoutDatabase(async () => {
      const begun = Array.from({ length: 16 }, () => createRawPoller(given)).map((agent) =>
        agent.upload([batch(agent)]),
      );
      await uploadsAtWork(16);
      return begun;
    });
    expect((await Promise.all(uploads)).map(({ status }) => status)).toEqual(Array(16).fill(200));
  });
});
