/**
 * Decides access from the policy of a route. The order is fixed: rate limit of the address, address lists, authentication,
 * CSRF, scopes, the project and the role in it. An API key is authenticated before its address lists, so that the audit row
 * can name it; for everything else the list comes first. Checks are synchronous unless a look-up has to wait.
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
  /** Receives every refused address; counts all and throttles the audit rows. */
  onAddressDenied(denial: AddressDenial): void;
}

export type Surface = "dashboard" | "api" | "agent";

/** Maximum age of a proof of identity for a route that requires one (`stepUp`). */
const stepUpMs = minutes(15);
/** The clocks of two processes may differ by this. A proof further ahead was given while the clock was wrong, so its age is not known. */
const maxAheadMs = minutes(1);
const rank: Record<Role, number> = { auditor: 0, viewer: 0, operator: 1, admin: 2 };

/**
 * Identifies the caller and the project of a request as its route's policy requires, or refuses the request. Gateways that accept an
 * upgrade before they can refuse it call the single checks.
 */
export class Access {
  readonly cookies: Cookies;
  readonly #deps: AccessDeps;
  readonly #trusted: AddressRange[];
  readonly #lists: Record<Surface, AddressRange[]>;
  readonly #freshMfaMs: number;

  constructor(deps: AccessDeps) {
    const { settings } = deps;
    this.#deps = deps;
    this.cookies = cookiesFor(settings);
    this.#trusted = ranges(settings.SVC_TRUSTED_PROXIES);
    this.#lists = {
      dashboard: ranges(settings.SVC_DASHBOARD_IP_ALLOWLIST),
      api: ranges(settings.SVC_API_IP_ALLOWLIST),
      agent: ranges(settings.SVC_AGENT_IP_ALLOWLIST),
    };
    this.#freshMfaMs = settings.SVC_MFA_VERIFICATION_TTL_SECONDS * 1000;
  }

  clientAddress(request: FastifyRequest): string {
    const forwarded = request.headers["x-forwarded-for"];
    const joined = Array.isArray(forwarded) ? forwarded.join(",") : forwarded;
    return resolveClientAddress(request.socket.remoteAddress, joined, this.#trusted);
  }

  /** Whether the surface's allow-list is empty or includes the address. Reports a denial. */
  admitsAddress(surface: Surface, address: string, key: ApiKeyActor | null = null): boolean {
    const list = this.#lists[surface];
    if (list.length === 0 || inRanges(address, list)) return true;
    this.#deny(surface, "global_allowlist", address, key);
    return false;
  }

  #deny(surface: Surface, reason: AddressDenial["reason"], address: string, key: ApiKeyActor | null): void {
    this.#deps.onAddressDenied({
      surface: surface === "agent" ? "agent" : "api",
      reason,
      address,
      apiKeyId: key?.keyId ?? null,
      userId: key?.user.id ?? null,
    });
  }

  #requireAddress(surface: Surface, address: string, key: ApiKeyActor | null = null): void {
    if (!this.admitsAddress(surface, address, key)) throw addressRefused(surface);
  }

  #requireOwnRange(key: ApiKeyActor, address: string): void {
    if (key.allowedCidrs === null || key.allowedCidrs.length === 0) return;
    if (inRanges(address, ranges(key.allowedCidrs))) return;
    this.#deny("api", "key_allowed_cidrs", address, key);
    throw addressRefused("api");
  }

  #requireBucket(bucket: string, key: string): void {
    const seconds = this.#deps.buckets.take(bucket, key);
    if (seconds !== null) throw tooManyRequests(bucket, seconds);
  }

  #requireUserBucket({ bucket }: RoutePolicy, actor: Actor): void {
    if (bucket === undefined) return;
    const { isPerUser, windowMs } = this.#bucketOf(bucket);
    if (isPerUser === true && this.#deps.buckets.take(bucket, actor.user.id) !== null)
      throw tooManyRequests(bucket, windowMs / 1000);
  }

  /** The session of the request's cookie, without checking its gates; null without a valid one. */
  session(request: FastifyRequest): Maybe<SessionActor> {
    const cookie = request.cookies[this.cookies.session.name];
    return cookie === undefined || cookie === "" ? null : this.#deps.authenticator.session(cookie, contextOf(request));
  }

  /** Checks a request against a policy: sets its caller and project, or throws the refusal. */
  judge(request: FastifyRequest, policy: RoutePolicy): void | Promise<void> {
    const tag = this.#tagOf(policy);
    if (policy.bucket !== undefined && this.#bucketOf(policy.bucket).isPerUser !== true)
      this.#requireBucket(policy.bucket, request.clientAddress);
    if (tag.keys.kind === "agent") {
      if (policy.selfGuarded !== true) this.#requireAddress("agent", request.clientAddress);
      return;
    }
    const token = policy.public === undefined ? bearerOf(request) : null;
    if (token === null && tag.isOfDashboard === true) this.#requireAddress("dashboard", request.clientAddress);
    if (policy.public !== undefined) return this.#judgePublic(request, policy);
    if (token !== null) {
      return settle(this.#deps.authenticator.apiKey(token, contextOf(request)), (key) =>
        this.#judgeKey(request, policy, key),
      );
    }
    if (request.cookies[this.cookies.session.name] === undefined) throw new ApiError("unauthenticated");
    this.#requireAddress("dashboard", request.clientAddress);
    return settle(this.session(request), (actor) => {
      if (actor === null) throw new ApiError("unauthenticated");
      return this.#judgeSession(request, policy, actor);
    });
  }

  #judgePublic(request: FastifyRequest, policy: RoutePolicy): void | Promise<void> {
    if (isMutating(request.method)) requireOwnOrigin(request, this.#deps.hosts);
    if (policy.public === true) return;
    if (request.cookies[this.cookies.session.name] !== undefined)
      this.#requireAddress("dashboard", request.clientAddress);
    return settle(this.session(request), (actor) => {
      if (actor === null || isGated(actor)) return;
      if (isMutating(request.method)) requireCsrfToken(request, this.cookies.csrf.name, actor.csrfToken);
      request.caller = actor;
    });
  }

  #judgeKey(request: FastifyRequest, policy: RoutePolicy, key: ApiKeyActor | null): void | Promise<void> {
    if (key === null) throw new ApiError("unauthenticated");
    if (this.#tagOf(policy).isOfDashboard === true) this.#requireAddress("dashboard", request.clientAddress, key);
    this.#requireAddress("api", request.clientAddress, key);
    this.#requireOwnRange(key, request.clientAddress);
    this.#requireKeyAccess(key, policy, request.method);
    if (key.projectId !== null && !namesProject(policy) && this.#tagOf(policy).isOpenToProjectKeys !== true)
      throw projectBound();
    request.caller = key;
    const judged = this.#judgeRights(request, policy, key);
    const noteUse = () => this.#deps.authenticator.apiKeyUsed?.(key, contextOf(request));
    return judged === undefined ? noteUse() : judged.then(noteUse);
  }

  #requireKeyAccess(key: ApiKeyActor, policy: RoutePolicy, method: string): void {
    const access = this.#tagOf(policy).keys;
    if (access.kind === "no_key") throw new ApiError(access.error, { reason: "session_only" });
    if (policy.sessionOnly === true) throw new ApiError("forbidden", { reason: "session_only" });
    if (access.kind !== "scope") return;
    const needed = scopeFor(access, method);
    if (needed !== null && !grants(key.scopes, needed, this.#deps.rules.everyScope))
      throw new ApiError("scope_missing", { required: needed });
    if (access.ownerAdmin === true && !key.user.is_admin) throw new ApiError("forbidden", { required: "global_admin" });
  }

  #judgeSession(request: FastifyRequest, policy: RoutePolicy, actor: SessionActor): void | Promise<void> {
    if (actor.mfa.pending && policy.beforeMfa !== true) {
      throw new ApiError("mfa_reverify_required", { reason: "mfa_pending" });
    }
    if (actor.mfa.overdueSince !== null && policy.beforeEnrollment !== true) {
      throw new ApiError("mfa_enrollment_required", { deadline: actor.mfa.overdueSince.toISOString() });
    }
    if (isMutating(request.method)) requireCsrfToken(request, this.cookies.csrf.name, actor.csrfToken);
    request.caller = actor;
    return this.#judgeRights(request, policy, actor);
  }

  #judgeRights(request: FastifyRequest, policy: RoutePolicy, actor: Actor): void | Promise<void> {
    this.#requireUserBucket(policy, actor);
    if (policy.globalAdmin === true && !actor.user.is_admin)
      throw new ApiError("forbidden", { required: "global_admin" });
    if (!namesProject(policy)) return this.#requireProofs(policy, actor);
    const { slug } = request.params as { slug: string };
    return settle(this.#deps.projects.find(slug, actor.user.id), (entry) => {
      const project = accessTo(entry, actor);
      requireRole(project, policy, request.method);
      if (!project.is_active && isMutating(request.method) && policy.archivedOk !== true) {
        throw new ApiError("conflict", { reason: "project_archived" });
      }
      this.#requireProofs(policy, actor);
      request.projectAccess = project;
    });
  }

  /** The second factor is checked first: entering a code also proves the identity, so a session that lacks both is asked only once. */
  #requireProofs(policy: RoutePolicy, actor: Actor): void {
    if (actor.kind !== "session") return;
    this.#requireFreshMfa(policy, actor);
    if (policy.stepUp !== true) return;
    if (this.#isFresh(actor.provedAt, stepUpMs)) return;
    throw new ApiError("step_up_required", { methods: actor.mfa.enrolled ? ["password", "code"] : ["password"] });
  }

  #requireFreshMfa(policy: RoutePolicy, actor: SessionActor): void {
    if (policy.freshMfa !== true || !actor.mfa.enrolled) return;
    if (!this.#isFresh(actor.mfa.verifiedAt, this.#freshMfaMs)) throw new ApiError("mfa_reverify_required");
  }

  #isFresh(at: Date | null, maxAgeMs: number): boolean {
    if (at === null) return false;
    const ageMs = this.#deps.clock.now().getTime() - at.getTime();
    return ageMs <= maxAgeMs && ageMs >= -maxAheadMs;
  }

  /** Seconds to wait when the budget is used up, else null after counting the request. */
  takeBucket(bucket: string, key: string): number | null {
    return this.#deps.buckets.take(bucket, key);
  }

  /** Whether the Origin header is one of ours; false without one. */
  admitsOrigin({ headers }: FastifyRequest): boolean {
    return headers.origin !== undefined && this.#deps.hosts.admitsOrigin(headers.origin, headers.host);
  }

  // The lookups below cannot fail: a route with an unknown tag or bucket is refused when it is registered.
  #tagOf({ tag }: RoutePolicy): TagRule {
    return this.#deps.rules.tags[tag]!;
  }

  #bucketOf(bucket: string): BucketRule {
    return this.#deps.rules.buckets[bucket]!;
  }
}

const ranges = (texts: readonly string[]): AddressRange[] => parseRanges(texts).ranges;

const contextOf = (request: FastifyRequest) => ({
  address: request.clientAddress,
  userAgent: request.headers["user-agent"],
  // A live view reconnects automatically even when no one is present, and pages cannot set headers on a WebSocket.
  isBackground: request.headers["x-svc-background"] === "1" || request.headers.upgrade !== undefined,
});

/** The 429 of an exhausted budget, with its detail text and header. */
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

/** Where sessions are optional, a restricted session counts as anonymous. */
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
