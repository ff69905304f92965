import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifySchema,
  HTTPMethods,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteGenericInterface,
  RouteHandlerMethod,
  RouteOptions,
  RouteShorthandOptions,
} from "fastify";
import type { Actor, ProjectAccess, SessionActor } from "./access/actor.ts";
import type { RoutePolicy } from "./access/policy.ts";
import { ProjectParams } from "./schemas.ts";

/** The HTTP application: Fastify, with TypeBox schemas that determine the types of params, query, body and answer. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** A feature's routes: registers them on `app`, whose prefix `mount` decides. */
export type Routes<Deps> = (app: App, deps: Deps) => void;

/** One operation of the API: its documentation, its input and output, who may call it, and its handler. */
export type Operation<Params, Query, Body, Response> = Omit<
  FastifySchema,
  "params" | "querystring" | "body" | "response"
> &
  Pick<RouteShorthandOptions, "bodyLimit" | "exposeHeadRoute" | "preValidation" | "serializerCompiler"> & {
    params?: Params;
    querystring?: Query;
    body?: Body;
    response: Response;
    policy: RoutePolicy;
    handler: RouteHandlerMethod<
      RawServerDefault,
      RawRequestDefaultExpression,
      RawReplyDefaultExpression,
      RouteGenericInterface,
      unknown,
      { params: Params; querystring: Query; body: Body; response: Response },
      TypeBoxTypeProvider,
      FastifyBaseLogger
    >;
  };

/**
 * Registers an operation under its method and path, such as `GET /projects/:slug/queues`. Its answers have the first status of `response`
 * unless the handler sets another one. A project's operation that declares no params gets the slug as a parameter.
 */
export function operation<Response extends object, Params = undefined, Query = undefined, Body = undefined>(
  app: App,
  route: `${"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} /${string}`,
  { policy, handler, ...rest }: Operation<Params, Query, Body, Response>,
): void {
  const [method, url] = route.split(" ") as [HTTPMethods, string];
  const { bodyLimit, exposeHeadRoute, preValidation, serializerCompiler, ...given } = rest;
  const schema = url.includes("/:slug") ? { params: ProjectParams, ...given } : given;
  const status = Number(Object.keys(schema.response)[0]);
  app.route({
    ...{ method, url, schema, config: policy, bodyLimit, exposeHeadRoute, preValidation, serializerCompiler },
    handler(request, reply) {
      return handler.call(this as never, request as never, reply.code(status) as never);
    },
  } as RouteOptions);
}

declare module "fastify" {
  interface FastifyRequest {
    /** The authenticated caller; reading it on a route without authentication is a mistake and throws. */
    readonly actor: Actor;
    /** The caller on a route that accepts no API key; elsewhere, reading it throws if the caller is a key. */
    readonly sessionActor: SessionActor;
    /** The project of `:slug` with the caller's role; only on routes with `role` or `auditRole`. */
    readonly project: ProjectAccess;
    /** The client's normalised address behind trusted proxies; "unknown" on sockets that have none. */
    readonly clientAddress: string;
    /** The caller, or null where a public route has none. */
    caller: Actor | null;
    projectAccess: ProjectAccess | null;
    resolvedAddress: string | null;
  }
}

/** Mounts a feature's routes under `prefix`, in a separate scope: parsers and hooks it adds stay inside. */
export function mount<Deps>(app: App, prefix: string, routes: Routes<Deps>, deps: Deps): void {
  app.register(
    (scope, _options, done) => {
      scope.addHook("onRoute", (route) => {
        if (route.config !== undefined) route.config.registeredBy = routes.name;
      });
      routes(scope.withTypeProvider<TypeBoxTypeProvider>() as App, deps);
      done();
    },
    { prefix },
  );
}

/** Serializer for frequent lists. The schema only documents them: JSON.stringify prints the rows, which must hold exactly the public columns. */
export function plainSerializer() {
  return (value: unknown): string => JSON.stringify(value);
}
