import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from "fastify";
import type { Actor, ProjectAccess } from "./access/actor.ts";

/** The HTTP application: Fastify with TypeBox schemas deciding the types of params, query, body and answer. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** A feature's routes: registers them on `app`, whose prefix `mount` decides. */
export type Routes<Deps> = (app: App, deps: Deps) => void;

declare module "fastify" {
  interface FastifyRequest {
    /** The authenticated caller; reading it on a route that asks for none is a mistake and throws. */
    readonly actor: Actor;
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

/** Mounts a feature's routes under `prefix`, in a scope of their own: parsers and hooks it adds stay inside. */
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

/** Serializer for hot lists: `schema` documents, JSON.stringify prints, so rows must hold exactly the public columns. */
export function plainSerializer() {
  return (value: unknown): string => JSON.stringify(value);
}
