/** What the parts of a service say of their routes together; `app/` lists it, and the hooks of access.ts judge by it. */
export type KeyAccess =
  /** No credential is looked at by the platform: public routes and those with a token of their own. */
  | { readonly kind: "own" }
  /** Agent token only; the feature verifies it. */
  | { readonly kind: "agent" }
  | { readonly kind: "any_key" }
  | { readonly kind: "no_key"; readonly error: "forbidden" | "scope_missing" | "unauthenticated" }
  /** `read` for GET and HEAD, `write` for every other method; `ownerAdmin` asks for a globally-admin owner as well. */
  | { readonly kind: "scope"; readonly read: string; readonly write: string; readonly ownerAdmin?: true };

export interface TagRule {
  /** What an API key needs, or that none is let in at all. */
  readonly keys: KeyAccess;
  /** Lets project-bound keys in beside the `{slug}` routes of their own project. */
  readonly isOpenToProjectKeys?: true;
  /** DASHBOARD_IP_ALLOWLIST covers its routes without any cookie. */
  readonly isOfDashboard?: true;
  /** Answers under any Host header: probes and agents address the service by whatever name they have. */
  readonly takesAnyHost?: true;
}

/** A budget of requests per address in a sliding window. */
export interface BucketRule {
  readonly cap: number;
  readonly windowMs: number;
  /** Counted per user instead, so only after authentication; a refusal always says the whole window. */
  readonly isPerUser?: true;
}

export interface RouteRules {
  readonly tags: Readonly<Record<string, TagRule>>;
  readonly buckets: Readonly<Record<string, BucketRule>>;
  /** The scope that includes all others. */
  readonly everyScope: string;
}

/** The scope a key needs for a method; null where no scope is asked (or no key let in). */
export function scopeFor(access: KeyAccess, method: string): string | null {
  if (access.kind !== "scope") return null;
  return method === "GET" || method === "HEAD" ? access.read : access.write;
}

/** Whether a key's scopes cover `needed`: itself, the write scope of the same noun, or the scope that includes all. */
export function grants(held: readonly string[], needed: string, everyScope: string): boolean {
  if (held.includes(needed) || held.includes(everyScope)) return true;
  return needed.endsWith(":read") && held.includes(`${needed.slice(0, -":read".length)}:write`);
}
