import type { AgentIdentity } from "../agents/index.ts";

/** Where an agent's request comes from; the address is already resolved behind trusted proxies. */
export interface RequestFacts {
  readonly address: string;
  readonly authorization: string | undefined;
  /** Route path for audit rows: `/ws/agent`, `/api/v1/agent/events`. */
  readonly path: string;
}

export type Refusal =
  | { readonly reason: "rate_limited"; readonly retryAfterSeconds: number }
  | { readonly reason: "ip_denied" | "bad_token" | "project_inactive"; readonly identity?: AgentIdentity };

export interface AdmissionDeps {
  /** Counts one connect from the address; null when it is allowed, else the seconds until it would be. */
  takeConnect(address: string): number | null;
  /** False after the platform has recorded the denial. */
  isAddressAllowed(address: string): boolean;
  authenticate(token: string): Promise<AgentIdentity | null>;
  /** Writes the audit row of a refusal, at most once per key per 10 minutes. */
  refused(
    action: "agent.auth.bearer_failed" | "agent.auth.project_inactive",
    facts: RequestFacts,
    identity?: AgentIdentity,
  ): void;
}

export type Admission = { readonly identity: AgentIdentity } | { readonly refusal: Refusal };

const bearerForm = /^bearer[ \t](.+)$/i;

/** The bearer token of an Authorization header, of at most 512 characters; null when there is none. */
export function bearerToken(authorization: string | undefined): string | null {
  if (authorization === undefined || authorization.length > 512) return null;
  return bearerForm.exec(authorization.trim())?.[1]?.trim() ?? null;
}

/**
 * The checks that both transports make first, in a fixed order: connect bucket, address list, token, project. The address comes before
 * the token, so that a refused address learns nothing about tokens.
 */
export function createAdmission({ takeConnect, isAddressAllowed, authenticate, refused }: AdmissionDeps) {
  return async function admit(facts: RequestFacts): Promise<Admission> {
    const retryAfterSeconds = takeConnect(facts.address);
    if (retryAfterSeconds !== null) return { refusal: { reason: "rate_limited", retryAfterSeconds } };
    if (!isAddressAllowed(facts.address)) return { refusal: { reason: "ip_denied" } };
    const token = bearerToken(facts.authorization);
    const identity = token === null ? null : await authenticate(token);
    if (identity === null) {
      refused("agent.auth.bearer_failed", facts);
      return { refusal: { reason: "bad_token" } };
    }
    if (!identity.project_is_active) {
      refused("agent.auth.project_inactive", facts, identity);
      return { refusal: { reason: "project_inactive", identity } };
    }
    return { identity };
  };
}

export type Admit = ReturnType<typeof createAdmission>;
