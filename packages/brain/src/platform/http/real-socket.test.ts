import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { mount, type Routes } from "./app.ts";
import { type Fixture, startFixture } from "./http-fixture.ts";

const open = { tag: "health", public: true } as const;
const greet: Routes<object> = (app) => void app.get("/ok", { config: open }, () => ({ ok: true }));

const started = (options: Parameters<typeof startFixture>[0] = {}): Promise<Fixture> =>
  startFixture({ routes: (app) => mount(app, "/x", greet, {}), ...options });

describe("on a real socket", () => {
  async function exchange(app: Fixture["app"], bytes: string): Promise<string> {
    const { port } = app.server.address() as { port: number };
    const socket = connect(port, "127.0.0.1");
    socket.end(bytes);
    let answer = "";
    for await (const chunk of socket) answer += chunk;
    return answer;
  }

  test("bytes that are no request are refused in the envelope", async () => {
    const { app } = await started();
    await app.listen({ port: 0, host: "127.0.0.1" });
    const answer = await exchange(app, "NONSENSE\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toMatchObject({ error: "validation_error" });
    const large = await exchange(app, `GET /x/ok HTTP/1.1\r\nhost: localhost\r\nx: ${"y".repeat(50_000)}\r\n\r\n`);
    expect(large).toMatch(/^HTTP\/1\.1 431 /);
    const query = "y".repeat(32_768 - "GET /x/ok? HTTP/1.1\r\n".length);
    const longLine = await exchange(
      app,
      `GET /x/ok?${query} HTTP/1.1\r\nhost: localhost\r\nx: ${"y".repeat(16_000)}\r\nconnection: close\r\n\r\n`,
    );
    expect(longLine).toMatch(/^HTTP\/1\.1 200 /);
    await app.close();
  });

  test.each([
    ["without a Host", "GET /y/ok HTTP/1.1\r\n\r\n", 400, "invalid_host"],
    ["with an expectation", "GET /y/no HTTP/1.1\r\nhost: localhost\r\nexpect: x\r\n\r\n", 404, "not_found"],
  ])("a request %s is judged like any other", async (_, bytes, status, error) => {
    const { app } = await started({
      routes: (app) => void app.get("/y/ok", { config: { ...open, tag: "setup" } }, () => ({ ok: true })),
    });
    await app.listen({ port: 0, host: "127.0.0.1" });
    const answer = await exchange(app, bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toMatchObject({ error });
    await app.close();
  });

  test("the client address is the peer, as a normalised address", async () => {
    const { app } = await startFixture({
      routes: (app) => void app.get("/who", { config: open }, (request) => ({ address: request.clientAddress })),
    });
    await app.listen({ port: 0, host: "::" });
    const answer = await exchange(app, "GET /who HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    expect(answer).toContain('{"address":"127.0.0.1"}');
    await app.close();
  });

  test("while the server stops, requests are refused in the envelope", async () => {
    let answer = "";
    const { app } = await started({
      routes: (app) => {
        mount(app, "/x", greet, {});
        app.addHook("preClose", async () => {
          answer = await exchange(app, "GET /x/ok HTTP/1.1\r\nhost: localhost\r\n\r\n");
        });
      },
    });
    await app.listen({ port: 0, host: "127.0.0.1" });
    await app.close();
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toMatch(/connection: close/i);
    expect(answer).toContain('"details":{"reason":"stopping"}');
  });
});
