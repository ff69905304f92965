import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import { hmacSecretOf } from "@svc/protocol";
import { createFakeClock, waitFor } from "@svc/testkit";
import { connectRaw, openAgentSocket, rawEvents, rawHello, spoilt } from "@svc/testkit/raw-agent";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WebSocketServer } from "ws";
import type { Log } from "../../../platform/log.ts";
import { createAgentLogs } from "../agent-logs.ts";
import { createDispatch } from "../dispatch.ts";
import { Connections } from "./connections.ts";
import { Gateway, type GatewayDeps } from "./gateway.ts";

const secret = new Uint8Array(32).fill(7);
const identity = {
  agent_id: "11111111-2222-4333-8444-000000000001",
  project_id: "11111111-2222-4333-8444-000000000002",
  name: "agent",
  project_is_active: true,
};
const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };

/** The gateway on a real server, with a clock and storage that the test controls. */
async function startGateway(changes: Partial<GatewayDeps> = {}) {
  const clock = createFakeClock(new Date());
  const connections = new Connections(1);
  const agentLogs = createAgentLogs({ clock, log: changes.log ?? silent });
  const stored: unknown[] = [];
  const ended: boolean[] = [];
  const dispatch = createDispatch({
    agentLogs,
    clock,
    log: silent,
    async ingest({ events }) {
      stored.push(...events);
      return { received: events.length, inserted: events.length, rejected: 0, errors: [] };
    },
    seen: async () => true,
    touched: () => {},
    recordSample: async () => {},
    lossReported: () => {},
    applyHealth: () => {},
    commandAcked: async () => {},
    commandResulted: async () => {},
  });
  const gateway = new Gateway({
    agentLogs,
    admit: async () => ({ identity }),
    brainVersion: "1.0.0",
    giveWaiting: async () => {},
    ended: () => {},
    takesAgain: () => {},
    clock,
    connected: async () => true,
    disconnected: async (_identity, _worker, _at, isLast) => void ended.push(isLast),
    dispatch,
    idleMs: 90_000,
    isStillAdmitted: async () => true,
    log: silent,
    maxFrameBytes: 1_048_576,
    secretOf: () => secret,
    connections,
    verified: () => {},
    whenIngestHasCapacity: () => null,
    workerConnected: async () => {},
    ...changes,
  });
  const server: Server = createServer();
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (socket) =>
    gateway.accept(socket, { address: "127.0.0.1", authorization: undefined, path: "/ws/agent" }),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    clock,
    connections,
    stored,
    ended,
    gateway,
    sockets,
    url,
    connect: (hello = rawHello()) => connectRaw({ url, token: "any", hmacSecret: hmacSecretOf(secret) }, { hello }),
    async stop() {
      await gateway.stop();
      for (const socket of sockets.clients) socket.terminate();
      server.close();
      await once(server, "close");
    },
  };
}

