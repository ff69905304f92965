import { everyScope, type Scope } from "../../features/api-keys/index.ts";
import { minutes } from "../../platform/durations.ts";
import type { KeyAccess, RouteRules, TagRule } from "../../platform/http/access/route-rules.ts";

const scope = (read: Scope, write: Scope = read): KeyAccess => ({ kind: "scope", read, write });
const own: KeyAccess = { kind: "own" };
const forbidden: KeyAccess = { kind: "no_key", error: "forbidden" };

/** Every tag that a route may carry. Each route has exactly one. */
const tags = {
  health: { keys: own, takesAnyHost: true },
  setup: { keys: own, isOfDashboard: true },
  metrics: { keys: own, takesAnyHost: true },
  "invitations-public": { keys: own },
  dashboard: { keys: own, isOfDashboard: true },
  "system-health": { keys: scope("home:read"), isOpenToProjectKeys: true, takesAnyHost: true },
  openapi: { keys: { kind: "any_key" }, isOpenToProjectKeys: true },
  auth: { keys: forbidden, isOfDashboard: true },
  mfa: { keys: forbidden, isOfDashboard: true },
  "api-keys": { keys: forbidden },
  home: { keys: scope("home:read"), isOpenToProjectKeys: true },
  activity: { keys: scope("audit:read") },
  projects: { keys: scope("projects:read", "projects:write"), isOpenToProjectKeys: true },
  stats: { keys: scope("home:read") },
  trends: { keys: scope("home:read") },
  tasks: { keys: scope("tasks:read", "tasks:write") },
  events: { keys: scope("tasks:read") },
  tree: { keys: scope("tasks:read") },
  issues: { keys: scope("tasks:read") },
  "dead-letters": { keys: scope("tasks:read") },
  "saved-views": { keys: scope("tasks:read", "tasks:write") },
  schedules: { keys: scope("schedules:read", "schedules:write") },
  schedulers: { keys: { kind: "scope", read: "schedules:read", write: "schedules:write", ownerAdmin: true } },
  commands: { keys: scope("commands:read", "commands:write") },
  "bulk-retry-requests": { keys: { kind: "no_key", error: "scope_missing" } },
  workers: { keys: scope("workers:read") },
  queues: { keys: scope("queues:read") },
  "agent-workers": { keys: forbidden },
  "agent-file": { keys: own, takesAnyHost: true },
  agents: { keys: scope("agents:read", "agents:write") },
  memberships: { keys: scope("memberships:read", "memberships:write") },
  invitations: { keys: scope("memberships:read", "memberships:write") },
  audit: { keys: scope("audit:read") },
  users: { keys: { kind: "scope", read: "users:read", write: everyScope, ownerAdmin: true } },
  "users-write": { keys: forbidden },
  admin: { keys: forbidden },
  "agent-transport": { keys: { kind: "agent" }, takesAnyHost: true },
  hub: { keys: own, isOfDashboard: true },
} as const satisfies Record<string, TagRule>;

/** Access rules of the routes of the brain, in addition to their own policies. */
export const routeRules = (settings: { readonly SVC_MFA_VERIFICATION_RATE_PER_MIN: number }) =>
  ({
    tags,
    everyScope,
    buckets: {
      login: { cap: 20, windowMs: minutes(1) },
      "password-reset": { cap: 10, windowMs: minutes(1) },
      invitations: { cap: 30, windowMs: minutes(1) },
      bulk: { cap: 10, windowMs: minutes(1) },
      "agent-connect": { cap: 600, windowMs: minutes(1) },
      openapi: { cap: 10, windowMs: minutes(1) },
      mfa: { cap: settings.SVC_MFA_VERIFICATION_RATE_PER_MIN, windowMs: minutes(1) },
      setup: { cap: 5, windowMs: minutes(15) },
      activity: { cap: 60, windowMs: minutes(1), isPerUser: true },
    },
  }) as const satisfies RouteRules;
