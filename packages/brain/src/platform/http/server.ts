/** The HTTP server: framing, limits, headers, hosts, errors and access; it has no routes except the refusals. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import cookie from "@fastify/cookie";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { holdsLongNumber, holdsOverflow, parseJson } from "@svc/protocol";
import fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { createThrottledLog } from "../throttled-log.ts";
import { Access, type AccessDeps, type AccessSettings } from "./access/access.ts";
import { createRouteRegister } from "./access/route-table.ts";
import type { App } from "./app.ts";
import { parseRanges } from "./connections/addresses.ts";
import { refuseWith } from "./connections/broken-requests.ts";
import { createHosts, type HostSettings } from "./connections/hosts.ts";
import { compileSerializer } from "./content/serialization.ts";
import { compileValidator } from "./content/validation.ts";
import { type OpenApiOptions, serveOpenApi } from "./documents/openapi.ts";
import { ApiError, invalid, type ValidationFault } from "./error-codes.ts";
import { createErrorAnswer } from "./error-handler.ts";
import { answerPreflight, shareWithOrigin } from "./headers/cors.ts";
import { contentSecurityPolicy, fixedHeaders, guardHtml, type SecuritySettings } from "./headers/security-headers.ts";
import { createBuckets } from "./limits/buckets.ts";
import { type ClientTimes, ConnectionGuard, clientTimes } from "./limits/connections.ts";
import { createReadTurns } from "./limits/read-turns.ts";
import { type SocketOptions, serveSockets } from "./sockets.ts";

export interface ServerSettings extends AccessSettings, HostSettings, SecuritySettings {
  SVC_HTTP_MAX_CONNECTIONS: number;
  SVC_MAX_BODY_BYTES: number;
  SVC_CORS_ALLOW_CREDENTIALS: boolean;
}

export interface ServerDeps extends Pick<AccessDeps, "authenticator" | "projects" | "onAddressDenied" | "rules"> {
  settings: ServerSettings;
  clock: Clock;
  log: Log;
  /** How long clients may take for their part; absent: `clientTimes`. */
  times?: Partial<ClientTimes>;
  /** The API description; absent: none is served. */
  openapi?: Omit<OpenApiOptions, "sessionCookie">;
  /** WebSockets; absent: no route takes an upgrade. */
  sockets?: SocketOptions;
  /**
   * Answers GET (and HEAD) of unknown paths that belong to the dashboard: its page, with 200.
   * Absent: those paths are 404 like any other.
   */
  servePage?: (request: FastifyRequest, reply: FastifyReply) => unknown;
}

export interface Server {
  app: App;
  access: Access;
}

const reservedPaths = /^\/(?:agent|api|ws|health|metrics|setup)(?:\/|$)/;
const requestIdPattern = /^[A-Za-z0-9_-]{8,64}$/;
/** Bytes of a body on a route that asks for no credential; what strangers send is kept in memory until it is complete. */
const publicBodyBytes = 16_384;
/** Engine task ids may be long; the path is still bounded by the header limit. */
const maxParamChars = 2048;
/** Request line and headers together: a line of 32 KiB, which holds the 500 ids that some lists take, and 16 KiB of headers. */
const maxHeaderBytes = 49_152;

