/** The access policy of a route: data in its `config`, applied by the hooks of access.ts. Access is denied by default. */
import type { RouteRules } from "./route-rules.ts";

export interface RoutePolicy {
  /** Decides the API-key scope (route-rules.ts) and groups the route in the OpenAPI document. */
  tag: string;
  /**
   * `true`: credentials are ignored. "session-optional": a valid session cookie identifies the caller (with its CSRF token); without one
   * the caller is anonymous, see `request.caller`.
   */
  public?: true | "session-optional";
  /** Project role of the caller in the project of `:slug`, or higher. */
  role?: "viewer" | "operator" | "admin";
  /** Auditor or admin of the project of `:slug`, on any method; instead of `role`. */
  auditRole?: true;
  globalAdmin?: true;
  /** Refuses API keys, even if the route's tag admits them. */
  sessionOnly?: true;
  /** Browser sessions of users with a second factor must have verified it recently. */
  freshMfa?: true;
  /** Browser sessions must have proved the user's identity recently: with the password, or with a code if the user has a second factor. */
  stepUp?: true;
  /** Rate limit: per address, counted before anything else, or per user, counted after authentication. */
  bucket?: string;
  /** Reads much of the database: such requests take turns by user (packages/brain/src/platform/http/limits/read-turns.ts). */
  heavy?: true;
  /** A mutating route that still works on an archived project (restoring it). */
  archivedOk?: true;
  /** Open to a session whose second factor is still pending. */
  beforeMfa?: true;
  /** Open to a session whose enrollment is overdue. */
  beforeEnrollment?: true;
  /** The gateway counts and checks addresses itself: it must accept an upgrade to close it with a code. */
  selfGuarded?: true;
  /** Strings of the body may contain U+0000: the route checks them itself before any of them gets into a statement. */
  takesNul?: true;
  /** Numbers of the body that a double cannot represent exactly are passed as `JSON.rawJSON`, with all their digits. */
  keepsNumbers?: true;
  /** Left out of the OpenAPI document. */
  hidden?: true;
  /** Name of the Routes function that registered it; `mount` sets it, ROUTES.md finds the file by it. */
  registeredBy?: string;
}

declare module "fastify" {
  interface FastifyContextConfig extends RoutePolicy {}
}

const mutatingMethods = new Set(["POST", "PUT", "PATCH", "DELETE"]);

export function isMutating(method: string): boolean {
  return mutatingMethods.has(method);
}

/** What is wrong with the policy of a route, for the programmer; null when it is valid. */
export function policyFault(
  policy: Partial<RoutePolicy> | undefined,
  path: string,
  rules: Pick<RouteRules, "tags" | "buckets">,
): string | null {
  if (policy?.tag === undefined) return "has no config.tag: every route states its access policy";
  const keys = rules.tags[policy.tag]?.keys;
  if (keys === undefined) return `has the unknown tag ${policy.tag}`;
  if (policy.bucket !== undefined && !(policy.bucket in rules.buckets))
    return `has the unknown bucket ${policy.bucket}`;
  const projectRole = policy.role !== undefined || policy.auditRole === true;
  const closed = projectRole || policy.globalAdmin || policy.freshMfa || policy.stepUp || policy.sessionOnly;
  if (policy.public !== undefined && closed) return "is public and asks for rights";
  if (policy.heavy && (policy.public !== undefined || keys.kind === "agent")) return "takes turns by user and has none";
  if (policy.role !== undefined && policy.auditRole) return "states both role and auditRole";
  if (projectRole && !path.includes("/:slug")) return "asks for a project role without :slug in its path";
  if (path.includes("/:slug") && !projectRole) return "has :slug in its path and asks for no project role";
  if (keys.kind !== "own" || policy.public !== undefined) return null;
  return "is on a tag without credentials of its own and is not marked public";
}
