/**
 * Scopes of API keys, in catalogue order. A route's tag decides which scope it requires; a write scope includes the read scope of the same
 * noun.
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
  "users:read",
  "tasks:write",
  "agents:write",
  "commands:write",
  "schedules:write",
  "projects:write",
  "memberships:write",
  "admin:*",
] as const;
export type Scope = (typeof scopes)[number];

/** Includes every other scope, including those of later versions. */
export const everyScope: Scope = "admin:*";
