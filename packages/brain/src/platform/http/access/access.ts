/**
 * From a route's policy to a yes or no. The order is fixed: budget of the address, address lists, who it is, CSRF, what
 * the credential may do, the project and the role in it. An API key is authenticated before its address lists, so that
 * the audit row can name it; everything else meets its list first. Checks stay in one turn unless a look-up needs to wait.
 */
import type { FastifyRequest } from "fastify";
import type { Clock } from "../../clock.ts";
import { minutes } from "../../durations.ts";
import { type AddressRange, inRanges, parseRanges, resolveClientAddress } from "../connections/addresses.ts";
import type { Hosts } from "../connections/hosts.ts";
import { ApiError } from "../error-codes.ts";
import { type CookieSettings, type Cookies, cookiesFor } from "../headers/cookies.ts";
import type { Buckets } from "../limits/buckets.ts";
import type {
  Actor,
  AddressDenial,
  ApiKeyActor,
  Authenticator,
  Maybe,
  ProjectAccess,
  ProjectDirectory,
  ProjectEntry,
  Role,
  SessionActor,
} from "./actor.ts";
import { requireCsrfToken, requireOwnOrigin } from "./csrf.ts";
import { isMutating, type RoutePolicy } from "./policy.ts";
import { type BucketRule, grants, type RouteRules, scopeFor, type TagRule } from "./route-rules.ts";

export interface AccessSettings extends CookieSettings {
  SVC_TRUSTED_PROXIES: readonly string[];
  SVC_DASHBOARD_IP_ALLOWLIST: readonly string[];
  SVC_API_IP_ALLOWLIST: readonly string[];
  SVC_AGENT_IP_ALLOWLIST: readonly string[];
  SVC_MFA_VERIFICATION_TTL_SECONDS: number;
}

export interface AccessDeps {
  settings: AccessSettings;
  clock: Clock;
  rules: RouteRules;
  buckets: Buckets;
  hosts: Hosts;
  authenticator: Authenticator;
  projects: ProjectDirectory;
  /** Told of every refused address; it counts them all and writes the audit row as rarely as section 1.12 asks. */
  onAddressDenied(denial: AddressDenial): void;
}

export type Surface = "dashboard" | "api" | "agent";

/** What gateways use that must accept an upgrade before they may refuse (agent gateway, dashboard hub). */
export interface Access {
  readonly cookies: Cookies;
  clientAddress(request: FastifyRequest): string;
  /** False after reporting the denial, when the surface's allow-list is set and lacks the address. */
  admitsAddress(surface: Surface, address: string): boolean;
  /** Seconds to wait when the budget is used up, else null after counting the request. */
  takeBucket(bucket: string, key: string): number | null;
  /** Whether the Origin header is one of ours; false without one. */
  admitsOrigin(request: FastifyRequest): boolean;
  /** The session behind the request's cookie, gates not looked at; null without a valid one. */
  session(request: FastifyRequest): Maybe<SessionActor>;
  /** Throws the refusal of a route with this policy, or sets the request's caller and project. */
  judge(request: FastifyRequest, policy: RoutePolicy): void | Promise<void>;
}

/** A proof of identity older than this does not open a route that asks for one (`stepUp`). */
const stepUpMs = minutes(15);
/** The clocks of two processes may differ by this. A proof further ahead was given while the clock was wrong, so its age is not known. */
const maxAheadMs = minutes(1);
const rank: Record<Role, number> = { auditor: 0, viewer: 0, operator: 1, admin: 2 };

