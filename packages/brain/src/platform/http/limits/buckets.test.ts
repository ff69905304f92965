import { describe, expect, test } from "vitest";
import { as, fakeClock, fixtureRules, startFixture } from "../http-fixture.ts";
import { createBuckets } from "./buckets.ts";

describe("a bucket", () => {
  test.each(Object.entries(fixtureRules.buckets))(
    "%s lets its cap in, then names the wait",
    (name, { cap, windowMs }) => {
      const clock = fakeClock();
      const buckets = createBuckets(clock, fixtureRules.buckets);
      for (let count = 0; count < cap; count += 1) expect(buckets.take(name, "a")).toBeNull();
      expect(buckets.take(name, "a")).toBe(windowMs / 1000);
      expect(buckets.take(name, "b")).toBeNull();
    },
  );

  test("slides: room comes back request by request, and refused ones were not counted", () => {
    const clock = fakeClock();
    const buckets = createBuckets(clock, { bulk: { cap: 2, windowMs: 60_000 } });
    buckets.take("bulk", "a");
    clock.advance(20_000);
    buckets.take("bulk", "a");
    clock.advance(10_500);
    expect(buckets.take("bulk", "a")).toBe(30);
    for (let knock = 0; knock < 100; knock += 1) buckets.take("bulk", "a");
    clock.advance(29_500);
    expect(buckets.take("bulk", "a")).toBeNull();
    expect(buckets.take("bulk", "a")).toBe(20);
  });

  test("holds 10000 keys: while all are active a new one is refused uncounted, later the quietest makes room", () => {
    const clock = fakeClock();
    const buckets = createBuckets(clock, { bulk: { cap: 2, windowMs: 60_000 } });
    for (let key = 0; key < 10_000; key += 1) buckets.take("bulk", `k${key}`);
    clock.advance(30_000);
    buckets.take("bulk", "k0");
    expect(buckets.take("bulk", "new")).toBe(30);
    expect(buckets.take("bulk", "k1")).toBeNull();
    clock.advance(30_000);
    expect(buckets.take("bulk", "new")).toBeNull();
    expect(buckets.take("bulk", "k0")).toBeNull();
    expect(buckets.take("bulk", "k0")).toBe(30);
  });
});

describe("a route with a bucket", () => {
  test("answers 429 with Retry-After and the detail text before any other check", async () => {
    const { app, clock } = await startFixture({
      routes: (app) => void app.post("/login", { config: { tag: "api-keys", bucket: "bulk" } }, () => ({})),
    });
    const post = (remoteAddress: string) => app.inject({ method: "POST", url: "/login", remoteAddress });
    for (let count = 0; count < 10; count += 1) expect((await post("192.0.2.1")).statusCode).toBe(401);
    clock.advance(18_000);
    const refused = await post("192.0.2.1");
    expect(refused.statusCode).toBe(429);
    expect(refused.headers["retry-after"]).toBe("42");
    expect(Object.keys(refused.headers).filter((name) => name.startsWith("x-ratelimit"))).toEqual([]);
    expect(refused.json()).toMatchObject({
      error: "rate_limited",
      detail: "too many requests; retry in 42 seconds (bulk)",
      details: { bucket: "bulk", retry_after_seconds: 42 },
    });
    expect((await post("192.0.2.2")).statusCode).toBe(401);
  });

  test("counts behind a trusted proxy by client, and routes of one bucket together", async () => {
    const { app } = await startFixture({
      settings: { SVC_TRUSTED_PROXIES: ["127.0.0.1"] },
      routes: (app) => {
        app.get("/a", { config: { tag: "setup", public: true, bucket: "bulk" } }, () => ({}));
        app.get("/b", { config: { tag: "setup", public: true, bucket: "bulk" } }, () => ({}));
      },
    });
    const get = (url: string, client: string) => app.inject({ url, headers: { "x-forwarded-for": client } });
    for (let count = 0; count < 5; count += 1) {
      await get("/a", "192.0.2.1");
      await get("/b", "192.0.2.1");
    }
    expect((await get("/a", "192.0.2.1")).statusCode).toBe(429);
    expect((await get("/a", "192.0.2.2")).statusCode).toBe(200);
  });

  test("lets 20 of 60 sign-ins in that come from one /64, by a proxy or without", async () => {
    const { app } = await startFixture({
      settings: { SVC_TRUSTED_PROXIES: ["127.0.0.1"] },
      routes: (app) => void app.post("/login", { config: { tag: "auth", public: true, bucket: "login" } }, () => ({})),
    });
    const statuses: number[] = [];
    for (let host = 1; host <= 60; host += 1) {
      const address = `2001:db8:1:1::${host.toString(16)}`;
      const from = host % 2 === 0 ? { remoteAddress: address } : { headers: { "x-forwarded-for": address } };
      statuses.push((await app.inject({ method: "POST", url: "/login", ...from })).statusCode);
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.filter((status) => status === 429)).toHaveLength(40);
    const stranger = await app.inject({ method: "POST", url: "/login", remoteAddress: "2001:db8:1:2::1" });
    expect(stranger.statusCode).toBe(200);
  });

  test("activity counts per user, so anonymous requests use nothing up, and always names 60 seconds", async () => {
    const { app, clock } = await startFixture({
      routes: (app) => void app.get("/activity", { config: { tag: "activity", bucket: "activity" } }, () => ({})),
    });
    const get = (headers: Record<string, string>) => app.inject({ url: "/activity", headers });
    for (let count = 0; count < 60; count += 1) await get(as("ann"));
    clock.advance(20_000);
    expect((await get(as("ann"))).headers["retry-after"]).toBe("60");
    expect((await get(as("bob"))).statusCode).toBe(200);
    expect((await get({})).statusCode).toBe(401);
  });
});
