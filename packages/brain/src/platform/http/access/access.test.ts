import { describe, expect, test } from "vitest";
import type { App } from "../app.ts";
import { apiKey, as, person, startFixture, withKey } from "../http-fixture.ts";
import type { SessionActor } from "./actor.ts";

const answer = () => ({ ok: true });

function projectRoutes(app: App): void {
  app.get("/p/:slug/tasks", { config: { tag: "tasks", role: "viewer" } }, (request) => ({
    project: request.project.id,
    role: request.project.role,
    user: request.actor.user.id,
  }));
  app.post("/p/:slug/tasks", { config: { tag: "tasks", role: "operator" } }, answer);
  app.post("/p/:slug/views", { config: { tag: "saved-views", role: "viewer" } }, answer);
  app.delete("/p/:slug/tasks", { config: { tag: "tasks", role: "admin" } }, answer);
  app.patch("/p/:slug", { config: { tag: "projects", role: "admin", archivedOk: true } }, answer);
  app.get("/p/:slug/audit", { config: { tag: "audit", auditRole: true } }, answer);
  app.post("/p/:slug/audit/export-jobs", { config: { tag: "audit", auditRole: true } }, answer);
}

describe("project roles", () => {
  test("a member acts in the role of the membership", async () => {
    const { app } = await startFixture({ routes: projectRoutes });
    const response = await app.inject({ url: "/p/shop/tasks", headers: as("viewer") });
    expect(response.json()).toEqual({ project: "p-shop", role: "viewer", user: "u-viewer" });
  });

  test("an instance administrator acts as admin in every project", async () => {
    const { app } = await startFixture({ routes: projectRoutes });
    expect((await app.inject({ url: "/p/other/tasks", headers: as("root") })).json()).toMatchObject({ role: "admin" });
    expect((await app.inject({ method: "DELETE", url: "/p/shop/tasks", headers: as("root") })).statusCode).toBe(200);
  });

  test("someone who is no member gets the same 404 as for a project that does not exist", async () => {
    const { app } = await startFixture({ routes: projectRoutes });
    const outside = await app.inject({ url: "/p/shop/tasks", headers: as("stranger") });
    const missing = await app.inject({ url: "/p/nowhere/tasks", headers: as("stranger") });
    expect(outside.statusCode).toBe(404);
    expect({ ...outside.json(), request_id: "" }).toEqual({ ...missing.json(), request_id: "" });
  });

  test.each([
    ["viewer", "POST", "/p/shop/tasks", 403],
    ["operator", "POST", "/p/shop/tasks", 200],
    ["admin", "POST", "/p/shop/tasks", 200],
    ["operator", "DELETE", "/p/shop/tasks", 403],
    ["admin", "DELETE", "/p/shop/tasks", 200],
    ["viewer", "POST", "/p/shop/views", 200],
    ["auditor", "GET", "/p/shop/tasks", 200],
    ["auditor", "POST", "/p/shop/views", 403],
    ["auditor", "POST", "/p/shop/tasks", 403],
    ["auditor", "GET", "/p/shop/audit", 200],
    ["auditor", "POST", "/p/shop/audit/export-jobs", 200],
    ["admin", "GET", "/p/shop/audit", 200],
    ["operator", "GET", "/p/shop/audit", 403],
    ["viewer", "GET", "/p/shop/audit", 403],
  ] as const)("%s %s %s answers %i", async (name, method, url, status) => {
    const { app } = await startFixture({ routes: projectRoutes });
    const response = await app.inject({ method, url, headers: as(name) });
    expect(response.statusCode).toBe(status);
    if (status === 403) expect(response.json().error).toBe("forbidden");
  });

  test("an archived project is read, refuses changes with 409, and lets a route that restores it through", async () => {
    const { app } = await startFixture({ routes: projectRoutes });
    expect((await app.inject({ url: "/p/attic/tasks", headers: as("viewer") })).statusCode).toBe(200);
    const refused = await app.inject({ method: "POST", url: "/p/attic/tasks", headers: as("operator") });
    expect(refused.statusCode).toBe(409);
    expect(refused.json()).toMatchObject({ error: "conflict", details: { reason: "project_archived" } });
    expect((await app.inject({ method: "PATCH", url: "/p/attic", headers: as("admin") })).statusCode).toBe(200);
  });

  test("a role that is too small is refused before the archive is mentioned", async () => {
    const { app } = await startFixture({ routes: projectRoutes });
    expect((await app.inject({ method: "POST", url: "/p/attic/tasks", headers: as("viewer") })).statusCode).toBe(403);
  });
});

