import { Type } from "typebox";
import { describe, expect, test } from "vitest";
import { routeTable } from "./access/route-table.ts";
import { mount, type Routes } from "./app.ts";
import { ApiError } from "./error-codes.ts";
import { type Fixture, startFixture } from "./http-fixture.ts";

const open = { tag: "health", public: true } as const;
const echo: Routes<object> = (app) => {
  app.get("/ok", { config: open }, () => ({ ok: true }));
  app.post("/echo", { config: open }, (request) => ({ body: request.body ?? null }));
  app.delete("/echo", { config: open }, () => ({ ok: true }));
  app.get("/conflict", { config: open }, () => {
    throw new ApiError("conflict", { reason: "taken" }, { detail: "in words" });
  });
  app.get("/bug", { config: open }, () => {
    throw new TypeError("secret detail of a bug");
  });
  app.get("/away", { config: open }, () => {
    throw Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
  });
  app.get("/mistaken-sql", { config: open }, () => {
    throw Object.assign(new Error("no such column"), { code: "42703" });
  });
  app.get("/page", { config: { ...open, tag: "setup" } }, (_request, reply) =>
    reply.type("text/html").send("<p>hi</p>"),
  );
  app.get(
    "/tasks/:engine/:id",
    { config: open, schema: { params: Type.Object({ engine: Type.String(), id: Type.String() }) } },
    (request) => request.params,
  );
};

const nested = (levels: number): string => `${"[".repeat(levels)}1${"]".repeat(levels)}`;

const started = (options: Parameters<typeof startFixture>[0] = {}): Promise<Fixture> =>
  startFixture({ routes: (app) => mount(app, "/x", echo, {}), ...options });

describe("every answer", () => {
  test("carries the security headers, and a page the content security policy as well", async () => {
    const { app } = await started();
    const plain = await app.inject({ url: "/x/ok" });
    expect(plain.headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "same-origin",
      "cache-control": "no-store",
      "permissions-policy": expect.stringMatching(/camera=\(\).*, clipboard-write=\(self\)$/),
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
    });
    expect(plain.headers).not.toHaveProperty("strict-transport-security");
    expect(plain.headers).not.toHaveProperty("content-security-policy");
    const page = await app.inject({ url: "/x/page" });
    expect(page.headers["content-security-policy"]).toContain("default-src 'self'; script-src 'self'");
    expect(page.headers["content-security-policy"]).toContain(
      "require-trusted-types-for 'script'; trusted-types 'none'",
    );
    expect(page.headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    expect(page.headers["content-security-policy"]).toMatch(/; form-action 'self' http:\/\/localhost:7700$/);
  });

  test("carries HSTS when PUBLIC_URL is https", async () => {
    const settings = { SVC_PUBLIC_URL: "https://svc.example.org" };
    const { app } = await started({ settings });
    const response = await app.inject({ url: "/x/ok" });
    expect(response.headers["strict-transport-security"]).toBe("max-age=31536000; includeSubDomains");
    const off = await started({ settings: { ...settings, SVC_HSTS_MAX_AGE_SECONDS: 0 } });
    expect((await off.app.inject({ url: "/x/ok" })).headers).not.toHaveProperty("strict-transport-security");
  });

  test("carries the caller's request id if it is well formed, else a new UUID", async () => {
    const { app } = await started();
    const idFor = async (id: string) =>
      (await app.inject({ url: "/x/ok", headers: { "x-request-id": id } })).headers["x-request-id"];
    expect(await idFor("trace_1-abc")).toBe("trace_1-abc");
    const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    for (const bad of ["short", "x".repeat(65), "with space-1", "in<>valid!"]) expect(await idFor(bad)).toMatch(uuid);
  });
});

