/**
 * What an API key may do (spec part 3, section 6), as data: every route carries exactly one tag, and the tag decides
 * the scope that a key needs for it, or that no key is let in at all.
 */
export const scopes = [
  "home:read",
  "projects:read",
  "tasks:read",
  "workers:read",
  "queues:read",
  "agents:read",
  "commands:read",
  "schedules:read",
  "audit:read",
  "memberships:read",
  "notifications:read",
  "automation:read",
  "users:read",
  "tasks:write",
  "agents:write",
  "commands:write",
  "schedules:write",
  "projects:write",
  "memberships:write",
  "notifications:write",
  "automation:write",
  "admin:*",
] as const;
export type Scope = (typeof scopes)[number];

export type KeyAccess =
  /** No credential is looked at by the platform: public routes and those with a token of their own. */
  | { kind: "own" }
  /** Agent token only; the feature verifies it. */
  | { kind: "agent" }
  | { kind: "any_key" }
  | { kind: "no_key"; error: "forbidden" | "scope_missing" | "unauthenticated" }
  /** `read` for GET and HEAD, `write` for every other method; `ownerAdmin` asks for a globally-admin owner as well. */
  | { kind: "scope"; read: Scope; write: Scope; ownerAdmin?: true };

const scope = (read: Scope, write: Scope = read): KeyAccess => ({ kind: "scope", read, write });
const own: KeyAccess = { kind: "own" };
const forbidden: KeyAccess = { kind: "no_key", error: "forbidden" };

export const tags = {
  health: own,
  setup: own,
  metrics: own,
  "invitations-public": own,
  dashboard: own,
  "system-health": scope("home:read"),
  openapi: { kind: "any_key" },
  auth: forbidden,
  mfa: forbidden,
  "api-keys": forbidden,
  home: scope("home:read"),
  activity: scope("audit:read"),
  projects: scope("projects:read", "projects:write"),
  stats: scope("home:read"),
  trends: scope("home:read"),
  tasks: scope("tasks:read", "tasks:write"),
  events: scope("tasks:read"),
  tree: scope("tasks:read"),
  issues: scope("tasks:read"),
  "dead-letters": scope("tasks:read"),
  "saved-views": scope("tasks:read", "tasks:write"),
  commands: scope("commands:read", "commands:write"),
  "bulk-retry-requests": { kind: "no_key", error: "scope_missing" },
  workers: scope("workers:read"),
  queues: scope("queues:read"),
  "agent-workers": forbidden,
  agents: scope("agents:read", "agents:write"),
  schedules: scope("schedules:read", "schedules:write"),
  schedulers: { kind: "scope", read: "schedules:read", write: "schedules:write", ownerAdmin: true },
  memberships: scope("memberships:read", "memberships:write"),
  invitations: scope("memberships:read", "memberships:write"),
  audit: scope("audit:read"),
  "audit-exports": scope("audit:read"),
  notifications: scope("notifications:read", "notifications:write"),
  "notification-channels": { kind: "no_key", error: "unauthenticated" },
  "user-notifications": scope("notifications:read", "notifications:write"),
  automation: scope("automation:read", "automation:write"),
  users: { kind: "scope", read: "users:read", write: "admin:*", ownerAdmin: true },
  "users-write": forbidden,
  admin: forbidden,
  "agent-transport": { kind: "agent" },
  hub: own,
} as const satisfies Record<string, KeyAccess>;
export type Tag = keyof typeof tags;

/** The scope a key needs for a method on a tag; null where no scope is asked (or no key let in). */
export function scopeFor(tag: Tag, method: string): Scope | null {
  const access: KeyAccess = tags[tag];
  if (access.kind !== "scope") return null;
  return method === "GET" || method === "HEAD" ? access.read : access.write;
}

/** Whether a key's scopes cover `needed`: itself, the write scope of the same noun, or admin:*. */
export function grants(held: readonly string[], needed: Scope): boolean {
  if (held.includes(needed) || held.includes("admin:*")) return true;
  return needed.endsWith(":read") && held.includes(`${needed.slice(0, -":read".length)}:write`);
}

/** Tags, beside the `{slug}` routes of its own project, on which a project-bound key is let in. */
export const projectBoundTags: ReadonlySet<Tag> = new Set(["home", "projects", "openapi", "system-health"]);
