/**
 * The expected rights of every route (docs/reference/roles.md, docs/reference/api-keys.md), written independently of the routes' policies.
 * A route of the brain without a line here fails every-route.test.ts.
 */

/**
 * `public`, `optional` (public, but uses a session), `session` (any signed-in user), a project role, `audit` (auditor or admin of the
 * project), `global-admin`, `agent` (agent token only), `hub` (session cookie on a WebSocket).
 */
export type Who =
  | "public"
  | "optional"
  | "session"
  | "viewer"
  | "operator"
  | "admin"
  | "audit"
  | "global-admin"
  | "agent"
  | "hub";

export interface RouteRights {
  readonly method: string;
  /** As the route is registered. */
  readonly path: string;
  readonly who: Who;
  /** The scope that a key needs, `any` for every key, or the refusal of every key: `!forbidden`, `!scope_missing`; `-`: keys are ignored. */
  readonly key: string;
  readonly isFresh: boolean;
  /** Requires a recently entered password or code. */
  readonly asksProof: boolean;
}

// Columns: method, path below /api/v1 (`//` from the root), who, key, and requirements for browser sessions: `fresh` MFA, a recent `proof`.
// The table may list routes that the brain does not have yet, but must list every route that it has.
const table = `
GET    //agent/svc-agent.mjs                             public        -
GET    //agent/manifest.json                             public        -
GET    //health                                          public        -
GET    //health/ready                                    public        -
GET    //health/system                                   session       home:read
GET    //health/deep                                     session       home:read
GET    //metrics                                         public        -
GET    //setup                                           public        -
POST   //setup                                           public        -
GET    //setup/page.css                                  public        -
GET    //setup/page.js                                   public        -
GET    //ws/agent                                        agent         -
GET    //ws/dashboard                                    hub           -
GET    /health                                           public        -
GET    /health/ready                                     public        -
GET    /health/system                                    session       home:read
GET    /health/deep                                      session       home:read
GET    /metrics                                          public        -
GET    /setup/status                                     optional      -
POST   /setup/complete                                   public        -
GET    /openapi.json                                     session       any
GET    /docs                                             session       any
GET    /docs/docs.css                                    session       any
GET    /docs/docs.js                                     session       any

POST   /auth/login                                       public        -
POST   /auth/logout                                      session       !forbidden
GET    /auth/me                                          session       !forbidden
PATCH  /auth/me                                          session       !forbidden
POST   /auth/change-password                             session       !forbidden      fresh
GET    /auth/sessions                                    session       !forbidden
POST   /auth/sessions/:session_id/revoke                 session       !forbidden
POST   /auth/sessions/revoke-others                      session       !forbidden
GET    /auth/security-history                            session       !forbidden
GET    /auth/policy                                      session       !forbidden
POST   /auth/password-reset/request                      public        -
POST   /auth/password-reset/confirm                      public        -
POST   /auth/step-up                                     session       !forbidden
POST   /auth/mfa/enroll-start                            session       !forbidden      fresh,proof
POST   /auth/mfa/enroll-complete                         session       !forbidden      fresh
POST   /auth/mfa/verify                                  session       !forbidden
POST   /auth/mfa/disable                                 session       !forbidden
POST   /auth/mfa/recovery-codes/regenerate               session       !forbidden      fresh,proof
GET    /auth/mfa/status                                  session       !forbidden
GET    /auth/mfa/trusted-devices                         session       !forbidden
POST   /auth/mfa/trusted-devices                         session       !forbidden      fresh,proof
POST   /auth/mfa/trusted-devices/:device_id/revoke       session       !forbidden      fresh
PATCH  /auth/mfa/trusted-devices/:device_id              session       !forbidden      fresh

GET    /api-keys                                         session       !forbidden
POST   /api-keys                                         session       !forbidden      fresh,proof
PATCH  /api-keys/:key_id                                 session       !forbidden      fresh
DELETE /api-keys/:key_id                                 session       !forbidden
GET    /api-keys/scopes                                  session       !forbidden

POST   /invitations/preview                              public        -
POST   /invitations/accept                               optional      -

GET    /users                                            global-admin  users:read
GET    /users/:user_id                                   global-admin  users:read
POST   /users                                            global-admin  !forbidden      fresh,proof
PATCH  /users/:user_id                                   global-admin  !forbidden      fresh,proof
POST   /users/:user_id/password                          global-admin  !forbidden      fresh,proof
DELETE /users/:user_id                                   global-admin  !forbidden      fresh
GET    /users/:user_id/api-keys                          global-admin  !forbidden
DELETE /users/:user_id/api-keys                          global-admin  !forbidden      fresh
GET    /admin/settings                                   global-admin  !forbidden
GET    /admin/system/versions                            global-admin  !forbidden
POST   /admin/system/versions/check                      global-admin  !forbidden
GET    /admin/audit-forwarder                            global-admin  !forbidden

GET    /activity                                         session       audit:read
GET    /home/summary                                     session       home:read
GET    /home/recent-failures                             session       home:read

GET    /projects                                         session       projects:read
POST   /projects                                         global-admin  projects:write
GET    /projects/:slug                                   viewer        projects:read
PATCH  /projects/:slug                                   admin         projects:write
DELETE /projects/:slug                                   admin         projects:write  fresh
GET    /projects/:slug/memberships                       viewer        memberships:read
POST   /projects/:slug/memberships                       admin         memberships:write  fresh,proof
PATCH  /projects/:slug/memberships/:membership_id        admin         memberships:write  fresh,proof
DELETE /projects/:slug/memberships/:membership_id        admin         memberships:write  fresh
GET    /projects/:slug/invitations                       admin         memberships:read
POST   /projects/:slug/invitations                       admin         memberships:write  fresh,proof
DELETE /projects/:slug/invitations/:invitation_id        admin         memberships:write

GET    /projects/:slug/agents                            viewer        agents:read
POST   /projects/:slug/agents                            admin         agents:write    fresh,proof
GET    /projects/:slug/agents/:agent_id                  viewer        agents:read
DELETE /projects/:slug/agents/:agent_id                  admin         agents:write    fresh
GET    /projects/:slug/agents/:agent_id/status-history   viewer        agents:read
GET    /projects/:slug/agent-workers                     viewer        !forbidden
GET    /projects/:slug/completeness                      viewer        agents:read
GET    /projects/:slug/workers                           viewer        workers:read
GET    /projects/:slug/workers/:worker_id                viewer        workers:read
GET    /projects/:slug/queues                            viewer        queues:read
GET    /projects/:slug/queues/activity                   viewer        queues:read
GET    /projects/:slug/queues/:engine/:name              viewer        queues:read
GET    /projects/:slug/queues/:engine/:name/depths       viewer        queues:read

GET    /projects/:slug/stats                             viewer        home:read
GET    /projects/:slug/trends                            viewer        home:read
GET    /projects/:slug/latency                           viewer        home:read
GET    /projects/:slug/latency/names                     viewer        home:read
GET    /projects/:slug/releases                          viewer        home:read
GET    /projects/:slug/tasks                             viewer        tasks:read
GET    /projects/:slug/tasks/:engine/:task_id            viewer        tasks:read
GET    /projects/:slug/tasks/:engine/:task_id/explain    viewer        tasks:read
GET    /projects/:slug/tasks/:engine/:task_id/tree       viewer        tasks:read
GET    /projects/:slug/tasks/:engine/:task_id/commands   viewer        commands:read
GET    /projects/:slug/tasks/differences                 viewer        tasks:read
GET    /projects/:slug/tasks/histogram                   viewer        tasks:read
POST   /projects/:slug/tasks/bulk-delete                 admin         tasks:write
POST   /projects/:slug/bulk-retry-requests               operator      !scope_missing
GET    /projects/:slug/bulk-retry-requests               operator      !scope_missing
GET    /projects/:slug/bulk-retry-requests/:request_id   operator      !scope_missing
GET    /projects/:slug/bulk-retry-requests/:request_id/plan      operator  !scope_missing
GET    /projects/:slug/bulk-retry-requests/:request_id/children  operator  !scope_missing
POST   /projects/:slug/bulk-retry-requests/:request_id/pause   operator   !scope_missing
POST   /projects/:slug/bulk-retry-requests/:request_id/resume  operator   !scope_missing
POST   /projects/:slug/bulk-retry-requests/:request_id/cancel  operator   !scope_missing
GET    /projects/:slug/commands                          viewer        commands:read
GET    /projects/:slug/commands/:command_id              viewer        commands:read
POST   /projects/:slug/commands/retry-task               operator      commands:write
POST   /projects/:slug/commands/cancel-task              operator      commands:write
POST   /projects/:slug/commands/requeue-dead-letter      operator      commands:write
POST   /projects/:slug/commands/bulk-retry               operator      commands:write
POST   /projects/:slug/commands/purge-queue              admin         commands:write
POST   /projects/:slug/commands/restart-worker           operator      commands:write
POST   /projects/:slug/commands/pool-resize              operator      commands:write
POST   /projects/:slug/commands/add-consumer             operator      commands:write
POST   /projects/:slug/commands/cancel-consumer          operator      commands:write
POST   /projects/:slug/commands/rate-limit               operator      commands:write
GET    /projects/:slug/dead-letters                      viewer        tasks:read
GET    /projects/:slug/facets                            viewer        tasks:read
GET    /projects/:slug/events                            viewer        tasks:read
GET    /projects/:slug/issues                            viewer        tasks:read
GET    /schedulers                                       global-admin  schedules:read
GET    /projects/:slug/saved-views                       viewer        tasks:read
POST   /projects/:slug/saved-views                       viewer        tasks:write
PUT    /projects/:slug/saved-views/:view_id              viewer        tasks:write
DELETE /projects/:slug/saved-views/:view_id              viewer        tasks:write
GET    /projects/:slug/schedules                         viewer        schedules:read
POST   /projects/:slug/schedules                         admin         schedules:write
POST   /projects/:slug/schedules::import                 admin         schedules:write
POST   /projects/:slug/schedules::diff                   admin         schedules:write
GET    /projects/:slug/schedules/forecast                viewer        schedules:read
GET    /projects/:slug/schedules/preview                 viewer        schedules:read
GET    /projects/:slug/schedules/:schedule_id            viewer        schedules:read
PATCH  /projects/:slug/schedules/:schedule_id            admin         schedules:write
DELETE /projects/:slug/schedules/:schedule_id            admin         schedules:write
GET    /projects/:slug/schedules/runs                    viewer        schedules:read
GET    /projects/:slug/schedules/misfires                viewer        schedules:read
GET    /projects/:slug/schedules/:schedule_id/misfires   viewer        schedules:read
GET    /projects/:slug/schedules/:schedule_id/fires      viewer        schedules:read
POST   /projects/:slug/schedules/:schedule_id/trigger    operator      schedules:write
POST   /projects/:slug/schedules/:schedule_id/resolve-terminal-fire operator schedules:write
POST   /projects/:slug/schedules/:schedule_id/enable     operator      schedules:write
POST   /projects/:slug/schedules/:schedule_id/disable    operator      schedules:write
POST   /projects/:slug/schedules/:schedule_id/pause      operator      schedules:write
POST   /projects/:slug/schedules/:schedule_id/resume     operator      schedules:write
POST   /projects/:slug/schedules::resync                admin         schedules:write
POST   /projects/:slug/schedules/:schedule_id/clear-quarantine  admin  schedules:write
GET    /projects/:slug/schedules/external-control-operations/:operation_id  viewer  schedules:read

GET    /projects/:slug/audit                             audit         audit:read
GET    /projects/:slug/audit/export-jobs                 audit         audit:read
POST   /projects/:slug/audit/export-jobs                 audit         audit:read
GET    /projects/:slug/audit/export-jobs/:job_id         audit         audit:read
GET    /projects/:slug/audit/export-jobs/:job_id/download  audit       audit:read

GET    /agent/commands                                   agent         -
POST   /agent/events                                     agent         -
`;

