import websocket from "@fastify/websocket";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { createThrottledLog } from "../throttled-log.ts";
import type { App } from "./app.ts";
import type { RefuseConnection } from "./connections/broken-requests.ts";
import { ApiError } from "./error-codes.ts";

export interface SocketOptions {
  /** Maximum size of a message in bytes. */
  maxMessageBytes: number;
}

export interface SocketDeps extends SocketOptions {
  log: Log;
  clock: Pick<Clock, "monotonicMs">;
  refuseConnection: RefuseConnection;
}

/** How long a peer has to answer a close before its socket is dropped. */
const closeWaitMs = 5000;

/**
 * Lets routes with `websocket: true` accept upgrades. Call it before any onRequest hook is added: when a hook refuses an upgrade, only the
 * plugin's own hook, which must run first, closes the socket, and Node has no time limit for an upgraded socket.
 *
 * @returns whether a path is such a route; ignore upgrades of other paths, so that they become ordinary requests.
 */
export async function serveSockets(app: App, deps: SocketDeps): Promise<(path: string) => boolean> {
  const paths = new Set<string>();
  const failed = createThrottledLog(deps.clock, (sockets, about) =>
    deps.log.warn("websocket.failed", { sockets, ...about }),
  );
  await app.register(websocket, {
    options: {
      maxPayload: deps.maxMessageBytes,
      perMessageDeflate: false,
      // To an agent a pong confirms the frames before its ping, so each route answers pings itself.
      autoPong: false,
      // A text or binary message that is not UTF-8 is left to its reader, which may drop it and continue.
      skipUTF8Validation: true,
      // The types do not know closeTimeout yet.
      ...{ closeTimeout: closeWaitMs },
    },
    errorHandler: (error, socket) => {
      failed({ err: error });
      socket.terminate();
    },
  });
  app.websocketServer.on("wsClientError", (error, socket) => {
    deps.refuseConnection(error, socket);
    // This socket is no longer read, so a disconnect of its client would not be noticed.
    socket.once("finish", () => socket.destroy());
  });
  app.addHook("onRoute", (route) => {
    if (!(route as { websocket?: boolean }).websocket) return;
    paths.add(route.url);
    const upgrade = route.handler;
    // The plugin's own answer to a request that asks for no upgrade has no envelope.
    route.handler = function (request, reply) {
      if (!request.ws) throw new ApiError("not_found");
      return upgrade.call(this, request, reply);
    };
  });
  return (path) => paths.has(path);
}
