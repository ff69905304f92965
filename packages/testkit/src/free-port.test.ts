import { once } from "node:events";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { freePort } from "./free-port.ts";

test("freePort returns a port that a server can listen on", async () => {
  const port = await freePort();

  const server = createServer().listen(port, "127.0.0.1");
  await once(server, "listening");

  expect(port).toBeGreaterThan(1023);
  expect(await freePort()).not.toBe(port);
  server.close();
});
