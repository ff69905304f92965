import type { Actor } from "../../platform/http/access/actor.ts";
import type { AuditEntry } from "./chain/entry.ts";

/** Who acted and from where, as audit rows carry it. */
export type AuditOrigin = Required<Pick<AuditEntry, "user_id" | "api_key_id" | "source_ip" | "user_agent">>;

interface OriginRequest {
  readonly clientAddress: string;
  readonly headers: { readonly "user-agent"?: string | undefined };
}

/** The origin of a request by a known actor, or by nobody yet (login, setup). */
export function originOf(request: OriginRequest, actor: Actor | null): AuditOrigin {
  return {
    user_id: actor?.user.id ?? null,
    api_key_id: actor?.kind === "api_key" ? actor.keyId : null,
    source_ip: request.clientAddress,
    user_agent: request.headers["user-agent"] ?? null,
  };
}

/** The origin of what the service does by itself. */
export const ownOrigin: AuditOrigin = { user_id: null, api_key_id: null, source_ip: null, user_agent: null };
