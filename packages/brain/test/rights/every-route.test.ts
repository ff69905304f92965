/** Checks every route against the rights in route-rights.ts, with the real access check and through the real brain. */
import { randomUUID } from "node:crypto";
import { type ApiClient, startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { routeDialects } from "@svc/testkit/databases";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { routeRules } from "../../src/app/access/route-rules.ts";
import { scopes } from "../../src/features/api-keys/scopes.ts";
import type { ApiKeyActor, SessionActor } from "../../src/platform/http/access/actor.ts";
import { type RouteRow, routeTable } from "../../src/platform/http/access/route-table.ts";
import { apiKey, type Fixture, person, startFixture } from "../../src/platform/http/http-fixture.ts";
import { type Caller, isMutating, isOfProject, type RouteRights, routeRights, verdictOf } from "./route-rights.ts";

const callers: Record<string, Caller> = {
  anonymous: { kind: "anonymous" },
  viewer: { kind: "session", role: "viewer" },
  operator: { kind: "session", role: "operator" },
  "project admin": { kind: "session", role: "admin" },
  auditor: { kind: "session", role: "auditor" },
  "no member": { kind: "session", role: "stranger" },
  "instance administrator": { kind: "session", role: "global-admin" },
  "session before its code": { kind: "session", role: "global-admin", state: "code-pending" },
  "session past the enrollment deadline": { kind: "session", role: "global-admin", state: "enrollment-overdue" },
  "session with an old code": { kind: "session", role: "global-admin", state: "code-stale" },
  "session with an old proof": { kind: "session", role: "global-admin", state: "proof-stale" },
  "key with the scope": { kind: "key", owner: "global-admin", scopes: "right" },
  "key without the scope": { kind: "key", owner: "global-admin", scopes: "others" },
  "key with admin:*": { kind: "key", owner: "global-admin", scopes: "admin:*" },
  "viewer's key with admin:*": { kind: "key", owner: "viewer", scopes: "admin:*" },
  "auditor's key with the scope": { kind: "key", owner: "auditor", scopes: "right" },
  "key bound to the project": { kind: "key", owner: "global-admin", scopes: "admin:*", boundTo: "shop" },
  "key bound to another project": { kind: "key", owner: "global-admin", scopes: "admin:*", boundTo: "other" },
  "bound key without the scope": { kind: "key", owner: "global-admin", scopes: "others", boundTo: "shop" },
};

/** Gateways authorize upgrades themselves; hub.test.ts and gateway-handshake.test.ts test those. */
const isSocket = ({ path }: RouteRights) => path.startsWith("/ws/");
const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
const methodOf = (route: RouteRights) => route.method as "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

function pathIn(slug: string, { path }: RouteRights): string {
  return path
    .replace("/:slug", `/${slug}`)
    .replace(/\/:\w+/g, () => `/${randomUUID()}`)
    .replace("::", ":");
}

/** Another address for each request, so that no rate limit is reached. */
let requests = 0;
function nextAddress(): string {
  requests += 1;
  return `10.${(requests >> 16) & 255}.${(requests >> 8) & 255}.${requests & 255}`;
}

function scopesOf(route: RouteRights, held: Extract<Caller, { kind: "key" }>["scopes"]): string[] {
  if (held === "admin:*") return ["admin:*"];
  if (held === "right") return route.key.includes(":") ? [route.key] : ["tasks:read"];
  // A write scope implies its read scope, and admin:* all.
  const noun = route.key.split(":")[0];
  return scopes.filter((scope) => scope !== "admin:*" && scope.split(":")[0] !== noun);
}

describe("every route", () => {
  let brain: TestBrain;
  let rows: RouteRow[];
  let routes: RouteRights[];
  /** The real access check with the brain's policies, and handlers that only report that they were reached. */
  let server: Fixture;
  const people: Record<string, SessionActor> = {};
  const keys: Record<string, ApiKeyActor> = {};

  beforeAll(async () => {
    brain = await startTestBrain();
    rows = routeTable(brain.running.brain.app);
    const known = new Map(routeRights.map((route) => [nameOf(route), route]));
    routes = rows.flatMap((row) => known.get(nameOf(row)) ?? []);
    server = await startFixture({
      deps: { rules: routeRules({ SVC_MFA_VERIFICATION_RATE_PER_MIN: 10 }) },
      people,
      keys,
      routes(app) {
        for (const { method, path, policy } of rows)
          app.route({ method, url: path, config: policy, handler: () => ({ reached: true }) });
      },
    });
  });
  afterAll(async () => {
    await server.app.close();
    await brain.stop();
  });

  test("has exactly one line of rights", () => {
    const names = routeRights.map(nameOf);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    expect(rows.map(nameOf).filter((name) => !names.includes(name))).toEqual([]);
    expect(routes.length).toBe(rows.length);
    expect(rows.length).toBeGreaterThan(60);
  });

  const nameOfUser = (role: string) => (role === "global-admin" ? "root" : role);

  function sessionOf(caller: Extract<Caller, { kind: "session" }>, now: Date): SessionActor {
    const { state } = caller;
    return person(nameOfUser(caller.role), {
      csrfToken: "token",
      provedAt: state === "proof-stale" ? new Date(now.getTime() - 900_001) : now,
      mfa: {
        enrolled: state === "code-pending" || state === "code-stale",
        pending: state === "code-pending",
        verifiedAt: state === "code-stale" ? new Date(now.getTime() - 3_600_001) : null,
        overdueSince: state === "enrollment-overdue" ? new Date(now.getTime() - 1) : null,
      },
    });
  }

  const keyOf = (route: RouteRights, { owner, scopes: held, boundTo }: Extract<Caller, { kind: "key" }>) =>
    apiKey(nameOfUser(owner), scopesOf(route, held), { projectId: boundTo === undefined ? null : `p-${boundTo}` });

  /** Sends one request as `caller` and returns its refusal, or null when the handler was reached. */
  async function refusalOf(route: RouteRights, caller: Caller, change: { slug?: string; headers?: object } = {}) {
    if (caller.kind === "session") people.cookie = sessionOf(caller, server.clock.now());
    if (caller.kind === "key") keys.bearer = keyOf(route, caller);
    const answer = await server.app.inject({
      method: methodOf(route),
      url: pathIn(change.slug ?? "shop", route),
      remoteAddress: nextAddress(),
      headers: {
        host: "localhost",
        ...(caller.kind === "session" && { cookie: "svc_session=cookie; svc_csrf=token", "x-csrf-token": "token" }),
        ...(caller.kind === "key" && { authorization: "Bearer bearer" }),
        ...change.headers,
      },
    });
    return answer.statusCode === 200 ? null : ([answer.statusCode, answer.json().error] as const);
  }

  /** Routes whose callers the platform authorizes; the agent transport checks agent tokens itself. */
  const platformRoutes = () => routes.filter(({ who }) => who !== "agent" && who !== "hub");

  test.each(Object.entries(callers))("answers the %s as its rights require", async (_name, caller) => {
    const found: Record<string, unknown> = {};
    const expected: Record<string, unknown> = {};
    for (const route of platformRoutes()) {
      found[nameOf(route)] = await refusalOf(route, caller);
      expected[nameOf(route)] = verdictOf(route, caller);
    }
    expect(found).toEqual(expected);
  });

  test("that changes something refuses a session without its CSRF token, or if public, a request from another origin", async () => {
    const found: Record<string, unknown> = {};
    const expected: Record<string, unknown> = {};
    for (const route of platformRoutes().filter(({ method }) => isMutating(method))) {
      const isPublic = route.who === "public" || route.who === "optional";
      const headers = isPublic ? { origin: "https://evil.example" } : { "x-csrf-token": "wrong" };
      found[nameOf(route)] = await refusalOf(route, { kind: "session", role: "global-admin" }, { headers });
      expected[nameOf(route)] = [403, "csrf_failed"];
    }
    expect(found).toEqual(expected);
  });

  test("of an archived project allows reads, and refuses changes except restoring it", async () => {
    const found: Record<string, unknown> = {};
    const expected: Record<string, unknown> = {};
    for (const route of platformRoutes().filter(isOfProject)) {
      const isRestoring = route.method === "PATCH" && route.path === "/api/v1/projects/:slug";
      found[nameOf(route)] = await refusalOf(route, { kind: "session", role: "global-admin" }, { slug: "attic" });
      expected[nameOf(route)] = isMutating(route.method) && !isRestoring ? [409, "conflict"] : null;
    }
    expect(found).toEqual(expected);
  });
});

for (const dialect of routeDialects) {
  describe(`every refusal through the brain on ${dialect}`, () => {
    let brain: TestBrain;
    let projectAdmin: ApiClient;
    let otherId: string;
    const minted = new Map<string, string>();

    beforeAll(async () => {
      brain = await startTestBrain({ dialect });
      projectAdmin = await brain.addMember("boss", "admin");
      otherId = (await brain.addProject("other", "Other")).id;
    });
    afterAll(() => brain.stop());

    /** A key of the instance administrator, or one whose owner was demoted later. */
    async function keyFor(route: RouteRights, caller: Extract<Caller, { kind: "key" }>): Promise<string> {
      const body = {
        name: "route check",
        scopes: scopesOf(route, caller.scopes),
        project_id: caller.boundTo === undefined ? null : caller.boundTo === "shop" ? brain.project.id : otherId,
      };
      const name = JSON.stringify([body, caller.owner]);
      const known = minted.get(name);
      if (known !== undefined) return known;
      const { body: key } = await brain.as.root.post("/api-keys", body);
      if (caller.owner !== "global-admin") {
        const { database, features } = brain.running.brain;
        const owner = await features.users.findByEmail(`${caller.owner}@example.org`);
        await database.write((tx) =>
          tx
            .updateTable("api_keys")
            .set({ user_id: owner?.id ?? "" })
            .where("id", "=", key.id)
            .execute(),
        );
      }
      minted.set(name, key.token);
      return key.token;
    }

    function browserOf(role: Extract<Caller, { kind: "session" }>["role"]): ApiClient {
      if (role === "global-admin") return brain.as.root;
      return role === "admin" ? projectAdmin : brain.as[role];
    }

    async function credentials(route: RouteRights, caller: Caller): Promise<Record<string, string>> {
      if (caller.kind === "anonymous") return {};
      if (caller.kind === "key") return { authorization: `Bearer ${await keyFor(route, caller)}` };
      const { cookie, csrfToken } = browserOf(caller.role);
      return { cookie, "x-csrf-token": csrfToken };
    }

    // Refusals only, so that the requests change nothing.
    const ofRealCredentials = Object.entries(callers).filter(
      ([, caller]) => caller.kind !== "session" || caller.state === undefined,
    );
    test.each(ofRealCredentials)("answers the %s as its rights require", async (_name, caller) => {
      const known = new Map(routeRights.map((route) => [nameOf(route), route]));
      const routes = routeTable(brain.running.brain.app).flatMap((row) => known.get(nameOf(row)) ?? []);
      const found: Record<string, unknown> = {};
      const expected: Record<string, unknown> = {};
      for (const route of routes) {
        if (isSocket(route)) continue;
        const verdict = verdictOf(route, caller);
        if (verdict === null) continue;
        const answer = await brain.running.brain.app.inject({
          method: methodOf(route),
          url: pathIn("shop", route),
          remoteAddress: nextAddress(),
          headers: { host: "localhost", ...(await credentials(route, caller)) },
        });
        const { error, detail } = answer.json();
        found[nameOf(route)] = [answer.statusCode, error, detail];
        expected[nameOf(route)] = [...verdict, route.who === "agent" ? "invalid agent token" : undefined];
      }
      expect(found).toEqual(expected);
      expect(Object.keys(expected).length).toBeGreaterThan(1);
    });

    test("the requests changed nothing", async () => {
      const { body } = await brain.as.root.get("/projects");
      expect(body.map(({ slug }: { slug: string }) => slug).toSorted()).toEqual(["default", "other", "shop"]);
    });
  });
}