/** Builds the server; routes are mounted on `app` next, then `app.ready()` or `app.listen()`. */
export async function createServer(deps: ServerDeps): Promise<Server> {
  const { settings, clock, log, rules } = deps;
  const hosts = createHosts(settings);
  const buckets = createBuckets(clock, rules.buckets);
  const access = new Access({ ...deps, hosts, buckets });
  const headers = fixedHeaders(settings);
  const pagePolicy = contentSecurityPolicy(settings);
  const register = createRouteRegister(rules);
  const answerError = createErrorAnswer(log, clock);
  const times = { ...clientTimes, ...deps.times };
  const refuseConnection = refuseWith({ headers, isAnswerable: (socket) => connections.isAnswerable(socket) });
  let isStopping = false;
  let takesUpgrade = (_path: string): boolean => false;

  const app: App = fastify({
    logger: false,
    genReqId: requestIdOf,
    bodyLimit: settings.SVC_MAX_BODY_BYTES,
    requestTimeout: times.requestMs,
    keepAliveTimeout: times.keepAliveMs,
    return503OnClosing: false,
    routerOptions: { maxParamLength: maxParamChars },
    clientErrorHandler: refuseConnection,
    http: {
      // A missing Host is refused by the hook below, in the envelope.
      requireHostHeader: false,
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: times.headersMs,
      connectionsCheckingInterval: times.checkMs,
      shouldUpgradeCallback: (request) => !isStopping && takesUpgrade(pathOf(request.url ?? "")),
    },
    frameworkErrors: (error, request, reply) => {
      reply.headers(headers).header("x-request-id", request.id);
      answerError(error, request as never, reply as never);
    },
  }).withTypeProvider<TypeBoxTypeProvider>();

  await app.register(cookie);
  app.decorate("routeRegister", register);
  decorateRequests(app, access);
  acceptJsonOnly(app);
  app.setValidatorCompiler(compileValidator as never);
  app.setSerializerCompiler(compileSerializer as never);
  app.addHook("onRoute", (route) => {
    if (route.config?.public !== undefined) route.bodyLimit ??= Math.min(publicBodyBytes, settings.SVC_MAX_BODY_BYTES);
    register.add(route);
  });
  const connections = new ConnectionGuard(app.server, {
    clock,
    maxConnections: settings.SVC_HTTP_MAX_CONNECTIONS,
    trustedProxies: parseRanges(settings.SVC_TRUSTED_PROXIES).ranges,
    times,
    onFull: createThrottledLog(clock, (occasions, about) => log.warn("http.connections_full", { occasions, ...about })),
  });
  const turns = createReadTurns();
  app.addHook("preClose", (done) => {
    isStopping = true;
    connections.drain();
    done();
  });
  // An unknown Expect header may be ignored (RFC 9110, 10.1.1); Node would answer without the envelope.
  app.server.on("checkExpectation", (request, response) => app.server.emit("request", request, response));
  if (deps.sockets !== undefined)
    takesUpgrade = await serveSockets(app, { ...deps.sockets, log, clock, refuseConnection });

  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(headers);
    reply.header("x-request-id", request.id);
    if (isStopping) return done(new ApiError("unready", { reason: "stopping" }, { headers: { connection: "close" } }));
    const tag = request.routeOptions.config?.tag as string | undefined;
    const takesAnyHost = tag !== undefined && rules.tags[tag]?.takesAnyHost === true;
    if (!takesAnyHost && !hosts.admits(request.headers.host)) {
      return done(new ApiError("invalid_host"));
    }
    // PostgreSQL text cannot contain NUL: refused here, once, instead of failing in a statement.
    if (request.url.includes("%00")) return done(invalid(nulIn("path")));
    shareWithOrigin(request, reply, hosts, settings.SVC_CORS_ALLOW_CREDENTIALS);
    done();
  });
  app.addHook("onRequest", (request, _reply, done) => {
    if (request.is404) return done();
    let outcome: void | Promise<void>;
    try {
      outcome = access.judge(request, request.routeOptions.config);
    } catch (error) {
      return done(error as Error);
    }
    if (outcome === undefined) done();
    else outcome.then(() => done(), done);
  });
  app.addHook("onRequest", (request, reply, done) => {
    if (request.routeOptions.config?.heavy !== true) return done();
    turns.begin(request, reply, request.actor.user.id).then(() => done(), done);
  });
  // After every onRequest hook: callers without access get no information about bodies.
  app.addHook("preParsing", (request, _reply, payload, done) => {
    const coding = request.headers["content-encoding"];
    if (coding !== undefined && coding !== "identity") return done(new ApiError("unsupported_media_type"));
    done(null, payload);
  });
  app.addHook("onSend", (request, reply, payload, done) => {
    turns.end(request);
    guardHtml(reply, pagePolicy);
    done(null, payload);
  });

  app.setErrorHandler(answerError);
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request.url);
    const methods = register.methodsFor(path);
    if (methods.length > 0) {
      const allow = [...methods, "OPTIONS"].join(", ");
      if (request.method === "OPTIONS") return answerPreflight(request, reply, hosts, allow);
      throw new ApiError("method_not_allowed", { allowed: methods }, { headers: { allow } });
    }
    const isPage = (request.method === "GET" || request.method === "HEAD") && !reservedPaths.test(path);
    if (!isPage || deps.servePage === undefined) throw new ApiError("not_found");
    if (!access.admitsAddress("dashboard", request.clientAddress)) throw new ApiError("ip_denied", { surface: "api" });
    return deps.servePage(request, reply);
  });
  if (deps.openapi !== undefined) {
    serveOpenApi(app, { ...deps.openapi, sessionCookie: access.cookies.session.name });
  }
  return { app, access };
}

