import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { routeDialects } from "@svc/testkit/databases";
import { type HttpsServer, type Respond, startHttpsServer } from "@svc/testkit/services/https-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const manifest = {
  packages: { "@svc/brain": "1.4.0", "@svc/agent": "1.4.0" },
  schema_version: 1,
  generated_at: "2026-11-02T10:00:00Z",
  generated_by: "release 1.4.0",
  canonical_url: "https://versions.example.org/svc.json",
};

const json =
  (body: unknown): Respond =>
  (response) =>
    response.end(JSON.stringify(body));
let source: HttpsServer;

beforeAll(async () => {
  source = await startHttpsServer();
});
afterAll(() => source.stop());

describe.each(routeDialects)("known versions on %s", (dialect) => {
  let brain: TestBrain;
  const check = () => brain.as.root.post("/admin/system/versions/check");
  const snapshot = async () => (await brain.as.root.get("/admin/system/versions")).body;

  beforeAll(async () => {
    brain = await startTestBrain({ dialect, env: { SVC_VERSION_CHECK_URL: source.url } });
  });
  afterAll(() => brain.stop());

  test("are those of this release until the first check, without any request", async () => {
    const before = source.asked;
    const shown = await snapshot();
    expect(shown).toMatchObject({ source: "bundled", fetched_at: null, check_for_updates_url: source.url });
    const { svc_version } = (await brain.as.root.get("/health/system")).body;
    expect(Object.values(shown.packages)).toEqual(Array(5).fill(svc_version));
    expect(source.asked).toBe(before);
  });

  test.each<[string, Respond, string]>([
    ["an answer that is not a manifest", json({ packages: {} }), "manifest_invalid"],
    ["a text", (response) => response.end("<html>"), "manifest_invalid"],
    ["an invalid version", json({ ...manifest, packages: { "@svc/brain": "newest" } }), "manifest_invalid"],
    ["more bytes than allowed", (response) => response.end("x".repeat(300_000)), "manifest_invalid"],
    ["a failure", (response) => response.writeHead(500).end(), "fetch_failed"],
    ["a redirect", (response) => response.writeHead(302, { location: "https://127.0.0.1:1/" }).end(), "fetch_failed"],
    ["no answer", (response) => response.destroy(), "fetch_failed"],
  ])("do not change after %s", async (_, answer, reason) => {
    const before = await snapshot();
    source.answerWith(answer);
    const refused = await check();
    expect([refused.status, refused.body.error, refused.body.details]).toEqual([409, "conflict", { reason }]);
    expect(await snapshot()).toEqual(before);
  });

  test("are those of the manifest after a check, in every process", async () => {
    source.answerWith(json({ ...manifest, more: "is not kept" }));
    const before = source.asked;
    const checked = await check();
    expect(checked.status).toBe(200);
    expect(checked.body).toEqual({
      ...manifest,
      generated_at: expect.stringMatching(/^2026-11-02T10:00:00/),
      source: "remote",
      fetched_at: expect.stringMatching(/\.\d{3}Z$/),
      fetched_from: source.url,
      check_for_updates_url: source.url,
    });
    expect(source.asked).toBe(before + 1);
    expect(await snapshot()).toEqual(checked.body);

    if (dialect === "sqlite") return;
    const { databaseUrl, home } = brain;
    await using another = await startTestBrain({ databaseUrl, home });
    const elsewhere = await another.as.root.get("/admin/system/versions");
    expect(elsewhere.body).toEqual({ ...checked.body, check_for_updates_url: null });
  });
});

describe("a version check", () => {
  test.each([
    ["is disabled without a URL", "", 404, "not_found", "check_disabled"],
    ["is refused over plain http", "http://127.0.0.1:9/svc.json", 409, "conflict", "not_https"],
  ])("%s", async (_, url, status, error, reason) => {
    await using brain = await startTestBrain({ env: { SVC_VERSION_CHECK_URL: url } });
    const refused = await brain.as.root.post("/admin/system/versions/check");
    expect([refused.status, refused.body.error, refused.body.details]).toEqual([status, error, { reason }]);
  });
});

describe("settings", () => {
  test("are shown with value, source and description, by name, and without secrets", async () => {
    const mail = "smtp://mailer:letmein-9d1f@mail.example.org";
    await using brain = await startTestBrain({
      env: {
        SVC_METRICS_AUTH_TOKEN: "metrics-token-4711-4711",
        SVC_TRUSTED_PROXIES: "10.0.0.0/8",
        SVC_MAIL_URL: mail,
        SVC_MAIL_FROM: "svc@example.org",
      },
    });
    const { body, text } = await brain.as.root.get("/admin/settings");
    expect(body.svc_home).toBe(brain.home);
    const rows = body.settings as { name: string; value: string; source: string; is_secret: boolean }[];
    expect(rows.map(({ name }) => name)).toEqual(rows.map(({ name }) => name).toSorted());
    const row = (name: string) => rows.find((one) => one.name === name);
    expect(row("SVC_TRUSTED_PROXIES")).toMatchObject({
      value: '["10.0.0.0/8"]',
      source: "environment",
      is_secret: false,
    });
    expect(row("SVC_BIND_PORT")).toMatchObject({ value: "7700", source: "default", is_secret: false });
    for (const name of [
      "SVC_SECRET",
      "SVC_METRICS_AUTH_TOKEN",
      "SVC_DATABASE_URL",
      "SVC_BOOTSTRAP_ADMIN_PASSWORD",
      "SVC_MAIL_URL",
    ]) {
      expect(row(name)).toMatchObject({ value: "***", is_secret: true });
    }
    for (const secret of ["metrics-token-4711", "letmein-9d1f", brain.databaseUrl]) expect(text).not.toContain(secret);
  });

  test("and versions are for administrators of the instance only", async () => {
    await using brain = await startTestBrain();
    const projectAdmin = await brain.addMember("pia", "admin");
    for (const caller of [projectAdmin, brain.as.auditor, brain.as.operator, brain.as.viewer, brain.as.stranger]) {
      const check = () => caller.post("/admin/system/versions/check");
      for (const ask of [() => caller.get("/admin/settings"), () => caller.get("/admin/system/versions"), check]) {
        const refused = await ask();
        expect([refused.status, refused.body.details]).toEqual([403, { required: "global_admin" }]);
      }
    }
    expect((await brain.as.anonymous.get("/admin/settings")).status).toBe(401);
  });
});
