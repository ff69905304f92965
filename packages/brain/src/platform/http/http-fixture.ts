/** A server with fake users, keys and projects, for the tests of this folder. */
import type { Clock } from "../clock.ts";
import { createLog } from "../log.ts";
import type { ActorUser, AddressDenial, ApiKeyActor, ProjectEntry, Role, SessionActor } from "./access/actor.ts";
import type { KeyAccess, RouteRules } from "./access/route-rules.ts";
import type { App } from "./app.ts";
import { createServer, type Server, type ServerDeps, type ServerSettings } from "./server.ts";

/** Settings of a server under test. */
export const fixtureSettings: ServerSettings = {
  SVC_ENVIRONMENT: "production",
  SVC_PUBLIC_URL: "http://localhost:7700",
  SVC_ALLOWED_HOSTS: [],
  SVC_CORS_ORIGINS: [],
  SVC_CORS_ALLOW_CREDENTIALS: true,
  SVC_TRUSTED_PROXIES: [],
  SVC_DASHBOARD_IP_ALLOWLIST: [],
  SVC_API_IP_ALLOWLIST: [],
  SVC_AGENT_IP_ALLOWLIST: [],
  SVC_SESSION_COOKIE_SAMESITE: "lax",
  SVC_MFA_VERIFICATION_TTL_SECONDS: 3600,
  SVC_HTTP_MAX_CONNECTIONS: 1000,
  SVC_MAX_BODY_BYTES: 65_536,
  SVC_HSTS_MAX_AGE_SECONDS: 31_536_000,
  SVC_HSTS_INCLUDE_SUBDOMAINS: true,
};

const scope = (read: string, write = read): KeyAccess => ({ kind: "scope", read, write });
const own: KeyAccess = { kind: "own" };
const forbidden: KeyAccess = { kind: "no_key", error: "forbidden" };

/** A tag of every kind, with names as a service has them. */
export const fixtureRules = {
  tags: {
    health: { keys: own, takesAnyHost: true },
    metrics: { keys: own, takesAnyHost: true },
    setup: { keys: own, isOfDashboard: true },
    hub: { keys: own, isOfDashboard: true },
    "invitations-public": { keys: own },
    auth: { keys: forbidden, isOfDashboard: true },
    "api-keys": { keys: forbidden },
    openapi: { keys: { kind: "any_key" }, isOpenToProjectKeys: true },
    projects: { keys: scope("projects:read", "projects:write"), isOpenToProjectKeys: true },
    activity: { keys: scope("audit:read") },
    audit: { keys: scope("audit:read") },
    tasks: { keys: scope("tasks:read", "tasks:write") },
    "saved-views": { keys: scope("tasks:read", "tasks:write") },
    agents: { keys: scope("agents:read", "agents:write") },
    users: { keys: { kind: "scope", read: "users:read", write: "admin:*", ownerAdmin: true } },
    "bulk-retry-requests": { keys: { kind: "no_key", error: "scope_missing" } },
    unattended: { keys: { kind: "no_key", error: "unauthenticated" } },
    "agent-transport": { keys: { kind: "agent" }, takesAnyHost: true },
  },
  everyScope: "admin:*",
  buckets: {
    login: { cap: 20, windowMs: 60_000 },
    "agent-connect": { cap: 600, windowMs: 60_000 },
    bulk: { cap: 10, windowMs: 60_000 },
    openapi: { cap: 10, windowMs: 60_000 },
    setup: { cap: 5, windowMs: 900_000 },
    activity: { cap: 60, windowMs: 60_000, isPerUser: true },
  },
} as const satisfies RouteRules;

const projects: Record<string, Omit<ProjectEntry, "role">> = {
  shop: { id: "p-shop", slug: "shop", name: "Shop", is_active: true },
  attic: { id: "p-attic", slug: "attic", name: "Attic", is_active: false },
  other: { id: "p-other", slug: "other", name: "Other", is_active: true },
};

export interface FakeClock extends Clock {
  advance(ms: number): void;
}

export function fakeClock(start = Date.UTC(2026, 0, 2, 3, 4, 5)): FakeClock {
  let nowMs = start;
  return {
    now: () => new Date(nowMs),
    monotonicMs: () => nowMs - start,
    advance: (ms) => {
      nowMs += ms;
    },
  };
}

const user = (name: string, isAdmin = false): ActorUser => ({
  id: `u-${name}`,
  email: `${name}@example.org`,
  display_name: null,
  is_admin: isAdmin,
});

/** A session actor; its cookie value is its name, see `as`. */
export function person(name: string, change: Partial<SessionActor> = {}): SessionActor {
  return {
    kind: "session",
    user: user(name, name === "root"),
    sessionId: `s-${name}`,
    csrfToken: `csrf-${name}`,
    provedAt: null,
    mfa: { enrolled: false, pending: false, verifiedAt: null, overdueSince: null },
    ...change,
  };
}

export function apiKey(owner: string, scopes: string[], change: Partial<ApiKeyActor> = {}): ApiKeyActor {
  return {
    kind: "api_key",
    user: user(owner, owner === "root"),
    keyId: `k-${owner}`,
    scopes,
    projectId: null,
    allowedCidrs: null,
    lastUsedAt: null,
    ...change,
  };
}

/** Members of every project are named by their role; "root" is an instance administrator, anyone else has no membership. */
const roles = new Set(["viewer", "operator", "admin", "auditor"]);

export interface Fixture extends Server {
  clock: FakeClock;
  denials: AddressDenial[];
  logged: string[];
}

export interface FixtureOptions {
  settings?: Partial<ServerSettings>;
  people?: Record<string, SessionActor>;
  keys?: Record<string, ApiKeyActor>;
  routes?: (app: App) => void;
  deps?: Partial<ServerDeps>;
}

export async function startFixture(options: FixtureOptions = {}): Promise<Fixture> {
  const clock = fakeClock();
  const denials: AddressDenial[] = [];
  const logged: string[] = [];
  const server = await createServer({
    settings: { ...fixtureSettings, ...options.settings },
    rules: fixtureRules,
    clock,
    log: createLog({ level: "debug", json: true, write: (line) => void logged.push(line) }),
    authenticator: {
      // One look-up returns synchronously and one asynchronously, so that both paths are tested.
      session: (cookie) => options.people?.[cookie] ?? (cookie.startsWith("gone") ? null : person(cookie)),
      apiKey: async (token) => options.keys?.[token] ?? null,
    },
    projects: {
      find: async (slug, userId): Promise<ProjectEntry | null> => {
        const project = projects[slug];
        const name = userId.slice(2);
        return project === undefined ? null : { ...project, role: roles.has(name) ? (name as Role) : null };
      },
    },
    onAddressDenied: (denial) => void denials.push(denial),
    ...options.deps,
  });
  options.routes?.(server.app);
  await server.app.ready();
  return { ...server, clock, denials, logged };
}

/** Headers of a browser signed in as `name`, with its CSRF token. */
export function as(name: string): Record<string, string> {
  return {
    cookie: `svc_session=${name}; svc_csrf=csrf-${name}`,
    "x-csrf-token": `csrf-${name}`,
    host: "localhost:7700",
  };
}

export function withKey(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}`, host: "localhost:7700" };
}
