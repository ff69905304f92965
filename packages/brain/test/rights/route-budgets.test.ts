/** Which routes share which per-address rate limit, with the real access check and the brain's policies. */
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { routeRules } from "../../src/app/access/route-rules.ts";
import { type RouteRow, routeTable } from "../../src/platform/http/access/route-table.ts";
import { as, type Fixture, startFixture } from "../../src/platform/http/http-fixture.ts";

const rules = routeRules({ SVC_MFA_VERIFICATION_RATE_PER_MIN: 10 });

interface Budget {
  readonly cap: number;
  readonly windowSeconds: number;
  /** Below /api/v1 unless they begin with `//`; routes that the brain does not have yet are ignored. */
  readonly routes: readonly string[];
}

const perMinute = (cap: number, ...routes: string[]): Budget => ({ cap, windowSeconds: 60, routes });
const project = "/projects/:slug";

/** The limits per address; the gateway counts the 600 of agents itself (gateway-handshake.test.ts). */
const budgets: Record<string, Budget> = {
  login: perMinute(20, "POST /auth/login"),
  "password-reset": perMinute(10, "POST /auth/password-reset/request", "POST /auth/password-reset/confirm"),
  invitations: perMinute(30, "POST /invitations/preview", "POST /invitations/accept"),
  bulk: perMinute(
    10,
    `POST ${project}/tasks/bulk-delete`,
    `POST ${project}/commands/bulk-retry`,
    `POST ${project}/commands/purge-queue`,
    `POST ${project}/bulk-retry-requests`,
    `POST ${project}/schedules/:schedule_id/trigger`,
    `POST ${project}/schedules::resync`,
    `POST ${project}/notifications/channels`,
    `POST ${project}/notifications/defaults`,
    `GET ${project}/dead-letters`,
  ),
  "agent-connect": perMinute(600),
  openapi: perMinute(10, "GET /openapi.json", "GET /docs"),
  mfa: perMinute(
    10,
    "POST /auth/mfa/enroll-start",
    "POST /auth/mfa/enroll-complete",
    "POST /auth/mfa/verify",
    "POST /auth/mfa/disable",
    "POST /auth/step-up",
    "POST /auth/change-password",
  ),
  setup: { cap: 5, windowSeconds: 900, routes: ["POST /setup/complete", "POST //setup"] },
  activity: perMinute(60, "GET /activity"),
};

const pathOf = (path: string): string => (path.startsWith("//") ? path.slice(1) : `/api/v1${path}`);
const fullName = (route: string): string => {
  const [method = "", path = ""] = route.split(" ");
  return `${method} ${pathOf(path)}`;
};

describe("budgets per address", () => {
  let brain: TestBrain;
  let rows: RouteRow[];
  let server: Fixture;

  beforeAll(async () => {
    brain = await startTestBrain();
    rows = routeTable(brain.running.brain.app);
    server = await startFixture({
      deps: { rules },
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

  test("have the expected caps and windows", () => {
    const stated = Object.entries(budgets).map(([name, { cap, windowSeconds }]) => [
      name,
      { cap, windowMs: windowSeconds * 1000 },
    ]);
    expect(rules.buckets).toMatchObject(Object.fromEntries(stated));
  });

  test("apply to exactly the expected routes; probes and metrics have none", () => {
    const stated = new Map(
      Object.entries(budgets).flatMap(([name, { routes }]) => routes.map((route) => [fullName(route), name] as const)),
    );
    const names = rows.map(({ method, path }) => `${method} ${path}`);
    const found = Object.fromEntries(rows.map(({ policy }, index) => [names[index], policy.bucket ?? null]));
    expect(found).toEqual(Object.fromEntries(names.map((name) => [name, stated.get(name) ?? null])));
  });

  const send = (row: RouteRow, remoteAddress: string) =>
    server.app.inject({
      method: row.method as "GET",
      url: row.path
        .replace(":slug", "shop")
        .replace(/\/:\w+/g, "/x")
        .replace("::", ":"),
      remoteAddress,
      headers: as("root"),
    });

  test.each(Object.entries(budgets).filter(([name]) => name !== "agent-connect" && name !== "activity"))(
    "%s refuses requests over its cap across its routes, does not count refused ones, and allows requests again after its window",
    async (name, { cap, windowSeconds, routes }) => {
      const own = rows.filter(({ method, path }) => routes.map(fullName).includes(`${method} ${path}`));
      if (own.length === 0) return expect(rows.filter(({ policy }) => policy.bucket === name)).toEqual([]);
      for (let count = 0; count < cap; count += 1)
        expect((await send(own[count % own.length]!, "192.0.2.1")).statusCode).not.toBe(429);
      server.clock.advance(1500);
      for (const row of [...own, ...own]) {
        const refused = await send(row, "192.0.2.1");
        expect([refused.statusCode, refused.headers["retry-after"]]).toEqual([429, String(windowSeconds - 1)]);
        expect(refused.json()).toMatchObject({
          error: "rate_limited",
          detail: `too many requests; retry in ${windowSeconds - 1} seconds (${name})`,
        });
        expect(Object.keys(refused.headers).filter((header) => header.startsWith("x-ratelimit"))).toEqual([]);
      }
      expect((await send(own[0]!, "192.0.2.2")).statusCode).not.toBe(429);
      server.clock.advance((windowSeconds - 1) * 1000);
      for (let count = 0; count < cap; count += 1)
        expect((await send(own[count % own.length]!, "192.0.2.1")).statusCode).not.toBe(429);
    },
  );

  test("activity counts by user, and always asks to retry after 60 seconds", async () => {
    const row = rows.find(({ path }) => path === "/api/v1/activity");
    if (row === undefined) return expect(rows.filter(({ policy }) => policy.bucket === "activity")).toEqual([]);
    for (let count = 0; count < 60; count += 1) expect((await send(row, `192.0.2.${count}`)).statusCode).toBe(200);
    server.clock.advance(30_000);
    const refused = await send(row, "192.0.2.200");
    expect([refused.statusCode, refused.headers["retry-after"]]).toEqual([429, "60"]);
  });
});
