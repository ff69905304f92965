/** Addresses, allowlists and keys through the whole brain: docs/reference/api-keys.md. */
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { routeDialects } from "@svc/testkit/databases";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

const inside = "10.1.2.3";
const outside = "192.0.2.1";
const proxy = "203.0.113.9";
const denied = {
  error: "ip_denied",
  message: "the source address is not allowed for this surface",
  details: { surface: "api" },
};

for (const dialect of routeDialects) {
  describe(`keys and addresses on ${dialect}`, () => {
    let brain: TestBrain;
    let token = "";
    let keyId = "";
    let boundToken = "";
    const database = () => brain.running.brain.database;
    const call = (bearer: string, from: string, path = "/projects/shop/tasks", headers = {}) =>
      brain.running.brain.app.inject({
        url: `/api/v1${path}`,
        remoteAddress: from,
        headers: { host: "localhost", authorization: `Bearer ${bearer}`, ...headers },
      });
    const refusals = async () => {
      await brain.running.brain.features.audit.settled();
      return database()
        .read.selectFrom("audit_log")
        .selectAll()
        .where("action", "=", "auth.ip_denied")
        .orderBy("occurred_us")
        .execute();
    };
    const lastUse = async (id: string) =>
      database()
        .read.selectFrom("api_keys")
        .select(["last_used_at", "last_used_ip"])
        .where("id", "=", id)
        .executeTakeFirstOrThrow();
    const deniedCount = async () =>
      Number(
        /svc_auth_ip_denied_total\{surface="api"\} (\d+)/.exec(
          (await brain.as.anonymous.get("//metrics", { authorization: "Bearer metrics-token-of-tests" })).text,
        )?.[1] ?? 0,
      );

    beforeAll(async () => {
      brain = await startTestBrain({
        dialect,
        env: {
          SVC_API_IP_ALLOWLIST: "10.0.0.0/8,127.0.0.1",
          SVC_TRUSTED_PROXIES: proxy,
          SVC_METRICS_AUTH_TOKEN: "metrics-token-of-tests",
        },
      });
      const mint = async (changes: object) =>
        (await brain.as.viewer.post("/api-keys", { name: "k", scopes: ["tasks:read"], ...changes })).body;
      const bound = await mint({ allowed_cidrs: ["10.2.0.0/16"] });
      boundToken = bound.token;
      ({ token, id: keyId } = await mint({}));
    });
    afterAll(() => brain.stop());
    beforeEach(() =>
      database().write((tx) => tx.updateTable("api_keys").set({ last_used_at: null, last_used_ip: null }).execute()),
    );

    test("an unknown key from outside gets 401 and no audit row about its address", async () => {
      const before = (await refusals()).length;
      const answer = await call(`svk_${"A".repeat(43)}`, outside);
      expect([answer.statusCode, answer.json().error]).toEqual([401, "unauthenticated"]);
      expect(await refusals()).toHaveLength(before);
    });

    test("a valid key from outside gets 403 ip_denied and one audit row, is counted each time, and has no last use", async () => {
      const counted = await deniedCount();
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const answer = await call(token, outside);
        expect([answer.statusCode, answer.json()]).toEqual([403, denied]);
      }
      const rows = (await refusals()).filter(({ source_ip }) => source_ip === outside);
      expect(rows).toMatchObject([{ api_key_id: keyId, result: "failed", outcome: "deny" }]);
      expect(JSON.parse(rows[0]?.metadata ?? "")).toEqual({ surface: "api", reason: "global_allowlist" });
      expect(await deniedCount()).toBe(counted + 3);
      expect(await lastUse(keyId)).toEqual({ last_used_at: null, last_used_ip: null });
    });

    test("both lists must allow the address: the key's list refuses with its own reason", async () => {
      const answer = await call(boundToken, inside);
      expect([answer.statusCode, answer.json()]).toEqual([403, denied]);
      const rows = (await refusals()).filter(({ source_ip }) => source_ip === inside);
      expect(rows.map(({ metadata }) => JSON.parse(metadata).reason)).toEqual(["key_allowed_cidrs"]);
      expect((await call(boundToken, "10.2.3.4")).statusCode).toBe(200);
    });

    test("loopback is not allowed automatically", async () => {
      expect((await call(boundToken, "127.0.0.1")).json()).toEqual(denied);
    });

    test("the lists are checked before the scope, the scope before the project", async () => {
      expect((await call(token, outside, "/projects/nowhere/workers")).json().error).toBe("ip_denied");
      expect((await call(token, inside, "/projects/nowhere/workers")).json().error).toBe("scope_missing");
      expect((await call(token, inside, "/projects/nowhere/tasks")).json().error).toBe("not_found");
    });

    test("only an allowed request counts as a use of the key", async () => {
      await call(token, inside, "/projects/shop/workers");
      await call(token, inside, "/projects/nowhere/tasks");
      await call(token, inside, "/auth/me");
      expect(await lastUse(keyId)).toEqual({ last_used_at: null, last_used_ip: null });
      await call(token, inside);
      await expect.poll(() => lastUse(keyId)).toMatchObject({ last_used_ip: inside });
    });

    test("the address is the client's behind a trusted proxy; a forged header from another peer is ignored", async () => {
      const forwarded = (for_: string) => ({ "x-forwarded-for": for_ });
      expect((await call(token, proxy, undefined, forwarded(inside))).statusCode).toBe(200);
      expect((await call(token, proxy, undefined, forwarded(`${inside}, ${outside}`))).json()).toEqual(denied);
      expect((await call(token, outside, undefined, forwarded(inside))).json()).toEqual(denied);
      expect((await call(token, proxy)).json()).toEqual(denied);
    });
  });

  test(`on ${dialect}, SVC_DASHBOARD_IP_ALLOWLIST also covers /auth for keys, after the key is identified`, async () => {
    await using brain = await startTestBrain({ dialect, env: { SVC_DASHBOARD_IP_ALLOWLIST: "127.0.0.0/8" } });
    const { body } = await brain.as.viewer.post("/api-keys", { name: "k", scopes: ["tasks:read"] });
    const get = (path: string, bearer: string) =>
      brain.running.brain.app.inject({
        url: `/api/v1${path}`,
        remoteAddress: outside,
        headers: { host: "localhost", authorization: `Bearer ${bearer}` },
      });
    expect((await get("/auth/me", "svk_unknown")).statusCode).toBe(401);
    expect((await get("/auth/me", body.token)).json()).toEqual(denied);
    expect((await get("/projects/shop/tasks", body.token)).statusCode).toBe(200);
    await brain.running.brain.features.audit.settled();
    const { read } = brain.running.brain.database;
    const rows = await read.selectFrom("audit_log").selectAll().where("action", "=", "auth.ip_denied").execute();
    expect(rows).toMatchObject([{ api_key_id: body.id, source_ip: outside }]);
  });
}
