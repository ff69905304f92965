import type { FastifyInstance, FastifySchema, RouteOptions } from "fastify";
import { policyFault, type RoutePolicy } from "./policy.ts";
import { type KeyAccess, type RouteRules, scopeFor } from "./route-rules.ts";

/** One route as ROUTES.md and the pinned-count test see it. HEAD twins of GET routes are left out. */
export interface RouteRow {
  method: string;
  /** With parameters as `/:name`; a colon elsewhere, which the router writes twice, is part of the path. */
  path: string;
  policy: RoutePolicy;
  /** What an API key needs, by the tag of the route. */
  keys: KeyAccess;
  /** Scope that an API key needs; null when no scope decides. */
  scope: string | null;
  schema?: FastifySchema | undefined;
}

declare module "fastify" {
  interface FastifyInstance {
    routeRegister: RouteRegister;
  }
}

/** Every route of a started app, by path and method. */
export function routeTable(app: Pick<FastifyInstance, "routeRegister">): RouteRow[] {
  return app.routeRegister.rows();
}

export function createRouteRegister(rules: Pick<RouteRules, "tags" | "buckets">) {
  const rows: RouteRow[] = [];
  // By number of segments; used only when no route matched, to distinguish 405 from 404.
  const patterns = new Map<string, { segments: string[]; methods: Set<string> }>();

  /** What an API key needs for routes of a tag that some route has. */
  const keyAccess = (tag: string): KeyAccess => rules.tags[tag]!.keys;

  return {
    /** Adds a route when it is registered; throws when its policy is missing or contradictory. */
    add(route: RouteOptions) {
      const methods = Array.isArray(route.method) ? route.method : [route.method];
      const policy = route.config as RoutePolicy | undefined;
      const fault = policyFault(policy, route.url, rules);
      if (policy === undefined || fault !== null) throw new Error(`route ${methods.join(",")} ${route.url} ${fault}`);
      const pattern = patterns.get(route.url) ?? { segments: segmentsOf(route.url), methods: new Set<string>() };
      patterns.set(route.url, pattern);
      for (const method of methods) {
        pattern.methods.add(method);
        if (method !== "HEAD")
          rows.push({
            method,
            path: route.url,
            policy,
            keys: keyAccess(policy.tag),
            scope: scopeFor(keyAccess(policy.tag), method),
            schema: route.schema,
          });
      }
    },
    rows: () => rows.toSorted((left, right) => compare(left.path, right.path) || compare(left.method, right.method)),
    keyAccess,
    /** Methods that some route takes for a concrete path (no query), in alphabetical order. */
    methodsFor(path: string): string[] {
      const segments = path.split("/");
      const methods = new Set<string>();
      for (const pattern of patterns.values()) {
        if (matches(pattern.segments, segments)) for (const method of pattern.methods) methods.add(method);
      }
      return [...methods].sort();
    },
  };
}

type RouteRegister = ReturnType<typeof createRouteRegister>;

/** Parts of a route's path; in them a doubled colon is a literal one. */
const segmentsOf = (url: string): string[] => url.split("/").map((part) => part.replaceAll("::", ":"));

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function matches(pattern: string[], path: string[]): boolean {
  if (pattern.at(-1) === "*" ? path.length < pattern.length : path.length !== pattern.length) return false;
  return pattern.every(
    (step, index) => step === "*" || (step.startsWith(":") ? path[index] !== "" : step === path[index]),
  );
}
