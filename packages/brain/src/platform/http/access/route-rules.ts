/** Rules for the routes of all features; `app/` lists them, and the hooks of access.ts apply them. */
export type KeyAccess =
  /** The platform checks no credential: public routes and those with a separate token. */
  | { readonly kind: "own" }
  /** Agent token only; the feature verifies it. */
  | { readonly kind: "agent" }
  | { readonly kind: "any_key" }
  | { readonly kind: "no_key"; readonly error: "forbidden" | "scope_missing" | "unauthenticated" }
  /** `read` for GET and HEAD, `write` for every other method; `ownerAdmin` also requires that the key's owner is an instance administrator. */
  | { readonly kind: "scope"; readonly read: string; readonly write: string; readonly ownerAdmin?: true };

export interface TagRule {
  /** What an API key needs, or that API keys are refused. */
  readonly keys: KeyAccess;
  /** Admits project-bound keys in addition to the `{slug}` routes of their project. */
  readonly isOpenToProjectKeys?: true;
  /** DASHBOARD_IP_ALLOWLIST applies to its routes even without a cookie. */
  readonly isOfDashboard?: true;
  /** Answers under any Host header: probes and agents may use any name of the service. */
  readonly takesAnyHost?: true;
}

/** A budget of requests per address in a sliding window. */
export interface BucketRule {
  readonly cap: number;
  readonly windowMs: number;
  /** Counted per user instead, and so after authentication. A refusal always names the whole window as the time to wait. */
  readonly isPerUser?: true;
}

export interface RouteRules {
  readonly tags: Readonly<Record<string, TagRule>>;
  readonly buckets: Readonly<Record<string, BucketRule>>;
  /** The scope that includes all others. */
  readonly everyScope: string;
}

/** The scope a key needs for a method; null where no scope is required (or keys are refused). */
export function scopeFor(access: KeyAccess, method: string): string | null {
  if (access.kind !== "scope") return null;
  return method === "GET" || method === "HEAD" ? access.read : access.write;
}

/** Whether a key's scopes cover `needed`: itself, the write scope of the same noun, or the scope that includes all. */
export function grants(held: readonly string[], needed: string, everyScope: string): boolean {
  if (held.includes(needed) || held.includes(everyScope)) return true;
  return needed.endsWith(":read") && held.includes(`${needed.slice(0, -":read".length)}:write`);
}
