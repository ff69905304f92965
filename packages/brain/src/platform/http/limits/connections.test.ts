import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import { waitFor } from "@svc/testkit";
import { afterEach, describe, expect, test } from "vitest";
import type { WebSocket } from "ws";
import type { App } from "../app.ts";
import { as, type Fixture, startFixture } from "../http-fixture.ts";
import { type ClientTimes, clientTimes } from "./connections.ts";

const head = (method: string, path: string, more = "") =>
  `${method} ${path} HTTP/1.1\r\nhost: localhost:7700\r\n${more}`;
const get = (path: string) => `${head("GET", path)}\r\n`;
const halfBody = `${head("POST", "/login", "content-type: application/json\r\ncontent-length: 100\r\n")}\r\n{"half":`;
const upgrade = `${head(
  "GET",
  "/ws",
  "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
)}\r\n`;

/** Long enough for a slow machine. Tests that wait for a timeout shorten it once the server has received the bytes in question. */
const usualTimes: ClientTimes = { ...clientTimes, headersMs: 300_000, requestMs: 300_000, checkMs: 10 };

/** More than the buffers of a connection hold. */
const largeBody = Buffer.alloc(32 * 1024 * 1024, "x");

/** Holds requests until the test answers them, and counts the waiting ones. */
function createHeld() {
  let answer = () => {};
  const released = new Promise<void>((done) => {
    answer = done;
  });
  const held = { waiting: 0, answer, released };
  return held;
}