function requestIdOf(request: IncomingMessage): string {
  const sent = request.headers["x-request-id"];
  return typeof sent === "string" && requestIdPattern.test(sent) ? sent : randomUUID();
}

function pathOf(url: string): string {
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
}

function decorateRequests(app: App, access: Access): void {
  app.decorateRequest("caller", null);
  app.decorateRequest("projectAccess", null);
  app.decorateRequest("resolvedAddress", null);
  app.decorateRequest("actor", {
    getter(this: FastifyRequest) {
      if (this.caller === null) throw new Error(`${this.method} ${this.routeOptions.url} has no caller`);
      return this.caller;
    },
  });
  app.decorateRequest("sessionActor", {
    getter(this: FastifyRequest) {
      if (this.actor.kind !== "session") throw new Error(`an API key reached ${this.method} ${this.routeOptions.url}`);
      return this.actor;
    },
  });
  app.decorateRequest("project", {
    getter(this: FastifyRequest) {
      if (this.projectAccess === null) throw new Error(`${this.method} ${this.routeOptions.url} has no project`);
      return this.projectAccess;
    },
  });
  app.decorateRequest("clientAddress", {
    getter(this: FastifyRequest) {
      this.resolvedAddress ??= access.clientAddress(this);
      return this.resolvedAddress;
    },
  });
}

/** Bodies are JSON and nothing else (415); an empty one is no body. `__proto__` keys are refused as invalid JSON. */
function acceptJsonOnly(app: App): void {
  app.removeAllContentTypeParsers();
  const parse = app.getDefaultJsonParser("error", "ignore");
  const read = (request: FastifyRequest, body: string, done: (error: Error | null, value?: unknown) => void): void =>
    void parse(request, body, (error, value) => {
      if (error !== null) return done(error);
      // Code that reads the value later may be recursive.
      if (isDeeperThan(mostLevels, value)) return done(invalid(tooDeep));
      const keepsIntegers = request.routeOptions.config.keepsNumbers === true;
      if (holdsOverflow(body, { keepsIntegers })) return done(invalid(tooLargeNumber));
      done(null, value);
    });
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    if (body === "") return done(null, undefined);
    if (request.routeOptions.config.takesNul !== true && holdsNul(body as string)) return done(invalid(nulIn("body")));
    if (request.routeOptions.config.keepsNumbers !== true || !holdsLongNumber(body as string)) {
      return read(request, body as string, done);
    }
    // The usual parser runs first, so that both refuse the same bodies.
    read(request, body as string, (error) => (error === null ? done(null, parseJson(body as string)) : done(error)));
  });
}

function nulIn(place: string): ValidationFault {
  return { loc: [place], type: "nul_character", message: "must not contain the character U+0000" };
}

const tooLargeNumber: ValidationFault = {
  loc: ["body"],
  type: "number_overflow",
  message: "must not contain a number that is too large for JSON",
};

const mostLevels = 100;
const tooDeep: ValidationFault = {
  loc: ["body"],
  type: "too_deep",
  message: `must not be nested deeper than ${mostLevels} levels`,
};

/** Whether arrays and objects are nested deeper than `levels`. */
function isDeeperThan(levels: number, value: unknown): boolean {
  let inner = [value].filter(isContainer);
  for (let level = 0; level < levels && inner.length > 0; level += 1) {
    inner = inner.flatMap((each) => Object.values(each).filter(isContainer));
  }
  return inner.length > 0;
}

const isContainer = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Whether a JSON text writes U+0000, as an escape that is not itself escaped. */
function holdsNul(text: string): boolean {
  return text.includes("\\u0000") && /(?<!\\)(?:\\\\)*\\u0000/.test(text);
}