/** Open while the second factor is pending: docs/reference/second-factor.md. */
const openBeforeCode = new Set(["POST /auth/mfa/verify", "GET /auth/me", "GET /auth/mfa/status", "POST /auth/logout"]);
/** Open after the enrollment deadline: docs/reference/second-factor.md. */
const openBeforeEnrollment = new Set([
  "GET /auth/me",
  "POST /auth/logout",
  "GET /auth/mfa/status",
  "POST /auth/step-up",
  "POST /auth/mfa/enroll-start",
  "POST /auth/mfa/enroll-complete",
]);

const api = "/api/v1";

export const routeRights: readonly RouteRights[] = table
  .split("\n")
  .filter((line) => line.trim() !== "")
  .map((line) => {
    const [method = "", path = "", who = "", key = "", asked = ""] = line.trim().split(/\s+/);
    return {
      method,
      path: path.startsWith("//") ? path.slice(1) : api + path,
      who: who as Who,
      key,
      isFresh: asked.split(",").includes("fresh"),
      asksProof: asked.split(",").includes("proof"),
    };
  });

export type Role = "viewer" | "operator" | "admin" | "auditor";

/** A caller, in the project `shop`. */
export type Caller =
  | { readonly kind: "anonymous" }
  | {
      readonly kind: "session";
      readonly role: Role | "stranger" | "global-admin";
      readonly state?: "code-pending" | "enrollment-overdue" | "code-stale" | "proof-stale";
    }
  | {
      readonly kind: "key";
      readonly owner: Role | "global-admin";
      /** Only the scope that the route requires; every other scope; or admin:*. */
      readonly scopes: "right" | "others" | "admin:*";
      readonly boundTo?: "shop" | "other";
    };

