import type { FastifyRequest } from "fastify";
import type { AuditEntry } from "./chain/entry.ts";

/** The actor and the origin of a request, as audit rows contain them. */
export type AuditOrigin = Required<Pick<AuditEntry, "user_id" | "api_key_id" | "source_ip" | "user_agent">>;

/** The parts of a request that an origin is read from; public routes (login, setup) have no caller. */
export type OriginRequest = Pick<FastifyRequest, "caller" | "clientAddress" | "headers">;

export function originOf(request: OriginRequest): AuditOrigin {
  const { caller } = request;
  return {
    user_id: caller?.user.id ?? null,
    api_key_id: caller?.kind === "api_key" ? caller.keyId : null,
    source_ip: request.clientAddress,
    user_agent: request.headers["user-agent"] ?? null,
  };
}

/** The origin of actions that the service performs on its own. */
export const ownOrigin: AuditOrigin = { user_id: null, api_key_id: null, source_ip: null, user_agent: null };
