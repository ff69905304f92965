import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { refuseWith } from "./broken-requests.ts";

/** What a client that never closes its side receives before the server closes the connection. */
async function refused(code: string): Promise<{ head: string; body: Record<string, unknown> }> {
  const refuse = refuseWith({ headers: { "x-frame-options": "DENY" }, isAnswerable: () => true, lingerMs: 10 });
  const server = createServer({ allowHalfOpen: true });
  server.on("connection", (socket) => {
    socket.once("data", () => refuse(Object.assign(new Error("broken"), { code }), socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const accepted = once(server, "connection");
  const client = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1", allowHalfOpen: true });
  client.write("GET /");
  let text = "";
  client.setEncoding("utf8").on("data", (piece) => {
    text += piece;
  });
  const [socket] = await accepted;
  await Promise.all([socket.destroyed || once(socket, "close"), once(client, "end")]);
  client.destroy();
  server.close();
  const [head = "", body = ""] = text.split("\r\n\r\n");
  return { head, body: JSON.parse(body) };
}

describe("a connection that is no request", () => {
  test.each([
    ["HPE_INVALID_METHOD", "400 Bad Request", "this is not a valid HTTP request"],
    ["HPE_HEADER_OVERFLOW", "431 Request Header Fields Too Large", "this is not a valid HTTP request"],
    ["ERR_HTTP_REQUEST_TIMEOUT", "408 Request Timeout", "the request did not arrive in time"],
  ])(
    "(%s) is answered %s in the envelope with the headers of every answer, and closed",
    async (code, status, message) => {
      const { head, body } = await refused(code);
      expect(head.split("\r\n")[0]).toBe(`HTTP/1.1 ${status}`);
      expect(head).toContain("x-frame-options: DENY");
      expect(body).toEqual({
        error: "validation_error",
        message,
        details: {},
        request_id: /x-request-id: (\S+)/.exec(head)?.[1],
      });
    },
  );
});
