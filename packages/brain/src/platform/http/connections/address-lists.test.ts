import { describe, expect, test } from "vitest";
import type { App } from "../app.ts";
import { apiKey, as, type FixtureOptions, startFixture, withKey } from "../http-fixture.ts";

const answer = () => ({ ok: true });
const routes = (app: App) => {
  app.get("/tasks", { config: { tag: "saved-views" } }, answer);
  app.post("/login", { config: { tag: "auth", public: true } }, answer);
  app.post("/accept", { config: { tag: "invitations-public", public: "session-optional" } }, answer);
  app.get("/health", { config: { tag: "health", public: true } }, answer);
  app.get("/agent/commands", { config: { tag: "agent-transport" } }, answer);
  app.get("/ws/agent", { config: { tag: "agent-transport", selfGuarded: true } }, answer);
};
const inside = "10.1.2.3";
const outside = "192.0.2.1";
const body = (surface: string) =>
  `{"error":"ip_denied","message":"the source address is not allowed for this surface","details":{"surface":"${surface}"}}`;

const start = (settings: FixtureOptions["settings"], keys = {}) =>
  startFixture({ routes, keys, settings: settings ?? {} });

describe("DASHBOARD_IP_ALLOWLIST", () => {
  const settings = { SVC_DASHBOARD_IP_ALLOWLIST: ["10.0.0.0/8"] };

  test("refuses cookie requests and sign-in from elsewhere, as surface api, whatever is presented", async () => {
    const { app, denials } = await start(settings);
    const calls = [
      { url: "/tasks", headers: as("ann") },
      { url: "/tasks", headers: as("gone") },
      { method: "POST", url: "/login" },
      { method: "POST", url: "/accept", headers: as("ann") },
    ] as const;
    for (const call of calls) {
      expect((await app.inject({ ...call, remoteAddress: inside })).statusCode).not.toBe(403);
      const refused = await app.inject({ ...call, remoteAddress: outside });
      expect([refused.statusCode, refused.body]).toEqual([403, body("api")]);
      expect(refused.headers).toHaveProperty("x-request-id");
    }
    expect(denials).toHaveLength(4);
    expect(denials[0]).toEqual({
      surface: "api",
      reason: "global_allowlist",
      address: outside,
      apiKeyId: null,
      userId: null,
    });
  });

  test("does not apply to API keys, agents and probes", async () => {
    const { app } = await start(settings, { k: apiKey("ann", ["tasks:read"]) });
    for (const [url, headers] of [
      ["/tasks", withKey("k")],
      ["/agent/commands", {}],
      ["/health", {}],
    ] as const) {
      expect((await app.inject({ url, headers, remoteAddress: outside })).statusCode).toBe(200);
    }
  });
});

describe("API_IP_ALLOWLIST and the list of a key", () => {
  const keys = {
    plain: apiKey("ann", ["tasks:read"]),
    narrow: apiKey("bob", ["tasks:read"], { allowedCidrs: ["10.1.0.0/16"] }),
    weak: apiKey("eve", []),
  };
  const settings = { SVC_API_IP_ALLOWLIST: ["10.0.0.0/8"] };

  test("the key authenticates first: unknown is 401, known is 403 and named in the denial", async () => {
    const { app, denials } = await start(settings, keys);
    expect((await app.inject({ url: "/tasks", headers: withKey("unknown"), remoteAddress: outside })).statusCode).toBe(
      401,
    );
    const refused = await app.inject({ url: "/tasks", headers: withKey("plain"), remoteAddress: outside });
    expect([refused.statusCode, refused.body]).toEqual([403, body("api")]);
    expect(denials).toEqual([
      { surface: "api", reason: "global_allowlist", address: outside, apiKeyId: "k-ann", userId: "u-ann" },
    ]);
  });

  test("both lists must admit the address, and come before the scope", async () => {
    const { app, denials } = await start(settings, keys);
    const get = (token: string, remoteAddress: string) =>
      app.inject({ url: "/tasks", headers: withKey(token), remoteAddress });
    expect((await get("narrow", "10.1.2.3")).statusCode).toBe(200);
    expect((await get("narrow", "10.2.2.3")).body).toBe(body("api"));
    expect(denials).toMatchObject([{ reason: "key_allowed_cidrs", apiKeyId: "k-bob" }]);
    expect((await get("weak", outside)).json().error).toBe("ip_denied");
    expect((await get("weak", inside)).json().error).toBe("scope_missing");
  });

  test("loopback is not admitted by default, and a forged header does not help", async () => {
    const { app } = await start(settings, keys);
    const headers = { ...withKey("plain"), "x-forwarded-for": inside };
    expect((await app.inject({ url: "/tasks", headers })).json().error).toBe("ip_denied");
  });

  test("only a request that passed the lists marks the key as used", async () => {
    const used: string[] = [];
    const { app } = await startFixture({
      routes,
      settings,
      deps: {
        authenticator: {
          session: () => null,
          apiKey: () => keys.narrow,
          apiKeyUsed: (key, { address }) => void used.push(`${key.keyId} ${address}`),
        },
      },
    });
    await app.inject({ url: "/tasks", headers: withKey("x"), remoteAddress: "10.2.0.1" });
    await app.inject({ url: "/tasks", headers: withKey("x"), remoteAddress: outside });
    expect(used).toEqual([]);
    await app.inject({ url: "/tasks", headers: withKey("x"), remoteAddress: inside });
    expect(used).toEqual(["k-bob 10.1.2.3"]);
  });
});

describe("AGENT_IP_ALLOWLIST", () => {
  const settings = { SVC_AGENT_IP_ALLOWLIST: ["10.0.0.0/8"] };

  test("is checked on agent routes before the feature sees the request", async () => {
    const { app, denials } = await start(settings);
    const refused = await app.inject({ url: "/agent/commands", remoteAddress: outside });
    expect([refused.statusCode, refused.body]).toEqual([403, body("agent")]);
    expect(denials).toMatchObject([{ surface: "agent", reason: "global_allowlist" }]);
    expect((await app.inject({ url: "/agent/commands", remoteAddress: inside })).statusCode).toBe(200);
  });

  test("is left to a gateway that guards itself, which asks for it", async () => {
    const { app, access, denials } = await start(settings);
    expect((await app.inject({ url: "/ws/agent", remoteAddress: outside })).statusCode).toBe(200);
    expect(access.admitsAddress("agent", inside)).toBe(true);
    expect(access.admitsAddress("agent", outside)).toBe(false);
    expect(denials).toHaveLength(1);
    expect(access.takeBucket("agent-connect", outside)).toBeNull();
  });
});
