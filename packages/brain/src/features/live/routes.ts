import type {} from "@fastify/websocket";
import type { FastifyRequest } from "fastify";
import type { WebSocket } from "ws";
import type { Access } from "../../platform/http/access/access.ts";
import type { Routes } from "../../platform/http/app.ts";
import type { Hub } from "./hub.ts";
import { hubCloseCodes } from "./subscriber.ts";

/** GET /ws/dashboard: needs a session cookie and a known Origin; refusals follow the upgrade, as close codes. */
export const liveRoutes: Routes<{ hub: Hub; access: Pick<Access, "session" | "admitsOrigin"> }> = (
  app,
  { hub, access },
) => {
  app.get("/ws/dashboard", { websocket: true, config: { tag: "hub", public: true, hidden: true } }, (async (
    socket: WebSocket,
    request: FastifyRequest,
  ) => {
    if (!access.admitsOrigin(request)) return socket.close(hubCloseCodes.originOrMembership, "origin not allowed");
    socket.pause();
    const actor = await access.session(request);
    socket.resume();
    const mayWatch = actor !== null && !actor.mfa.pending && actor.mfa.overdueSince === null;
    if (!mayWatch) return socket.close(hubCloseCodes.noSession, "no session");
    hub.accept(socket, actor);
  }) as never);
};