describe("a server", () => {
  const running: { fixture: Fixture; clients: Socket[] }[] = [];
  afterEach(async () => {
    for (const { fixture, clients } of running.splice(0)) {
      for (const client of clients) client.destroy();
      await fixture.app.close();
    }
  });

  async function start(options: { most?: number; proxies?: string[]; times?: Partial<ClientTimes> } = {}) {
    const held = createHeld();
    const logins: unknown[] = [];
    const routes = (app: App) => {
      const config = { tag: "health", public: true } as const;
      app.get("/ok", { config }, () => ({ ok: true }));
      app.post("/login", { config }, (request) => {
        logins.push(request.body);
        return { ok: true };
      });
      app.post("/closed", { config: { tag: "tasks", globalAdmin: true } }, () => ({}));
      app.get("/wait", { config }, async () => {
        held.waiting += 1;
        await held.released;
        return { waited: true };
      });
      app.get("/stream", { config }, (_request, reply) =>
        reply.type("text/plain").send(
          Readable.from(
            (function* () {
              for (;;) yield "x".repeat(65_536);
            })(),
          ),
        ),
      );
      app.get("/large", { config }, (_request, reply) => reply.type("text/plain").send(largeBody));
      app.get("/ws", { websocket: true, config: { tag: "hub", public: true, hidden: true } }, ((peer: WebSocket) =>
        peer.send("hello")) as never);
    };
    const fixture = await startFixture({
      routes,
      settings: { SVC_HTTP_MAX_CONNECTIONS: options.most ?? 100, SVC_TRUSTED_PROXIES: options.proxies ?? [] },
      deps: { sockets: { maxMessageBytes: 1000 }, times: { ...usualTimes, ...options.times } },
    });
    const clients: Socket[] = [];
    running.push({ fixture, clients });
    const { app } = fixture;
    await app.listen({ port: 0, host: "0.0.0.0" });
    const { port } = app.server.address() as { port: number };

    /** A client at an address of the loopback network, once the server has its connection and these bytes. */
    async function dial(localAddress: string, bytes = "") {
      const accepted = once(app.server, "connection") as Promise<[Socket]>;
      const client = connect({ port, host: "127.0.0.1", localAddress, allowHalfOpen: true });
      clients.push(client);
      client.on("error", () => {});
      const dialled = { client, text: "", isClosed: false, server: (await accepted)[0] };
      client.setEncoding("latin1").on("data", (text) => {
        dialled.text += text;
      });
      client.once("end", () => {
        dialled.isClosed = true;
      });
      client.once("close", () => {
        dialled.isClosed = true;
      });
      if (bytes !== "") {
        client.write(bytes);
        await waitFor(() => dialled.server.bytesRead >= bytes.length || dialled.server.destroyed, {
          that: "the bytes",
        });
      }
      return dialled;
    }
    /** A client that reads nothing, once bytes wait for it. */
    async function dialUnread(localAddress: string, bytes: string) {
      const dialled = await dial(localAddress);
      dialled.client.pause();
      dialled.client.write(bytes);
      await waitFor(() => dialled.server.writableLength > 0, { that: "a full buffer" });
      return dialled;
    }
    /** Resolves once all connections so far have been checked: the check ends a silent connection that is opened here after them. */
    async function checked() {
      const silent = await dial("127.0.0.1");
      fixture.clock.advance(usualTimes.keepAliveMs + usualTimes.headersMs + 1);
      await closed(silent);
    }
    const answered = async (dialled: { text: string }, text: string) =>
      waitFor(() => dialled.text.includes(text), { that: `the answer ${text}` });
    const closed = async (dialled: { isClosed: boolean }) => waitFor(() => dialled.isClosed, { that: "the end" });
    return { ...fixture, held, logins, dial, dialUnread, checked, answered, closed };
  }

  // Only Linux has all of 127.0.0.0/8 on the loopback interface by default.
  describe.runIf(process.platform === "linux")("that is full", () => {
    test.each<[string, string, ("dial" | "dialUnread")?]>([
      ["never sends anything", ""],
      ["sends half the headers", head("GET", "/ok")],
      ["sends half a body", halfBody],
      ["has just become a WebSocket", upgrade],
      ["reads no answer", get("/large"), "dialUnread"],
      ["reads none of several answers", get("/large").repeat(32), "dialUnread"],
      ["reads nothing of a streamed answer", get("/stream"), "dialUnread"],
    ])("closes the oldest connection of a crowd that %s, and serves others", async (_, bytes, how = "dial") => {
      // A full server does not wait for the next check.
      const { [how]: join, dial, answered, logged } = await start({ most: 6, times: { checkMs: 3_600_000 } });
      const quiet = await dial("127.2.0.1", get("/ok"));
      await answered(quiet, '{"ok":true}');
      const crowd = [];
      for (let index = 0; index < 5; index += 1) crowd.push(await join(`127.1.0.${index + 1}`, bytes));
      const legitimate = await dial("127.3.0.1", get("/ok"));
      await answered(legitimate, '{"ok":true}');
      expect(crowd.map(({ server }) => server.destroyed)).toEqual([true, false, false, false, false]);
      expect([quiet.isClosed, legitimate.isClosed]).toEqual([false, false]);
      const lines = logged.map((line) => JSON.parse(line)).filter(({ event }) => event === "http.connections_full");
      expect(lines).toEqual([expect.objectContaining({ occasions: 1, count: 1, network: "127.1.0.0/16" })]);
    });

    test("keeps its number through a flood, and the connections of others with it", async () => {
      const { app, dial, answered } = await start({ most: 8 });
      const quiet = await dial("127.2.0.1");
      for (let index = 0; index < 40; index += 1) await dial(`127.1.${index % 5}.1`);
      const count = await new Promise<number>((done) => app.server.getConnections((_error, open) => done(open)));
      expect(count).toBe(8);
      quiet.client.write(get("/ok"));
      await answered(quiet, '{"ok":true}');
    });

    test("keeps requests that it is working on, whichever network has most of them", async () => {
      const { dial, answered, closed, held } = await start({ most: 5 });
      const polls = [];
      for (let index = 0; index < 4; index += 1) polls.push(await dial("127.1.0.1", get("/wait")));
      await waitFor(() => held.waiting === 4, { that: "the requests" });
      const idle = await dial("127.2.0.1");
      const next = await dial("127.3.0.1", get("/ok"));
      await closed(idle);
      await answered(next, '{"ok":true}');
      held.answer();
      for (const poll of polls) await answered(poll, '{"waited":true}');
    });

    test("keeps a request that it is working on, once the client has read the previous answers", async () => {
      const { dial, dialUnread, checked, closed } = await start({ most: 3 });
      const requests = get("/large") + get("/wait");
      const polls = [await dialUnread("127.1.0.1", requests), await dialUnread("127.1.0.1", requests)];
      await checked();
      for (const { client } of polls) client.resume();
      await waitFor(() => polls.every(({ server }) => server.writableLength === 0), { that: "empty buffers" });
      await checked();
      const idle = await dial("127.2.0.1");
      await dial("127.3.0.1");
      await closed(idle);
      expect(polls.map(({ server }) => server.destroyed)).toEqual([false, false]);
    });

    test("keeps WebSockets that have been open for a while", async () => {
      const { dial, answered, checked, closed, clock } = await start({ most: 4 });
      const sockets = [];
      for (let index = 0; index < 3; index += 1) {
        const socket = await dial("127.1.0.1", upgrade);
        await answered(socket, "hello");
        sockets.push(socket);
      }
      clock.advance(21_000);
      await checked();
      const idle = await dial("127.2.0.1");
      await dial("127.3.0.1");
      await closed(idle);
      expect(sockets.map(({ isClosed }) => isClosed)).toEqual([false, false, false]);
    });

    test("never closes connections of trusted proxies, but refuses the newest one", async () => {
      const { dial, answered, closed } = await start({ most: 2, proxies: ["127.1.0.0/16"] });
      const proxies = [await dial("127.1.0.1"), await dial("127.1.0.1")];
      await closed(await dial("127.2.0.1"));
      await closed(await dial("127.1.0.2"));
      for (const proxy of proxies) {
        proxy.client.write(get("/ok"));
        await answered(proxy, '{"ok":true}');
      }
    });
  });

  test.each([
    ["headers", head("POST", "/login")],
    ["a body", halfBody],
  ])("answers 408 in the envelope to half of %s, and never carries the request out", async (_, bytes) => {
    const { app, dial, closed, logins } = await start();
    const half = await dial("127.0.0.1", bytes);
    app.server.headersTimeout = 1;
    app.server.requestTimeout = 1;
    await closed(half);
    expect(half.text).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\nx-content-type-options: nosniff/);
    expect(JSON.parse(half.text.split("\r\n\r\n")[1] ?? "")).toMatchObject({
      error: "validation_error",
      message: "the request did not arrive in time",
    });
    expect(logins).toEqual([]);
  });

  test("gives clients 10 s for headers, 30 s for a request and 60 s to continue reading, and checks every second", async () => {
    const { app } = await startFixture();
    expect(app.server).toMatchObject({
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      timeout: 60_000,
      connectionsCheckingInterval: 1000,
    });
    await app.close();
  });

  test("closes a connection that never sends anything, without a word", async () => {
    const { app, dial, closed } = await start();
    const silent = await dial("127.0.0.1");
    app.server.headersTimeout = 1;
    await closed(silent);
    expect(silent.text).toBe("");
  });

  test("gives no second answer to a request that was refused before its body came", async () => {
    const { app, dial, answered, closed } = await start();
    const refused = await dial("127.0.0.1", halfBody.replace("/login", "/closed"));
    await answered(refused, "unauthenticated");
    app.server.headersTimeout = 1;
    app.server.requestTimeout = 1;
    await closed(refused);
    expect(refused.text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  test("cuts neither long polls nor WebSockets off, however short the times for clients are", async () => {
    const { app, dial, answered, closed, held } = await start();
    const poll = await dial("127.0.0.1", get("/wait"));
    const socket = await dial("127.0.0.1", upgrade);
    await answered(socket, "hello");
    await waitFor(() => held.waiting === 1, { that: "the request" });
    app.server.headersTimeout = 1;
    app.server.requestTimeout = 1;
    const timedOut = once(app.server, "timeout");
    poll.server.setTimeout(1);
    await timedOut;
    await closed(await dial("127.0.0.1"));
    held.answer();
    await answered(poll, '{"waited":true}');
    expect(socket.isClosed).toBe(false);
  });

  test.each(["/stream", "/large"])("ends an answer at %s that the client does not read", async (path) => {
    const { dialUnread } = await start();
    const reader = await dialUnread("127.0.0.1", get(path));
    const ended = once(reader.server, "close");
    reader.server.setTimeout(1);
    await ended;
  });

  test.each([1, 32])("ends %i complete answers that are read byte by byte", async (count) => {
    const { dialUnread, checked, clock } = await start();
    const reader = await dialUnread("127.0.0.1", get("/large").repeat(count));
    const ended = once(reader.server, "close");
    await checked();
    clock.advance(usualTimes.takeMs + 1);
    await ended;
  });

  test("lets a streamed answer take any time while it makes progress", async () => {
    const { dialUnread, checked, clock } = await start();
    const reader = await dialUnread("127.0.0.1", get("/stream"));
    await checked();
    clock.advance(usualTimes.takeMs + 1);
    await checked();
    expect(reader.server.destroyed).toBe(false);
  });

  test("ends an idle connection that line ends keep alive", async () => {
    const { dial, answered, closed, clock } = await start();
    const idle = await dial("127.0.0.1", get("/ok"));
    await answered(idle, '{"ok":true}');
    const before = idle.server.bytesRead;
    clock.advance(usualTimes.keepAliveMs);
    idle.client.write("\r\n");
    await waitFor(() => idle.server.bytesRead > before, { that: "the line end" });
    clock.advance(usualTimes.headersMs + 1);
    await closed(idle);
  });

  test("ends a connection that sends far more requests than it awaits answers", async () => {
    const { dial, answered, closed, held } = await start();
    const patient = await dial("127.0.0.1", get("/wait").repeat(32));
    await waitFor(() => held.waiting === 32, { that: "the requests" });
    await closed(await dial("127.0.0.1", get("/wait").repeat(33)));
    held.answer();
    await answered(patient, '{"waited":true}');
  });

  test("takes no more than 16 KiB on routes for strangers, and as much as the setting says from others", async () => {
    const { app } = await start();
    const payload = { text: "x".repeat(20_000) };
    expect((await app.inject({ method: "POST", url: "/login", payload })).statusCode).toBe(413);
    expect((await app.inject({ method: "POST", url: "/login", payload: { text: "x" } })).statusCode).toBe(200);
    const known = await app.inject({ method: "POST", url: "/closed", payload, headers: as("root") });
    expect(known.statusCode).toBe(200);
  });

  test("that closes ends connections without a request at once, and upgraded ones after the grace", async () => {
    const { app, dial, answered, closed } = await start({ times: { drainMs: 10 } });
    const silent = await dial("127.0.0.1");
    const socket = await dial("127.0.0.1", upgrade);
    await answered(socket, "hello");
    await app.close();
    await Promise.all([closed(silent), closed(socket)]);
  });
});