/** Status and error code of the refusal; null when the request reaches the handler. */
export type Verdict = readonly [status: number, error: string] | null;

export const isMutating = (method: string): boolean => method !== "GET";
export const isOfProject = ({ path }: RouteRights): boolean => path.includes("/:slug");

/** The expected answer to this caller's request in `shop`, an active project, with valid CSRF tokens. */
export function verdictOf(route: RouteRights, caller: Caller): Verdict {
  if (route.who === "public" || route.who === "optional") return null;
  if (route.who === "agent") return [401, "unauthenticated"];
  if (caller.kind === "anonymous") return [401, "unauthenticated"];
  if (caller.kind === "session") return gateOf(route, caller.state) ?? rightsOf(route, caller.role);
  if (route.key === "!forbidden") return [403, "forbidden"];
  if (route.key === "!scope_missing") return [403, "scope_missing"];
  if (caller.scopes === "others" && route.key !== "any") return [403, "scope_missing"];
  if (caller.boundTo !== undefined && !isOfProject(route) && !isOpenToBoundKeys(route)) return [403, "forbidden"];
  if (caller.boundTo === "other" && isOfProject(route)) return [403, "forbidden"];
  return rightsOf(route, caller.owner);
}

function gateOf(route: RouteRights, state: Extract<Caller, { kind: "session" }>["state"]): Verdict {
  const name = `${route.method} ${route.path.replace(api, "")}`;
  if (state === "code-pending" && !openBeforeCode.has(name)) return [403, "mfa_reverify_required"];
  if (state === "enrollment-overdue" && !openBeforeEnrollment.has(name)) return [403, "mfa_enrollment_required"];
  if (state === "code-stale" && route.isFresh) return [403, "mfa_reverify_required"];
  if (state === "proof-stale" && route.asksProof) return [403, "step_up_required"];
  return null;
}

const rank: Record<Role, number> = { auditor: 0, viewer: 0, operator: 1, admin: 2 };

function rightsOf({ who, method, path }: RouteRights, role: Role | "stranger" | "global-admin"): Verdict {
  if (role === "global-admin" || who === "session") return null;
  if (who === "global-admin") return [403, "forbidden"];
  if (!path.includes("/:slug")) throw new Error(`${path} requires a project role`);
  if (role === "stranger") return [404, "not_found"];
  if (who === "audit") return role === "auditor" || role === "admin" ? null : [403, "forbidden"];
  if (role === "auditor" && isMutating(method)) return [403, "forbidden"];
  return rank[role] >= rank[who as Role] ? null : [403, "forbidden"];
}

/** Routes outside of projects that accept a key bound to a project: home, projects, openapi and health. */
const isOpenToBoundKeys = ({ path }: RouteRights): boolean =>
  /^(?:\/api\/v1)?\/(?:home\/.*|projects|openapi\.json|docs(?:\/.*)?|health\/(?:system|deep))$/.test(path);