describe("the gateway", () => {
  let fixture: Awaited<ReturnType<typeof startGateway>> | undefined;
  const start = async (changes?: Partial<GatewayDeps>) => {
    fixture = await startGateway(changes);
    return fixture;
  };
  beforeEach(() => {
    fixture = undefined;
  });
  afterEach(() => fixture?.stop());

  test("closes with 4400 when no hello comes in time", async () => {
    const { url } = await start({ helloMs: 30 });
    expect(await openAgentSocket(url, "any").closed).toMatchObject({ code: 4400 });
  });

  test("closes with 4408 when no frame came for the idle limit, pongs or not", async () => {
    const { clock, connect, gateway, connections, ended, sockets } = await start();
    const agent = await connect();
    await agent.settle();
    const [held] = sockets.clients;
    if (held === undefined) throw new Error("the server has no socket");
    for (let round = 0; round < 3; round += 1) {
      clock.advance(30_000);
      const answered = once(held, "pong");
      gateway.checkNow();
      await answered;
    }
    expect(agent.socket.readyState).toBe(agent.socket.OPEN);
    clock.advance(1);
    gateway.checkNow();
    expect((await agent.closed).code).toBe(4408);
    await waitFor(() => connections.count() === 0);
    expect(ended).toEqual([true]);
  });

  test("keeps a connection whose frames come", async () => {
    const { clock, connect, gateway, sockets } = await start();
    const agent = await connect();
    const [held] = sockets.clients;
    if (held === undefined) throw new Error("the server has no socket");
    for (let round = 0; round < 4; round += 1) {
      clock.advance(50_000);
      agent.skewMs += 50_000;
      await agent.settle();
      const answered = once(held, "pong");
      gateway.checkNow();
      await answered;
    }
    expect(agent.socket.readyState).toBe(agent.socket.OPEN);
  });

  test("ends a connection that answers no ping for 30 s", async () => {
    const { clock, connect, gateway } = await start();
    const agent = await connect();
    // A peer that disappeared silently: it neither reads nor answers.
    agent.socket.pause();
    for (const stepMs of [20_001, 10_000, 10_000, 10_000]) {
      clock.advance(stepMs);
      gateway.checkNow();
      expect(fixture?.sockets.clients.size).toBe(1);
    }
    clock.advance(1);
    gateway.checkNow();
    await waitFor(() => fixture?.sockets.clients.size === 0);
    agent.socket.resume();
    expect((await agent.closed).code).toBe(1006);
  });

  test("releases the connection when a handshake fails in the middle", async () => {
    let failures = 1;
    const { connect, connections } = await start({
      async workerConnected() {
        failures -= 1;
        if (failures >= 0) throw new Error("the database is unavailable");
      },
    });
    const first = await connect();
    expect((await first.closed).code).toBe(1011);
    expect(connections.count()).toBe(0);
    const second = await connect();
    await second.settle();
  });

  test("logs failed handshakes at intervals with a count", async () => {
    const said: unknown[] = [];
    const log: Log = { ...silent, error: (event, fields) => void said.push([event, fields?.handshakes]) };
    const { clock, url } = await start({
      log,
      async admit() {
        throw new Error("the database is unavailable");
      },
    });
    const knock = async () => expect(await openAgentSocket(url, "any").closed).toMatchObject({ code: 1011 });
    for (let round = 0; round < 3; round += 1) await knock();
    expect(said).toEqual([["agent_transport.handshake_failed", 1]]);
    clock.advance(60_000);
    await knock();
    expect(said.slice(1)).toEqual([["agent_transport.handshake_failed", 3]]);
  });

  test("logs what an agent does with every connection once a minute with a count", async () => {
    const said: unknown[][] = [];
    const log: Log = {
      ...silent,
      warn: (event, { agent_id, frames, connects, disconnects } = {}) =>
        void said.push([event, agent_id, frames ?? connects ?? disconnects]),
    };
    const { clock, connect, connections } = await start({
      log,
      async disconnected() {
        throw new Error("the database is unavailable");
      },
    });
    async function misbehave() {
      const forger = await connect(rawHello({ agent_version: "9.0.0" }));
      for (let n = 0; n < 10; n += 1) forger.send("junk");
      forger.send(spoilt(forger.sign("heartbeat", {})));
      await forger.closed;
      await waitFor(() => connections.count() === 0);
      const repeater = await connect(rawHello({ agent_version: "1.0.0" }));
      const frame = repeater.sign("heartbeat", {});
      repeater.send(frame);
      repeater.send(frame);
      await repeater.closed;
      await waitFor(() => connections.count() === 0);
    }
    const lines = (...counts: number[]) => [
      ["agent_transport.version_skew", identity.agent_id, counts[0]],
      ["agent_transport.frame_dropped", identity.agent_id, counts[1]],
      ["agent_transport.signature_failed", identity.agent_id, counts[2]],
      ["agent_transport.disconnect_not_noted", undefined, counts[3]],
      ["agent_transport.replay_refused", identity.agent_id, counts[4]],
    ];
    for (let round = 0; round < 3; round += 1) await misbehave();
    expect(said).toEqual(lines(1, 1, 1, 1, 1));
    clock.advance(60_000);
    await misbehave();
    expect(said.slice(5)).toEqual(lines(3, 30, 3, 6, 3));
  });

  describe("of an agent that does not read what it is sent", () => {
    // Each is answered with four times its length.
    const skewed = `{"v":3,"id":"${"x".repeat(60)}"}`;

    async function fillUp() {
      const { clock, connect, gateway, sockets } = await start();
      const agent = await connect();
      const [held] = sockets.clients;
      if (held === undefined) throw new Error("the server has no socket");
      agent.socket.pause();
      await waitFor(
        () => {
          for (let round = 0; round < 2000; round += 1) agent.send(skewed);
          return held.isPaused;
        },
        { everyMs: 1 },
      );
      expect(held.bufferedAmount).toBeLessThan(3 * 1_048_576);
      return { agent, clock, gateway, held, sockets };
    }

    test("stops reading, and continues when the agent reads", async () => {
      const { agent, held } = await fillUp();
      agent.socket.resume();
      await waitFor(() => !held.isPaused && held.bufferedAmount === 0);
      await agent.settle();
    });

    test("ends the connection when the agent answers no ping either", async () => {
      const { clock, gateway, sockets } = await fillUp();
      for (const stepMs of [20_001, 30_001]) {
        expect(sockets.clients.size).toBe(1);
        clock.advance(stepMs);
        gateway.checkNow();
      }
      await waitFor(() => sockets.clients.size === 0);
    });
  });

  test("closes with 1011 some seconds after the last events that the database could not store", async () => {
    let isAway = true;
    const outcomes: boolean[] = [];
    const { clock, connect, gateway, stored } = await start({
      async dispatch(_source, { type }) {
        outcomes.push(isAway);
        if (isAway) return { kind: "transient", message: "away", isUnstored: type === "event_batch" };
        return { kind: "confirmed", batch: { received: 0, inserted: 0, rejected: 0, errors: [] } };
      },
    });
    const agent = await connect();
    const seen = (count: number) => waitFor(() => outcomes.length === count);
    agent.sendFrame("heartbeat", {});
    await seen(1);
    clock.advance(10_000);
    gateway.checkNow();
    expect(agent.socket.readyState).toBe(agent.socket.OPEN);
    for (const count of [2, 3, 4]) {
      agent.skewMs += 4000;
      clock.advance(4000);
      agent.sendEvents(rawEvents(1));
      await seen(count);
      gateway.checkNow();
    }
    isAway = false;
    await agent.settle();
    clock.advance(5000);
    gateway.checkNow();
    await agent.settle();
    clock.advance(1);
    gateway.checkNow();
    expect((await agent.closed).code).toBe(1011);
    expect(stored).toEqual([]);
  });

  test("closes with 4003 when the agent was revoked between hello_ack and registration", async () => {
    const { connect, connections } = await start({ isStillAdmitted: async () => false });
    const agent = await connect();
    expect((await agent.closed).code).toBe(4003);
    expect(connections.count()).toBe(0);
  });

  test("that stops in the middle of a handshake marks the agent offline before it reports that it has stopped", async () => {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<boolean>();
    const { connect, gateway, connections, ended } = await start({
      isStillAdmitted: () => {
        asked.resolve();
        return answer.promise;
      },
    });
    const agent = await connect();
    await asked.promise;

    let hasStopped = false;
    const stopped = gateway.stop().then(() => {
      hasStopped = true;
    });
    await setImmediate();
    expect(hasStopped).toBe(false);
    answer.resolve(true);
    await stopped;

    expect((await agent.closed).code).toBe(1001);
    expect(ended).toEqual([true]);
    expect(connections.count()).toBe(0);
    await expect(connect()).rejects.toThrow("1001");
  });

  test("that stops does not wait for a hello", async () => {
    const { gateway, sockets, url } = await start();
    const silentAgent = openAgentSocket(url, "any");
    await waitFor(() => sockets.clients.size === 1);
    await gateway.stop();
    expect((await silentAgent.closed).code).toBe(1001);
  });

  test("closes with 4401 when the agent was revoked before it could come online", async () => {
    const { connect } = await start({ connected: async () => false });
    await expect(connect()).rejects.toThrow("4401");
  });

  test("stops reading while the ingest queue is full, and does not count the agent as idle", async () => {
    let capacity: PromiseWithResolvers<void> | null = Promise.withResolvers<void>();
    const { clock, connect, gateway, stored, sockets } = await start({
      whenIngestHasCapacity: () => capacity?.promise ?? null,
    });
    const agent = await connect();
    await agent.ackOf(agent.sendEvents(rawEvents(1)));
    const [held] = sockets.clients;
    expect(held?.isPaused).toBe(true);
    agent.sendEvents(rawEvents(1));
    clock.advance(50_000);
    gateway.checkNow();
    clock.advance(50_000);
    gateway.checkNow();
    expect(stored).toHaveLength(1);
    expect(agent.socket.readyState).toBe(agent.socket.OPEN);

    const { resolve } = capacity;
    capacity = null;
    agent.skewMs = 100_000;
    const later = agent.sendEvents(rawEvents(1));
    resolve();
    gateway.checkNow();
    // Frames sent before reading paused are stale: that ends the session, not silence.
    expect((await agent.closed).code).toBe(4403);
    expect(agent.acks().map(({ acked_id }) => acked_id)).not.toContain(later);
  });
});
