import { once } from "node:events";
import { connect } from "node:net";
import { waitFor } from "@svc/testkit";
import { afterEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import type { App } from "./app.ts";
import { type Fixture, type FixtureOptions, startFixture } from "./http-fixture.ts";

const key = "dGhlIHNhbXBsZSBub25jZQ==";
const upgradeOf = (path: string, headers: Record<string, string> = {}) =>
  `GET ${path} HTTP/1.1\r\n${Object.entries({
    host: "localhost:7700",
    connection: "upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": key,
    ...headers,
  })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")}\r\n`;

function routes(app: App): void {
  const socket = { websocket: true } as const;
  const greet = ((peer: WebSocket) => peer.send("hello")) as never;
  app.get("/ws/open", { ...socket, config: { tag: "hub", public: true, hidden: true } }, greet);
  app.get("/ws/closed", { ...socket, config: { tag: "tasks", globalAdmin: true, hidden: true } }, greet);
  app.get("/ws/narrow", { ...socket, config: { tag: "hub", public: true, bucket: "setup", hidden: true } }, greet);
  app.get("/ok", { config: { tag: "health", public: true } }, () => ({ ok: true }));
}

/** The server's response to these bytes, from a client that never closes its side. */
async function say(app: App, bytes: string) {
  const { port } = app.server.address() as { port: number };
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => {});
  let answer = "";
  socket.setEncoding("utf8").on("data", (text) => {
    answer += text;
  });
  socket.write(bytes);
  await waitFor(() => answer.includes("\r\n\r\n"), { that: "an answer" });
  const [head = "", body = ""] = answer.split("\r\n\r\n");
  return { socket, head, status: Number(head.split(" ")[1]), body };
}

const connections = (app: App) => new Promise<number>((done) => app.server.getConnections((_error, n) => done(n)));

describe("an upgrade", () => {
  const running: Fixture[] = [];
  afterEach(async () => {
    for (const { app } of running.splice(0)) await app.close();
  });

  async function listening(options: FixtureOptions = {}): Promise<Fixture> {
    const fixture = await startFixture({ routes, ...options, deps: { sockets: { maxMessageBytes: 1000 } } });
    running.push(fixture);
    await fixture.app.listen({ port: 0, host: "127.0.0.1" });
    return fixture;
  }

  test("of a socket route becomes a WebSocket", async () => {
    const { app } = await listening();
    const { port } = app.server.address() as { port: number };
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/open?x=1`);
    const [message] = await once(socket, "message");
    expect(String(message)).toBe("hello");
  });

  test.each([
    ["a foreign Host", "/ws/open", { host: "evil.example" }, {}, 400, "invalid_host"],
    ["missing credentials", "/ws/closed", {}, {}, 401, "unauthenticated"],
    [
      "an address outside the list",
      "/ws/open",
      {},
      { settings: { SVC_DASHBOARD_IP_ALLOWLIST: ["10.0.0.0/8"] } },
      403,
      "ip_denied",
    ],
    ["a malformed handshake", "/ws/open", { "sec-websocket-key": "short" }, {}, 400, "validation_error"],
  ])(
    "refused for %s is answered in the envelope, and its socket closed",
    async (_, path, headers, options, status, error) => {
      const { app } = await listening(options);
      const refused = await say(app, upgradeOf(path, headers));
      expect(refused.status).toBe(status);
      expect(JSON.parse(refused.body)).toMatchObject({ error, details: {} });
      expect(refused.head.toLowerCase()).toContain("x-content-type-options: nosniff");
      expect(refused.head.toLowerCase()).toMatch(/x-request-id: [0-9a-f-]{36}/);
      await waitFor(async () => (await connections(app)) === 0, { that: "the socket is closed" });
    },
  );

  test("beyond the budget of its route is 429, and its socket closed", async () => {
    const { app } = await listening();
    for (let taken = 0; taken < 5; taken += 1) (await say(app, upgradeOf("/ws/narrow"))).socket.destroy();
    expect((await say(app, upgradeOf("/ws/narrow"))).status).toBe(429);
    await waitFor(async () => (await connections(app)) === 0, { that: "the sockets are closed" });
  });

  test("of any other path is ignored: the request is an ordinary one on a connection that stays open", async () => {
    const { app } = await listening();
    const { socket, status, body } = await say(app, upgradeOf("/ok", { upgrade: "h2c" }));
    expect([status, body]).toEqual([200, '{"ok":true}']);
    const again = once(socket, "data");
    socket.write(upgradeOf("/ws/nothing"));
    expect(String((await again)[0])).toMatch(/^HTTP\/1\.1 404 /);
    socket.destroy();
  });

  test("that a request to a socket route lacks is 404 in the envelope", async () => {
    const { app } = await listening();
    for (const method of ["GET", "HEAD"] as const) {
      const answer = await app.inject({ method, url: "/ws/open", headers: { host: "localhost:7700" } });
      expect(answer.statusCode).toBe(404);
      expect(answer.headers["x-request-id"]).toBeDefined();
      if (method === "GET") expect(answer.json()).toMatchObject({ error: "not_found", request_id: expect.any(String) });
    }
  });

  test("that was refused does not hold up the end of the server", async () => {
    const { app } = await listening();
    await say(app, upgradeOf("/ws/open", { host: "evil.example" }));
    await app.close();
    running.pop();
    expect(app.server.listening).toBe(false);
  });
});
