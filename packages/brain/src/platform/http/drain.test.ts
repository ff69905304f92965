import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, expect, test } from "vitest";
import { prepareDrain } from "./drain.ts";

describe("a server that closes", () => {
  test("does not wait for a connection that never sent a request", async () => {
    const server = createServer((_request, response) => response.end("done"));
    const drain = prepareDrain(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const accepted = once(server, "connection");
    const silent = connect(port, "127.0.0.1");
    await accepted;
    const answer = await fetch(`http://127.0.0.1:${port}/`);
    expect(await answer.text()).toBe("done");

    const ended = once(silent, "close");
    drain();
    server.close();
    await Promise.all([once(server, "close"), ended]);
  });

  test("gives an upgraded socket the grace and not more", async () => {
    const server = createServer();
    server.on("upgrade", (_request, socket) => socket.write("HTTP/1.1 101 Switching Protocols\r\n\r\n"));
    const drain = prepareDrain(server, 10);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    client.write("GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n");
    await once(client, "data");

    drain();
    server.close();
    await once(server, "close");
    client.destroy();
  });
});
