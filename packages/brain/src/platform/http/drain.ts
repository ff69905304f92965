import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Requests under way have this long to end once the server closes. */
const requestGraceMs = 5000;

/**
 * Keeps a closing server from waiting for its clients. Node ends idle connections by itself, but waits without bound for those that never
 * sent a request (a browser's preconnect, a probe), for requests that do not end, and for sockets that were upgraded.
 *
 * @returns what to call before the server closes.
 */
export function prepareDrain(server: Server, graceMs = requestGraceMs): () => void {
  const unused = new Set<Socket>();
  const upgraded = new Set<Socket>();
  server.on("connection", (socket) => {
    unused.add(socket);
    socket.once("close", () => {
      unused.delete(socket);
      upgraded.delete(socket);
    });
  });
  server.on("request", ({ socket }) => unused.delete(socket));
  server.on("upgrade", ({ socket }) => {
    unused.delete(socket);
    upgraded.add(socket);
  });

  return () => {
    for (const socket of unused) socket.destroy();
    const timer = setTimeout(() => {
      server.closeAllConnections();
      for (const socket of upgraded) socket.destroy();
    }, graceMs);
    server.once("close", () => clearTimeout(timer));
  };
}
