import { createServer } from "node:net";

/**
 * A TCP port that nothing listens on at the moment of the call. Another process may take it before the caller does, so a launcher
 * asks again when its server cannot bind.
 */
export async function freePort(host = "127.0.0.1"): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const server = createServer();
  server.once("error", reject);
  server.listen(0, host, () => {
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    server.close(() => resolve(port));
  });
  return promise;
}
