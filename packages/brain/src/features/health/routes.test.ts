import { openTestDatabase, useTestDatabase } from "@svc/testkit/databases";
import { beforeEach, describe, expect, test } from "vitest";
import { startAccess, useAccess } from "../../../test/fixtures/access-fixture.ts";

const opened = useTestDatabase("sqlite");
const fixture = useAccess(opened);

beforeEach(async () => {
  await fixture.addUser("mira@example.org");
});

describe("the health routes", () => {
  test.each(["/health", "~/health"])("%s only answers ok, under any Host header", async (path) => {
    const answer = await fixture.browser().get(path, { host: "10.1.2.3:9" });
    expect(answer).toMatchObject({ status: 200, body: { status: "ok" } });
    expect(Object.keys(answer.body)).toEqual(["status"]);
  });

  test("/health/ready is ready once start-up has finished, and starting before", async () => {
    expect(await fixture.browser().get("/health/ready")).toMatchObject({ status: 200, body: { status: "ready" } });
    fixture.state.isStarted = false;
    expect(await fixture.browser().get("~/health/ready")).toMatchObject({
      status: 503,
      body: {
        error: "unready",
        status: "unready",
        reason: "starting",
        details: { reason: "starting" },
        request_id: expect.any(String),
      },
    });
  });

  test("/health/ready names the database when it does not answer", async () => {
    const closed = await openTestDatabase("sqlite");
    const started = await startAccess(closed.database);
    await closed.close();
    expect(await started.browser().get("/health/ready")).toMatchObject({ status: 503, body: { reason: "database" } });
    await started.app.close();
  });

  test("/health/system returns versions to signed-in users, and 401 to others", async () => {
    expect((await fixture.browser().get("/health/system")).status).toBe(401);
    const mira = await fixture.signIn("mira@example.org");
    expect((await mira.get("~/health/system")).body).toEqual({
      svc_version: "1.0.0",
      runtime: "node",
      runtime_version: process.versions.node,
      os: expect.any(String),
      architecture: process.arch,
      pid: process.pid,
      database_type: "sqlite",
      database_version: expect.stringMatching(/^3\.\d+/),
      database_size_mb: expect.any(Number),
      packages: { "@svc/brain": "1.0.0" },
    });
  });

  test("/health/deep checks each subsystem, and is 503 when one failed", async () => {
    const mira = await fixture.signIn("mira@example.org");
    const answer = await mira.get("/health/deep");
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      status: "ok",
      coverage: { startup_equivalent: false },
      checks: {
        database: { status: "ok", latency_ms: expect.any(Number) },
        migrations: { status: "ok", revision: "0003_tasks", expected: "0003_tasks" },
        audit_chain: { status: "ok", activated: true, scope: "state-only", verification: { enabled: false } },
        leadership: { status: "ok" },
      },
    });
    await opened.database.write((tx) => tx.updateTable("audit_chain_state").set({ state_hmac: "0" }).execute());
    expect(await mira.get("/health/deep")).toMatchObject({
      status: 503,
      body: { status: "failed", checks: { audit_chain: { status: "failed", detail: "ChainIntegrityError" } } },
    });
  });
});

describe("/metrics", () => {
  const metricsOf = async (changes: Parameters<typeof startAccess>[1], headers?: Record<string, string>) => {
    const started = await startAccess(opened.database, changes);
    const answer = await started.browser().get("/metrics", headers);
    await started.app.close();
    return answer;
  };
  const token = "metrics-token-0123456789";

  test("is read with the token, in the text exposition", async () => {
    const answer = await metricsOf({ SVC_METRICS_AUTH_TOKEN: token }, { authorization: `bearer ${token}` });
    expect(answer.status).toBe(200);
    expect(answer.headers["content-type"]).toMatch(/^text\/plain/);
  });

  test("is public by setting", async () => {
    expect((await metricsOf({ SVC_METRICS_PUBLIC: true })).status).toBe(200);
  });

  test("answers 401 without the token, with another, and to everyone when none is set", async () => {
    expect((await metricsOf({ SVC_METRICS_AUTH_TOKEN: token })).status).toBe(401);
    expect((await metricsOf({ SVC_METRICS_AUTH_TOKEN: token }, { authorization: `Bearer ${token}x` })).status).toBe(
      401,
    );
    expect((await metricsOf({}, { authorization: "Bearer " })).status).toBe(401);
  });

  test("answers 404 when it is disabled", async () => {
    expect((await metricsOf({ SVC_METRICS_ENABLED: false, SVC_METRICS_PUBLIC: true })).status).toBe(404);
  });
});