describe("sessions", () => {
  const routes = (app: App) => {
    app.get("/me", { config: { tag: "auth", beforeMfa: true, beforeEnrollment: true } }, answer);
    app.get("/sessions", { config: { tag: "auth" } }, answer);
    app.get("/users", { config: { tag: "users", globalAdmin: true } }, answer);
    app.post("/agents", { config: { tag: "agents", freshMfa: true } }, answer);
    app.post("/keys", { config: { tag: "auth", stepUp: true } }, answer);
    app.get("/setup/status", { config: { tag: "setup", public: "session-optional" } }, (request) => ({
      user: request.caller?.user.id ?? null,
    }));
  };

  test("no credential and a dead session are both 401", async () => {
    const { app } = await startFixture({ routes });
    expect((await app.inject({ url: "/sessions" })).json()).toMatchObject({ error: "unauthenticated" });
    expect((await app.inject({ url: "/sessions", headers: as("gone") })).statusCode).toBe(401);
  });

  test("a route for instance administrators refuses all others", async () => {
    const { app } = await startFixture({ routes });
    expect((await app.inject({ url: "/users", headers: as("admin") })).statusCode).toBe(403);
    expect((await app.inject({ url: "/users", headers: as("root") })).statusCode).toBe(200);
  });

  test("where a session is optional, a restricted one counts as anonymous, without a token check", async () => {
    const mfa = { enrolled: true, pending: true, verifiedAt: null, overdueSince: null };
    const late = { ...mfa, enrolled: false, pending: false, overdueSince: new Date() };
    const people = { half: person("half", { mfa }), late: person("late", { mfa: late }) };
    const { app } = await startFixture({ routes, people });
    const userOf = async (name: string) =>
      (await app.inject({ url: "/setup/status", headers: as(name) })).json().user as string | null;
    expect(await Promise.all(["viewer", "half", "late"].map(userOf))).toEqual(["u-viewer", null, null]);
  });

  test("a session whose second factor is pending reaches only the routes that say so", async () => {
    const mfa = { enrolled: true, pending: true, verifiedAt: null, overdueSince: null };
    const { app } = await startFixture({ routes, people: { half: person("half", { mfa }) } });
    expect((await app.inject({ url: "/me", headers: as("half") })).statusCode).toBe(200);
    const refused = await app.inject({ url: "/sessions", headers: as("half") });
    expect(refused.statusCode).toBe(403);
    expect(refused.json().error).toBe("mfa_reverify_required");
  });

  test("a session past its enrollment deadline reaches only the routes that say so, and gets the deadline", async () => {
    const mfa = { enrolled: false, pending: false, verifiedAt: null, overdueSince: new Date("2026-01-01T00:00:00Z") };
    const { app } = await startFixture({ routes, people: { late: person("late", { mfa }) } });
    expect((await app.inject({ url: "/me", headers: as("late") })).statusCode).toBe(200);
    const refused = await app.inject({ url: "/sessions", headers: as("late") });
    expect(refused.statusCode).toBe(403);
    expect(refused.json()).toMatchObject({
      error: "mfa_enrollment_required",
      details: { deadline: "2026-01-01T00:00:00.000Z" },
    });
  });

  test("fresh MFA is asked of users with a second factor only, and lapses", async () => {
    const verifiedAt = new Date(Date.UTC(2026, 0, 2, 3, 0, 0));
    const mfa = { enrolled: true, pending: false, verifiedAt, overdueSince: null };
    const { app, clock } = await startFixture({ routes, people: { careful: person("careful", { mfa }) } });
    const post = (name: string) => app.inject({ method: "POST", url: "/agents", headers: as(name) });
    expect((await post("plain")).statusCode).toBe(200);
    expect((await post("careful")).statusCode).toBe(200);
    clock.advance(3_600_000);
    const lapsed = await post("careful");
    expect(lapsed.statusCode).toBe(403);
    expect(lapsed.json().error).toBe("mfa_reverify_required");
  });

  test.each([
    [60_000, undefined, undefined],
    [60_001, "step_up_required", "mfa_reverify_required"],
    [120 * 86_400_000, "step_up_required", "mfa_reverify_required"],
  ])("a proof and a code that are %i ms ahead of the clock get %s and %s", async (aheadMs, ofProof, ofCode) => {
    const people: Record<string, SessionActor> = {};
    const { app, clock } = await startFixture({ routes, people });
    const at = new Date(clock.now().getTime() + aheadMs);
    people.proved = person("proved", { provedAt: at });
    people.verified = person("verified", {
      mfa: { enrolled: true, pending: false, verifiedAt: at, overdueSince: null },
    });
    const errorOf = async (url: string, name: string) =>
      (await app.inject({ method: "POST", url, headers: as(name) })).json().error;
    expect([await errorOf("/keys", "proved"), await errorOf("/agents", "verified")]).toEqual([ofProof, ofCode]);
  });

  test("a public route with an optional session knows the caller, or has none", async () => {
    const { app } = await startFixture({ routes });
    expect((await app.inject({ url: "/setup/status", headers: as("viewer") })).json()).toEqual({ user: "u-viewer" });
    expect((await app.inject({ url: "/setup/status", headers: as("gone") })).json()).toEqual({ user: null });
    expect((await app.inject({ url: "/setup/status" })).json()).toEqual({ user: null });
  });
});

