/**
 * What an API key may be allowed, in the order in which the catalogue lists it. Which scope a route asks for is decided by its tag; a write
 * scope includes the read scope of its noun.
 */
export const scopes = [
  "home:read",
  "projects:read",
  "tasks:read",
  "workers:read",
  "queues:read",
  "agents:read",
  "commands:read",
  "audit:read",
  "memberships:read",
  "users:read",
  "tasks:write",
  "agents:write",
  "commands:write",
  "projects:write",
  "memberships:write",
  "admin:*",
] as const;
export type Scope = (typeof scopes)[number];

/** Includes every other scope, those of later versions too. */
export const everyScope: Scope = "admin:*";