export function createAccess(deps: AccessDeps): Access {
  const { settings, hosts, authenticator, rules } = deps;
  const cookies = cookiesFor(settings);
  const ranges = (texts: readonly string[]): AddressRange[] => parseRanges(texts).ranges;
  const trusted = ranges(settings.SVC_TRUSTED_PROXIES);
  const lists: Record<Surface, AddressRange[]> = {
    dashboard: ranges(settings.SVC_DASHBOARD_IP_ALLOWLIST),
    api: ranges(settings.SVC_API_IP_ALLOWLIST),
    agent: ranges(settings.SVC_AGENT_IP_ALLOWLIST),
  };
  const freshMfaMs = settings.SVC_MFA_VERIFICATION_TTL_SECONDS * 1000;

  // Both are known: a route with others is refused when it is registered.
  const tagOf = ({ tag }: RoutePolicy): TagRule => rules.tags[tag]!;
  const bucketOf = (bucket: string): BucketRule => rules.buckets[bucket]!;

  const clientAddress = (request: FastifyRequest): string => {
    const forwarded = request.headers["x-forwarded-for"];
    const joined = Array.isArray(forwarded) ? forwarded.join(",") : forwarded;
    return resolveClientAddress(request.socket.remoteAddress, joined, trusted);
  };

  function admitsAddress(surface: Surface, address: string, key: ApiKeyActor | null = null): boolean {
    const list = lists[surface];
    if (list.length === 0 || inRanges(address, list)) return true;
    deny(surface, "global_allowlist", address, key);
    return false;
  }

  function deny(surface: Surface, reason: AddressDenial["reason"], address: string, key: ApiKeyActor | null): void {
    deps.onAddressDenied({
      surface: surface === "agent" ? "agent" : "api",
      reason,
      address,
      apiKeyId: key?.keyId ?? null,
      userId: key?.user.id ?? null,
    });
  }

  function requireAddress(surface: Surface, address: string, key: ApiKeyActor | null = null): void {
    if (!admitsAddress(surface, address, key)) throw addressRefused(surface);
  }

  function requireOwnRange(key: ApiKeyActor, address: string): void {
    if (key.allowedCidrs === null || key.allowedCidrs.length === 0) return;
    if (inRanges(address, ranges(key.allowedCidrs))) return;
    deny("api", "key_allowed_cidrs", address, key);
    throw addressRefused("api");
  }

  function requireBucket(bucket: string, key: string): void {
    const seconds = deps.buckets.take(bucket, key);
    if (seconds !== null) throw tooManyRequests(bucket, seconds);
  }

  function requireUserBucket({ bucket }: RoutePolicy, actor: Actor): void {
    if (bucket === undefined) return;
    const { isPerUser, windowMs } = bucketOf(bucket);
    if (isPerUser === true && deps.buckets.take(bucket, actor.user.id) !== null)
      throw tooManyRequests(bucket, windowMs / 1000);
  }

  const contextOf = (request: FastifyRequest) => ({
    address: request.clientAddress,
    userAgent: request.headers["user-agent"],
    // A live view connects again by itself, whether anybody is there or not, and browsers let pages set no header on a socket.
    isBackground: request.headers["x-svc-background"] === "1" || request.headers.upgrade !== undefined,
  });

  function session(request: FastifyRequest): Maybe<SessionActor> {
    const cookie = request.cookies[cookies.session.name];
    return cookie === undefined || cookie === "" ? null : authenticator.session(cookie, contextOf(request));
  }

  function judge(request: FastifyRequest, policy: RoutePolicy): void | Promise<void> {
    const tag = tagOf(policy);
    if (policy.bucket !== undefined && bucketOf(policy.bucket).isPerUser !== true)
      requireBucket(policy.bucket, request.clientAddress);
    if (tag.keys.kind === "agent") {
      if (policy.selfGuarded !== true) requireAddress("agent", request.clientAddress);
      return;
    }
    const token = policy.public === undefined ? bearerOf(request) : null;
    if (token === null && tag.isOfDashboard === true) requireAddress("dashboard", request.clientAddress);
    if (policy.public !== undefined) return judgePublic(request, policy);
    if (token !== null) {
      return settle(authenticator.apiKey(token, contextOf(request)), (key) => judgeKey(request, policy, key));
    }
    if (request.cookies[cookies.session.name] === undefined) throw new ApiError("unauthenticated");
    requireAddress("dashboard", request.clientAddress);
    return settle(session(request), (actor) => {
      if (actor === null) throw new ApiError("unauthenticated");
      return judgeSession(request, policy, actor);
    });
  }

  function judgePublic(request: FastifyRequest, policy: RoutePolicy): void | Promise<void> {
    if (isMutating(request.method)) requireOwnOrigin(request, hosts);
    if (policy.public === true) return;
    if (request.cookies[cookies.session.name] !== undefined) requireAddress("dashboard", request.clientAddress);
    return settle(session(request), (actor) => {
      if (actor === null || isGated(actor)) return;
      if (isMutating(request.method)) requireCsrfToken(request, cookies.csrf.name, actor.csrfToken);
      request.caller = actor;
    });
  }

  function judgeKey(request: FastifyRequest, policy: RoutePolicy, key: ApiKeyActor | null): void | Promise<void> {
    if (key === null) throw new ApiError("unauthenticated");
    if (tagOf(policy).isOfDashboard === true) requireAddress("dashboard", request.clientAddress, key);
    requireAddress("api", request.clientAddress, key);
    requireOwnRange(key, request.clientAddress);
    requireKeyAccess(key, policy, request.method);
    if (key.projectId !== null && !namesProject(policy) && tagOf(policy).isOpenToProjectKeys !== true)
      throw projectBound();
    request.caller = key;
    const judged = judgeRights(request, policy, key);
    const noteUse = () => authenticator.apiKeyUsed?.(key, contextOf(request));
    return judged === undefined ? noteUse() : judged.then(noteUse);
  }

  function requireKeyAccess(key: ApiKeyActor, policy: RoutePolicy, method: string): void {
    const access = tagOf(policy).keys;
    if (access.kind === "no_key") throw new ApiError(access.error);
    if (policy.sessionOnly === true) throw new ApiError("forbidden", { reason: "session_only" });
    if (access.kind !== "scope") return;
    const needed = scopeFor(access, method);
    if (needed !== null && !grants(key.scopes, needed, rules.everyScope))
      throw new ApiError("scope_missing", { required: needed });
    if (access.ownerAdmin === true && !key.user.is_admin) throw new ApiError("forbidden", { required: "global_admin" });
  }

  function judgeSession(request: FastifyRequest, policy: RoutePolicy, actor: SessionActor): void | Promise<void> {
    if (actor.mfa.pending && policy.beforeMfa !== true) {
      throw new ApiError("mfa_reverify_required", { reason: "mfa_pending" });
    }
    if (actor.mfa.overdueSince !== null && policy.beforeEnrollment !== true) {
      throw new ApiError("mfa_enrollment_required", { deadline: actor.mfa.overdueSince.toISOString() });
    }
    if (isMutating(request.method)) requireCsrfToken(request, cookies.csrf.name, actor.csrfToken);
    request.caller = actor;
    return judgeRights(request, policy, actor);
  }

  function judgeRights(request: FastifyRequest, policy: RoutePolicy, actor: Actor): void | Promise<void> {
    requireUserBucket(policy, actor);
    if (policy.globalAdmin === true && !actor.user.is_admin)
      throw new ApiError("forbidden", { required: "global_admin" });
    if (!namesProject(policy)) return requireProofs(policy, actor);
    const { slug } = request.params as { slug: string };
    return settle(deps.projects.find(slug, actor.user.id), (entry) => {
      const project = accessTo(entry, actor);
      requireRole(project, policy, request.method);
      if (!project.is_active && isMutating(request.method) && policy.archivedOk !== true) {
        throw new ApiError("conflict", { reason: "project_archived" });
      }
      requireProofs(policy, actor);
      request.projectAccess = project;
    });
  }

  /** The code first: verifying it is a proof too, so that a session which lacks both is asked once. */
  function requireProofs(policy: RoutePolicy, actor: Actor): void {
    if (actor.kind !== "session") return;
    requireFreshMfa(policy, actor);
    if (policy.stepUp !== true) return;
    if (isFresh(actor.provedAt, stepUpMs)) return;
    throw new ApiError("step_up_required", { methods: actor.mfa.enrolled ? ["password", "code"] : ["password"] });
  }

  function requireFreshMfa(policy: RoutePolicy, actor: SessionActor): void {
    if (policy.freshMfa !== true || !actor.mfa.enrolled) return;
    if (!isFresh(actor.mfa.verifiedAt, freshMfaMs)) throw new ApiError("mfa_reverify_required");
  }

  function isFresh(at: Date | null, maxAgeMs: number): boolean {
    if (at === null) return false;
    const ageMs = deps.clock.now().getTime() - at.getTime();
    return ageMs <= maxAgeMs && ageMs >= -maxAheadMs;
  }

  return {
    cookies,
    clientAddress,
    admitsAddress: (surface, address) => admitsAddress(surface, address),
    takeBucket: (bucket, key) => deps.buckets.take(bucket, key),
    admitsOrigin: ({ headers }) => headers.origin !== undefined && hosts.admitsOrigin(headers.origin, headers.host),
    session,
    judge,
  };
}

