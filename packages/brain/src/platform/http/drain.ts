import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Requests under way have this long to end once the server closes. */
const graceMs = 5000;

/**
 * Keeps a closing server from waiting for its clients. Node ends idle connections by itself, but waits without bound for those that never
 * sent a request (a browser's preconnect, a probe) and for requests that do not end.
 *
 * @returns what to call before the server closes.
 */
export function prepareDrain(server: Server): () => void {
  const unused = new Set<Socket>();
  server.on("connection", (socket) => {
    unused.add(socket);
    socket.once("close", () => unused.delete(socket));
  });
  server.on("request", ({ socket }) => unused.delete(socket));
  server.on("upgrade", ({ socket }) => unused.delete(socket));

  return () => {
    for (const socket of unused) socket.destroy();
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    server.once("close", () => clearTimeout(timer));
  };
}
