import { describe, expect, test } from "vitest";
import type { App } from "../app.ts";
import { startFixture } from "../http-fixture.ts";

const answer = () => ({ ok: true });

describe("the Host header", () => {
  const hostsRoutes = (app: App) => {
    app.get("/ok", { config: { tag: "setup", public: true } }, answer);
    app.get("/health", { config: { tag: "health", public: true } }, answer);
    app.get("/metrics", { config: { tag: "metrics", public: true } }, answer);
    app.get("/api/v1/agent/commands", { config: { tag: "agent-transport" } }, answer);
    app.get("/ws/dashboard", { config: { tag: "hub", public: true } }, answer);
  };
  const get = async (host: string, url = "/ok", settings = {}, more = {}) => {
    const { app } = await startFixture({ routes: hostsRoutes, settings });
    return app.inject({ url, headers: { host, ...more } });
  };
  const named = { SVC_PUBLIC_URL: "https://svc.example.org" };

  test.each([
    ["localhost", {}, 200],
    ["LocalHost.:81", {}, 200],
    ["127.0.0.1:7700", {}, 200],
    ["[::1]:7700", {}, 200],
    ["[0:0:0:0:0:0:0:1]", {}, 200],
    ["svc.example.org", {}, 400],
    ["svc.example.org:443", named, 200],
    ["evil.example", named, 400],
    ["svc.example.org@evil.example", named, 400],
    ["localhost, evil.example", {}, 400],
    ["svc.example.org", { ...named, SVC_ALLOWED_HOSTS: ["other.example"] }, 400],
    ["other.example", { ...named, SVC_ALLOWED_HOSTS: ["other.example:8443"] }, 200],
  ])("%s with %o answers %i", async (host, settings, status) => {
    const response = await get(host, "/ok", settings);
    expect(response.statusCode).toBe(status);
    if (status === 400) expect(response.json().error).toBe("invalid_host");
  });

  test("is not asked of probes and agents, but of the dashboard's socket and unknown paths", async () => {
    for (const url of ["/health", "/metrics", "/api/v1/agent/commands"]) {
      expect((await get("evil.example", url)).statusCode).toBe(200);
    }
    for (const url of ["/ws/dashboard", "/unknown"]) expect((await get("evil.example", url)).statusCode).toBe(400);
  });

  test("is not replaced by what proxies claim", async () => {
    const claims = { "x-forwarded-host": "localhost", forwarded: "host=localhost" };
    expect((await get("evil.example", "/ok", { SVC_TRUSTED_PROXIES: ["127.0.0.1"] }, claims)).statusCode).toBe(400);
  });
});