describe("API keys", () => {
  const routes = (app: App) => {
    projectRoutes(app);
    app.get("/sessions", { config: { tag: "auth" } }, answer);
    app.get("/channels", { config: { tag: "unattended" } }, answer);
    app.get("/bulk", { config: { tag: "bulk-retry-requests" } }, answer);
    app.get("/projects", { config: { tag: "projects" } }, answer);
    app.get("/activity", { config: { tag: "activity", bucket: "activity" } }, answer);
    app.get("/users", { config: { tag: "users" } }, answer);
    app.get("/views", { config: { tag: "saved-views", sessionOnly: true } }, answer);
  };
  const keys = {
    reader: apiKey("viewer", ["tasks:read"]),
    writer: apiKey("operator", ["tasks:write"]),
    all: apiKey("admin", ["admin:*"]),
    bound: apiKey("admin", ["admin:*"], { projectId: "p-shop" }),
    users: apiKey("viewer", ["users:read"]),
  };
  const call = async (method: "GET" | "POST", url: string, token: string) => {
    const { app } = await startFixture({ routes, keys });
    return app.inject({ method, url, headers: withKey(token) });
  };

  test("a key with the scope acts as its owner, without a CSRF token", async () => {
    expect((await call("GET", "/p/shop/tasks", "reader")).json()).toMatchObject({ user: "u-viewer" });
    expect((await call("POST", "/p/shop/tasks", "writer")).statusCode).toBe(200);
  });

  test("a write scope implies the read scope, and admin:* every scope", async () => {
    expect((await call("GET", "/p/shop/tasks", "writer")).statusCode).toBe(200);
    expect((await call("GET", "/p/shop/audit", "all")).statusCode).toBe(200);
  });

  test("an unknown key is 401 even with a valid cookie", async () => {
    const { app } = await startFixture({ routes, keys });
    const response = await app.inject({
      url: "/projects",
      headers: { ...as("viewer"), authorization: "Bearer unknown" },
    });
    expect(response.statusCode).toBe(401);
  });

  test.each([
    ["GET", "/p/shop/audit", "reader", 403, "scope_missing"],
    ["POST", "/p/shop/tasks", "reader", 403, "scope_missing"],
    ["GET", "/sessions", "all", 403, "forbidden"],
    ["GET", "/bulk", "all", 403, "scope_missing"],
    ["GET", "/channels", "all", 401, "unauthenticated"],
    ["GET", "/users", "users", 403, "forbidden"],
    ["GET", "/views", "all", 403, "forbidden"],
    ["GET", "/p/other/tasks", "bound", 403, "forbidden"],
    ["GET", "/activity", "bound", 403, "forbidden"],
  ] as const)("%s %s with key %s answers %i %s", async (method, url, token, status, error) => {
    const response = await call(method, url, token);
    expect(response.statusCode).toBe(status);
    expect(response.json().error).toBe(error);
  });

  test.each(["/sessions", "/bulk", "/channels", "/views"])(
    "a route for sessions only says so to a key: %s",
    async (url) => {
      expect((await call("GET", url, "all")).json().details).toEqual({ reason: "session_only" });
    },
  );

  test("a project-bound key reaches its project and the tags without one", async () => {
    expect((await call("GET", "/p/shop/tasks", "bound")).statusCode).toBe(200);
    expect((await call("GET", "/projects", "bound")).statusCode).toBe(200);
    expect((await call("GET", "/p/other/tasks", "bound")).json().details).toEqual({ reason: "project_bound" });
  });

  test("a key never exceeds its owner's role", async () => {
    const { app } = await startFixture({ routes, keys: { weak: apiKey("viewer", ["admin:*"]) } });
    const response = await app.inject({ method: "POST", url: "/p/shop/tasks", headers: withKey("weak") });
    expect(response.json()).toMatchObject({ error: "forbidden" });
  });

  test("the scheme is matched without regard to case and the token is trimmed", async () => {
    const { app } = await startFixture({ routes, keys });
    const headers = { authorization: "bEARER   reader ", host: "localhost" };
    expect((await app.inject({ url: "/p/shop/tasks", headers })).statusCode).toBe(200);
  });
});