describe("the error envelope", () => {
  const of = async (method: "GET" | "POST" | "DELETE", url: string, more: object = {}) => {
    const { app } = await started();
    return app.inject({ method, url, headers: { "x-request-id": "request-1" }, ...more });
  };
  const json = { "content-type": "application/json", "x-request-id": "request-1" };

  test("has exactly its keys, and the detail text where it was given", async () => {
    expect((await of("GET", "/x/conflict")).json()).toEqual({
      error: "conflict",
      message: "the request conflicts with the current state",
      details: { reason: "taken" },
      request_id: "request-1",
      detail: "in words",
    });
  });

  test("of a bug is generic, and the bug is in the log with the request id", async () => {
    const { app, logged } = await started();
    const response = await app.inject({ url: "/x/bug", headers: { "x-request-id": "request-1" } });
    expect(response.statusCode).toBe(500);
    expect(response.json()).toEqual({
      error: "internal_error",
      message: "an internal error occurred",
      details: {},
      request_id: "request-1",
    });
    expect(JSON.parse(logged.at(-1)!)).toMatchObject({
      level: "error",
      event: "http.failed",
      request_id: "request-1",
      err: { message: "secret detail of a bug" },
    });
  });

  test("of an overload are logged once a minute, and those of bugs at most 20 times", async () => {
    const { app, clock, logged } = await started();
    const lines = (level: string) =>
      logged.map((line) => JSON.parse(line)).filter((line) => line.event === "http.failed" && line.level === level);
    for (const url of ["/x/away", "/x/bug"]) for (let n = 0; n < 200; n += 1) await app.inject({ url });
    expect(lines("warn")).toMatchObject([{ error: "unready", requests: 1 }]);
    expect(lines("error")).toHaveLength(20);
    clock.advance(60_000);
    for (const url of ["/x/away", "/x/bug"]) await app.inject({ url });
    expect(lines("warn")).toMatchObject([{ requests: 1 }, { requests: 200 }]);
    expect(lines("error").at(-1)).toMatchObject({ requests: 181, err: { message: "secret detail of a bug" } });
  });

  test("of an unavailable database is 503 unready, but an invalid statement is an internal error", async () => {
    const away = await of("GET", "/x/away");
    expect(away.statusCode).toBe(503);
    expect(away.json()).toMatchObject({ error: "unready", details: { reason: "database" } });
    expect(away.headers["retry-after"]).toBe("1");
    expect((await of("GET", "/x/mistaken-sql")).json().error).toBe("internal_error");
  });

  test.each([
    ["an unknown path", "GET", "/x/nothing", {}, 404, "not_found"],
    ["a known path with another method", "DELETE", "/x/ok", {}, 405, "method_not_allowed"],
    ["a parameter path with another method", "POST", "/x/tasks/bullmq/7", {}, 405, "method_not_allowed"],
    [
      "another media type",
      "POST",
      "/x/echo",
      { payload: "a=1", headers: { "content-type": "text/plain" } },
      415,
      "unsupported_media_type",
    ],
    [
      "a form",
      "POST",
      "/x/echo",
      { payload: "a=1", headers: { "content-type": "application/x-www-form-urlencoded" } },
      415,
      "unsupported_media_type",
    ],
    [
      "a body of DELETE",
      "DELETE",
      "/x/echo",
      { payload: "a", headers: { "content-type": "text/plain" } },
      415,
      "unsupported_media_type",
    ],
    [
      "a media type that only begins like JSON",
      "POST",
      "/x/echo",
      { payload: "{}", headers: { "content-type": "application/jsonp" } },
      415,
      "unsupported_media_type",
    ],
    ["a body without media type", "POST", "/x/echo", { payload: Buffer.from("{}") }, 415, "unsupported_media_type"],
    [
      "a coded body",
      "POST",
      "/x/echo",
      { payload: "{}", headers: { ...json, "content-encoding": "gzip" } },
      415,
      "unsupported_media_type",
    ],
    [
      "a body over the limit",
      "POST",
      "/x/echo",
      { payload: JSON.stringify("x".repeat(70_000)), headers: json },
      413,
      "payload_too_large",
    ],
    ["broken JSON", "POST", "/x/echo", { payload: '{"a":', headers: json }, 422, "validation_error"],
    [
      "a prototype key",
      "POST",
      "/x/echo",
      { payload: '{"__proto__":{"x":1}}', headers: json },
      422,
      "validation_error",
    ],
    ["a body of too many levels", "POST", "/x/echo", { payload: nested(101), headers: json }, 422, "validation_error"],
    [
      "a body of very many levels",
      "POST",
      "/x/echo",
      { payload: nested(8000), headers: json },
      422,
      "validation_error",
    ],
    [
      "a number that overflows",
      "POST",
      "/x/echo",
      { payload: '{"a":[-1e999]}', headers: json },
      422,
      "validation_error",
    ],
    [
      "a whole number that overflows where digits are not kept",
      "POST",
      "/x/echo",
      { payload: `[${"9".repeat(400)}]`, headers: json },
      422,
      "validation_error",
    ],
    ["a NUL in the body", "POST", "/x/echo", { payload: '{"a":"b\\u0000"}', headers: json }, 422, "validation_error"],
    ["a NUL in the path", "GET", "/x/tasks/bullmq/%00", {}, 422, "validation_error"],
    ["a broken escape in the path", "GET", "/x/tasks/%ZZ/1", {}, 422, "validation_error"],
    ["a path value over its limit", "GET", `/x/tasks/bullmq/${"9".repeat(2049)}`, {}, 422, "validation_error"],
  ] as const)("answers %s", async (_case, method, url, more, status, error) => {
    const response = await of(method, url, more);
    expect(response.statusCode).toBe(status);
    expect(response.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(response.headers["x-content-type-options"]).toBe("nosniff");
    expect(response.json()).toMatchObject({ error, request_id: response.headers["x-request-id"] });
    expect(Object.keys(response.json()).sort()).toEqual(["details", "error", "message", "request_id"]);
  });

  test("of a body nested as deep as may be is none", async () => {
    const answer = await of("POST", "/x/echo", { payload: nested(100), headers: json });
    expect(answer.json()).toEqual({ body: JSON.parse(nested(100)) });
  });

  test("of broken JSON names json_invalid and holds nothing of the body", async () => {
    const response = await of("POST", "/x/echo", { payload: '{"password":"hunter2"', headers: json });
    expect(response.json().details.errors).toEqual([
      { loc: ["body"], type: "json_invalid", message: "the body is not valid JSON" },
    ]);
    expect(response.body).not.toContain("hunter2");
  });

  test("an escaped backslash before u0000 is no NUL, and an empty body is no body", async () => {
    const escaped = await of("POST", "/x/echo", { payload: '{"a":"\\\\u0000"}', headers: json });
    expect(escaped.json()).toEqual({ body: { a: "\\u0000" } });
    expect((await of("POST", "/x/echo", { payload: "", headers: json })).json()).toEqual({ body: null });
  });
});

describe("methods", () => {
  test("HEAD answers like GET without a body, OPTIONS names the methods of a known path", async () => {
    const { app } = await started();
    const head = await app.inject({ method: "HEAD", url: "/x/ok" });
    expect([head.statusCode, head.body]).toEqual([200, ""]);
    const options = await app.inject({ method: "OPTIONS", url: "/x/ok" });
    expect([options.statusCode, options.headers.allow]).toEqual([204, "GET, HEAD, OPTIONS"]);
    expect((await app.inject({ method: "OPTIONS", url: "/x/nothing" })).statusCode).toBe(404);
    expect((await app.inject({ method: "DELETE", url: "/x/ok" })).headers.allow).toBe("GET, HEAD, OPTIONS");
  });

  test("only listed origins are given CORS headers, in answers and preflights", async () => {
    const { app } = await started({ settings: { SVC_CORS_ORIGINS: ["https://tools.example"] } });
    const from = (method: "GET" | "OPTIONS", origin: string) =>
      app.inject({ method, url: "/x/ok", headers: { origin, "access-control-request-method": "GET" } });
    expect((await from("GET", "https://tools.example")).headers).toMatchObject({
      "access-control-allow-origin": "https://tools.example",
      "access-control-allow-credentials": "true",
      vary: "Origin",
    });
    expect((await from("OPTIONS", "https://tools.example")).headers).toMatchObject({
      "access-control-allow-methods": "GET, HEAD, OPTIONS",
      "access-control-allow-origin": "https://tools.example",
    });
    for (const method of ["GET", "OPTIONS"] as const) {
      const names = Object.keys((await from(method, "https://evil.example")).headers);
      expect(names.filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
  });
});

describe("unknown paths of the dashboard", () => {
  const servePage = (_request: unknown, reply: { type(type: string): { send(text: string): unknown } }) =>
    reply.type("text/html").send("<p>app</p>");

  test("serve its page with the content security policy; reserved ones are 404", async () => {
    const { app } = await started({ deps: { servePage: servePage as never } });
    const page = await app.inject({ url: "/projects/shop/tasks?state=failure" });
    expect([page.statusCode, page.body]).toEqual([200, "<p>app</p>"]);
    expect(page.headers["content-security-policy"]).toContain("default-src 'self'");
    for (const url of ["/api/v1/nothing", "/ws/x", "/health/x", "/metrics/x", "/setup/x", "/api"]) {
      expect((await app.inject({ url })).json().error).toBe("not_found");
    }
    expect((await app.inject({ url: "/apiary" })).statusCode).toBe(200);
    expect((await app.inject({ method: "POST", url: "/projects/shop" })).statusCode).toBe(404);
  });

  test("are closed to addresses outside the dashboard's allow-list", async () => {
    const settings = { SVC_DASHBOARD_IP_ALLOWLIST: ["10.0.0.0/8"] };
    const { app, denials } = await started({ settings, deps: { servePage: servePage as never } });
    expect((await app.inject({ url: "/projects", remoteAddress: "10.1.2.3" })).statusCode).toBe(200);
    const refused = await app.inject({ url: "/projects", remoteAddress: "11.1.2.3" });
    expect(refused.json()).toEqual({
      error: "ip_denied",
      message: "the source address is not allowed for this surface",
      details: { surface: "api" },
    });
    expect(denials).toMatchObject([{ surface: "api", reason: "global_allowlist", address: "11.1.2.3" }]);
  });
});

describe("routes", () => {
  test("without a policy, or with one that makes no sense, stop the start", async () => {
    const { app } = await startFixture();
    expect(app.routeRegister.rows()).toEqual([]);
    const register = app.routeRegister;
    const route = (url: string, config: object | undefined) => () =>
      register.add({ method: "GET", url, config, handler: () => undefined } as never);
    expect(route("/a", undefined)).toThrow("route GET /a has no config.tag");
    expect(route("/a", { tag: "nonsense" })).toThrow("unknown tag nonsense");
    expect(route("/a", { tag: "tasks", role: "viewer" })).toThrow("without :slug");
    expect(route("/projects/:slug", { tag: "projects" })).toThrow("asks for no project role");
    expect(route("/a", { tag: "health" })).toThrow("not marked public");
    expect(route("/a", { tag: "auth", public: true, freshMfa: true })).toThrow("is public and asks for rights");
    expect(route("/a", { tag: "auth", bucket: "leaky" })).toThrow("unknown bucket leaky");
  });

  test("are listed with policy and scope, without their HEAD twins", async () => {
    const { app } = await startFixture({
      routes: (app) => {
        app.get("/p/:slug/tasks", { config: { tag: "tasks", role: "viewer" } }, () => ({}));
        app.delete("/p/:slug/tasks", { config: { tag: "tasks", role: "admin", bucket: "bulk" } }, () => ({}));
      },
    });
    expect(
      routeTable(app).map(({ method, path, scope, policy }) => [method, path, scope, policy.bucket ?? null]),
    ).toEqual([
      ["DELETE", "/p/:slug/tasks", "tasks:write", "bulk"],
      ["GET", "/p/:slug/tasks", "tasks:read", null],
    ]);
  });
});
