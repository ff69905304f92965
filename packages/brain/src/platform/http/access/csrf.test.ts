import { describe, expect, test } from "vitest";
import type { App } from "../app.ts";
import { apiKey, as, startFixture, withKey } from "../http-fixture.ts";

const answer = () => ({ ok: true });
const routes = (app: App) => {
  app.get("/views", { config: { tag: "saved-views" } }, answer);
  for (const method of ["POST", "PUT", "PATCH", "DELETE"] as const) {
    app.route({ method, url: "/views", config: { tag: "saved-views" }, handler: answer });
  }
  app.post("/login", { config: { tag: "auth", public: true } }, (request) => ({ caller: request.caller }));
  app.post("/accept", { config: { tag: "invitations-public", public: "session-optional" } }, (request) => ({
    user: request.caller?.user.id ?? null,
  }));
};

describe("a mutating request with a session cookie", () => {
  test.each(["POST", "PUT", "PATCH", "DELETE"] as const)(
    "%s needs the session's token in header and cookie",
    async (method) => {
      const { app } = await startFixture({ routes });
      const send = (headers: Record<string, string>) => app.inject({ method, url: "/views", headers });
      const both = as("ann");
      expect((await send(both)).statusCode).toBe(200);
      const refused = [
        { cookie: both.cookie! },
        { cookie: both.cookie!, "x-csrf-token": "" },
        { cookie: both.cookie!, "x-csrf-token": "csrf-bob" },
        { cookie: "svc_session=ann", "x-csrf-token": "csrf-ann" },
        // Cookie and header agree with each other, but not with the session.
        { cookie: "svc_session=ann; svc_csrf=csrf-bob", "x-csrf-token": "csrf-bob" },
      ];
      for (const headers of refused) {
        const response = await send(headers);
        expect(response.statusCode).toBe(403);
        expect(response.json().error).toBe("csrf_failed");
      }
    },
  );

  test("reads need no token, and a bearer request none either", async () => {
    const { app } = await startFixture({ routes, keys: { k: apiKey("ann", ["tasks:write"]) } });
    const cookie = { cookie: "svc_session=ann" };
    for (const method of ["GET", "HEAD"] as const) {
      expect((await app.inject({ method, url: "/views", headers: cookie })).statusCode).toBe(200);
    }
    const bearer = { ...cookie, ...withKey("k") };
    expect((await app.inject({ method: "POST", url: "/views", headers: bearer })).statusCode).toBe(200);
  });
});

describe("a public mutating route", () => {
  const post = async (origin: string | undefined, host: string, settings = {}) => {
    const { app } = await startFixture({ routes, settings });
    const headers = { host, cookie: "svc_session=ann", ...(origin === undefined ? {} : { origin }) };
    return app.inject({ method: "POST", url: "/login", headers });
  };
  const https = {
    SVC_PUBLIC_URL: "https://svc.example.org",
    SVC_ALLOWED_HOSTS: ["svc.example.org", "alias.example.org", "localhost"],
  };

  test.each([
    [undefined, "localhost:7700", {}, 200],
    ["http://localhost:7700", "localhost:7700", {}, 200],
    ["http://127.0.0.1:7700", "127.0.0.1:7700", {}, 200],
    ["http://127.0.0.1:7701", "127.0.0.1:7700", {}, 403],
    ["http://evil.example", "localhost:7700", {}, 403],
    ["null", "localhost:7700", {}, 403],
    ["https://svc.example.org", "svc.example.org", https, 200],
    ["https://alias.example.org", "alias.example.org", https, 200],
    ["http://alias.example.org", "alias.example.org", https, 403],
    ["https://alias.example.org", "svc.example.org", https, 403],
    ["https://svc.example.org.evil.example", "svc.example.org", https, 403],
    ["https://tools.example", "svc.example.org", { ...https, SVC_CORS_ORIGINS: ["https://tools.example"] }, 200],
  ])("with Origin %s on host %s answers %3$i", async (origin, host, settings, status) => {
    const response = await post(origin, host, settings);
    expect(response.statusCode).toBe(status);
    if (status === 403) expect(response.json()).toMatchObject({ error: "csrf_failed", details: { reason: "origin" } });
  });

  test("ignores a session cookie and needs no token", async () => {
    expect((await post(undefined, "localhost")).json()).toEqual({ caller: null });
  });

  test("that welcomes a session needs its token once there is one", async () => {
    const { app } = await startFixture({ routes });
    const accept = (headers: Record<string, string>) => app.inject({ method: "POST", url: "/accept", headers });
    expect((await accept({})).json()).toEqual({ user: null });
    expect((await accept(as("ann"))).json()).toEqual({ user: "u-ann" });
    expect((await accept({ cookie: "svc_session=ann" })).json().error).toBe("csrf_failed");
  });
});