/** The 429 of an exhausted budget, with the detail text and header of document two. */
export function tooManyRequests(bucket: string, seconds: number): ApiError {
  return new ApiError(
    "rate_limited",
    { bucket, retry_after_seconds: seconds },
    {
      detail: `too many requests; retry in ${seconds} seconds (${bucket})`,
      headers: { "retry-after": String(seconds) },
    },
  );
}

/** The token of an Authorization header of scheme Bearer (any case), trimmed; null without one. */
export function bearerOf(request: Pick<FastifyRequest, "headers">): string | null {
  const header = request.headers.authorization;
  if (header === undefined || header.slice(0, 6).toLowerCase() !== "bearer") return null;
  const rest = header.slice(6);
  return rest === "" || rest.startsWith(" ") || rest.startsWith("\t") ? rest.trim() : null;
}

function settle<T>(value: Maybe<T>, next: (value: T | null) => void | Promise<void>): void | Promise<void> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** A session that only few routes are open to counts as nobody where sessions are optional. */
function isGated({ mfa }: SessionActor): boolean {
  return mfa.pending || mfa.overdueSince !== null;
}

function addressRefused(surface: Surface): ApiError {
  return new ApiError("ip_denied", { surface: surface === "agent" ? "agent" : "api" });
}

function projectBound(): ApiError {
  return new ApiError("forbidden", { reason: "project_bound" });
}

function namesProject(policy: RoutePolicy): boolean {
  return policy.role !== undefined || policy.auditRole === true;
}

function accessTo(entry: ProjectEntry | null, actor: Actor): ProjectAccess {
  const role = actor.user.is_admin ? "admin" : (entry?.role ?? null);
  if (entry === null || role === null) throw new ApiError("not_found", { resource: "project" });
  if (actor.kind === "api_key" && actor.projectId !== null && actor.projectId !== entry.id) throw projectBound();
  return { ...entry, role };
}

function requireRole(project: ProjectAccess, policy: RoutePolicy, method: string): void {
  const allowed =
    policy.auditRole === true
      ? project.role === "auditor" || project.role === "admin"
      : rank[project.role] >= rank[policy.role ?? "admin"] && !(project.role === "auditor" && isMutating(method));
  if (!allowed) throw new ApiError("forbidden", { required: policy.auditRole === true ? "auditor" : policy.role });
}
