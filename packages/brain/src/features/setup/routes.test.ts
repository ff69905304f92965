import { useTestDatabase } from "@svc/testkit/databases";
import { beforeEach, describe, expect, test } from "vitest";
import { adminEmail, adminPassword, startAccess, useAccess } from "../../../test/fixtures/access-fixture.ts";

const opened = useTestDatabase("sqlite");
const fixture = useAccess(opened);
let token: string;

const body = (changes: object = {}) => ({
  token,
  email: adminEmail,
  display_name: "Mira",
  password: adminPassword,
  ...changes,
});
const complete = (changes: object = {}, address?: string) =>
  fixture.browser(address).send("POST", "~/setup/complete", body(changes));
const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
const formHeaders = { "content-type": "application/x-www-form-urlencoded", accept: "text/html,*/*" };

const tokenOf = (link: string | undefined) => /^#token=(.+)$/.exec(new URL(link ?? "").hash)?.[1] ?? "";

beforeEach(async () => {
  await fixture.setup.begin();
  token = tokenOf(fixture.links[0]);
});

describe("POST /api/v1/setup/complete", () => {
  test("creates the administrator and the project default, and signs in", async () => {
    const browser = fixture.browser();
    const answer = await browser.send("POST", "~/setup/complete", body());
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      user: { email: adminEmail, display_name: "Mira", is_admin: true, timezone: "UTC" },
    });
    expect(JSON.stringify(answer.body)).not.toContain("hash");
    const me = await browser.get("/auth/me");
    expect(me.body.memberships).toEqual([
      { project_id: answer.body.project_id, project_slug: "default", project_name: "Default", role: "admin" },
    ]);
    const [completed] = await fixture.auditRows("setup.completed");
    expect(completed).toMatchObject({ user_id: answer.body.user.id, source_ip: "127.0.0.1", result: "success" });
    expect(await fixture.auditRows("project.created")).toHaveLength(1);
    expect(await fixture.auditRows("user.created")).toHaveLength(1);
  });

  test("answers 409 already_initialised once it is complete, for any body", async () => {
    await complete();
    for (const changes of [{}, { token: "x" }, { password: "short" }]) {
      const answer = await complete(changes);
      expect(answer).toMatchObject({
        status: 409,
        body: { error: "conflict", details: { reason: "already_initialised" } },
      });
    }
  });

  test("accepts one of two concurrent requests", async () => {
    const answers = await Promise.all([complete(), complete({ email: "other@example.org" })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await opened.database.read.selectFrom("users").select("id").execute()).toHaveLength(1);
  });

  test("answers 401 for a wrong token and records the attempt without it", async () => {
    const answer = await complete({ token: "a".repeat(43) });
    expect(answer).toMatchObject({
      status: 401,
      body: { error: "unauthenticated", details: { reason: "invalid_token" } },
    });
    const [attempt] = await fixture.auditRows("setup.attempt");
    expect(attempt).toMatchObject({ result: "failed", metadata: '{"reason":"invalid_token"}' });
  });

  test("answers 401 for an expired token", async () => {
    fixture.clock.advance(900_000);
    expect((await complete()).status).toBe(401);
  });

  test.each([
    ["a malformed email", { email: "mira" }],
    ["a token that is too short", { token: "short" }],
    ["a password of 7 characters", { password: "Ab1-xyz" }],
    ["a password of 257 characters", { password: "a1B-".repeat(65) }],
    ["a common password", { password: "password" }],
    ["a blank name", { display_name: "  " }],
  ])("answers 422 for %s and keeps the token usable", async (_what, changes) => {
    const refused = await complete(changes, "10.0.0.1");
    expect(refused).toMatchObject({ status: 422, body: { error: "validation_error" } });
    expect(refused.body.details.errors[0].loc).toEqual(["body", Object.keys(changes)[0]]);
    expect((await complete()).status).toBe(200);
  });

  test.each<[string, string, string[], { display_name?: string }?]>([
    ["of 8 characters", "harbours", ["password_too_short", "password_too_few_classes"]],
    ["of one class", "harbourlantern", ["password_too_few_classes"]],
    ["of adjacent keys", "qwertyuiopasdfgh", ["password_sequence"]],
    ["of one block repeated", "harbour-harbour-", ["password_repeated"]],
    ["built from the address", `${adminEmail}-1`, ["password_personal"]],
    ["built from the name", "Mira-Lanternfield-1", ["password_personal"], { display_name: "Mira Lanternfield" }],
    ["that is a common one", "Summer2026!!", ["password_common"]],
  ])("applies the whole policy to the first password: one %s is 422", async (_what, password, types, more = {}) => {
    const refused = await complete({ password, ...more });
    expect(refused).toMatchObject({ status: 422, body: { error: "validation_error" } });
    expect(refused.body.details.errors.map(({ type }: { type: string }) => type)).toEqual(types);
    const fields = { token, email: adminEmail, ...more, password };
    expect((await fixture.browser().send("POST", "/setup", form(fields), formHeaders)).status).toBe(422);
    expect((await complete()).status).toBe(200);
  });

  test("answers 429 after five requests from one address in 15 minutes", async () => {
    for (let index = 0; index < 5; index += 1) expect((await complete({ token: "a".repeat(43) })).status).toBe(401);
    const refused = await complete();
    expect(refused).toMatchObject({ status: 429, body: { error: "rate_limited" } });
    expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(900);
    expect((await complete({}, "10.0.0.9")).status).toBe(200);
  });

  test("answers 429 when the audit log shows that the address has reached its limit, here or in another process", async () => {
    const attempt = { action: "setup.attempt", target_type: "setup", result: "failed", source_ip: "10.0.0.7" };
    await fixture.audit.record(Array.from({ length: 30 }, () => attempt));
    expect((await complete({}, "10.0.0.7")).status).toBe(429);
    expect((await complete({}, "10.0.0.8")).status).toBe(200);
  });

  test("counts the attempts in the audit log from one IPv6 /64 together", async () => {
    const attempt = { action: "setup.attempt", target_type: "setup", result: "failed" };
    const from = (host: number) => ({ ...attempt, source_ip: `2001:db8:1:2::${host}` });
    await fixture.audit.record(Array.from({ length: 30 }, (_, host) => from(host + 1)));
    expect((await complete({}, "2001:db8:1:2:3::1")).status).toBe(429);
    expect((await complete({}, "2001:db8:1:3::1")).status).toBe(200);
  });

  test("counts concurrent attempts before their rows are written", async () => {
    const wrong = { token: "a".repeat(43) };
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, index) => complete(wrong, `10.3.${index >> 5}.${index % 32}`)),
    );
    const counts = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect(counts(401)).toBeGreaterThan(0);
    expect(counts(401)).toBeLessThanOrEqual(240);
    expect(counts(401) + counts(429)).toBe(300);
    expect(await fixture.auditRows("setup.attempt")).toHaveLength(counts(401));
  });

  test("answers 429 to every address when all together have reached eight times the limit of one", async () => {
    const attempt = { action: "setup.attempt", target_type: "setup", result: "failed" };
    const from = (index: number) => ({ ...attempt, source_ip: `10.1.${index >> 5}.${index % 32}` });
    await fixture.audit.record(Array.from({ length: 239 }, (_, index) => from(index)));
    const wrong = { token: "a".repeat(43) };
    expect((await complete(wrong, "10.2.0.1")).status).toBe(401);
    const refused = await complete({}, "10.2.0.2");
    expect(refused).toMatchObject({ status: 429, body: { error: "rate_limited" } });
    expect(refused.headers["retry-after"]).toBe("900");

    fixture.clock.advance(16 * 60_000);
    await fixture.browser().get("/setup");
    token = tokenOf(fixture.links.at(-1));
    expect((await complete({}, "10.2.0.2")).status).toBe(200);
  });

  test("refuses a page of another origin with 403 csrf_failed", async () => {
    const answer = await fixture.browser().send("POST", "~/setup/complete", body(), { origin: "https://evil.example" });
    expect(answer).toMatchObject({ status: 403, body: { error: "csrf_failed" } });
  });
});

describe("GET /api/v1/setup/status", () => {
  test("shows anyone that setup is open", async () => {
    expect(await fixture.browser().get("~/setup/status")).toMatchObject({ status: 200, body: { first_boot: true } });
  });

  test("answers 401 without a session and false to signed-in users once it is closed", async () => {
    const browser = fixture.browser();
    await browser.send("POST", "~/setup/complete", body());
    expect((await fixture.browser().get("~/setup/status")).status).toBe(401);
    expect(await browser.get("~/setup/status")).toMatchObject({ status: 200, body: { first_boot: false } });
  });
});

describe("the page at /setup", () => {
  test("is a form that needs no script, with a field for the token and the strict content security policy", async () => {
    const answer = await fixture.browser().get("/setup");
    expect(answer.status).toBe(200);
    expect(answer.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(answer.headers["content-security-policy"]).toContain("default-src 'self'");
    expect(answer.body).toMatch(/<input id="token" name="token" value="" [^>]*required/);
    expect(answer.body).toContain('method="post" action="/setup"');
    expect(answer.body).not.toMatch(/<script(?! src="\/setup\/page\.js" defer><\/script>)|style=|<style/);
    const style = await fixture.browser().get("/setup/page.css");
    expect(style.headers["content-type"]).toBe("text/css; charset=utf-8");
    const script = await fixture.browser().get("/setup/page.js");
    expect(script.headers["content-type"]).toBe("text/javascript; charset=utf-8");
  });

  test("shows the minutes left for the newest link, where to find it, and the password rules", async () => {
    const minutesLeft = async () =>
      /data-seconds-left="(\d+)">(\d+) minutes? left/.exec(String((await fixture.browser().get("/setup")).body));
    expect((await minutesLeft())?.slice(1)).toEqual(["900", "15"]);
    fixture.clock.advance(61_000);
    expect((await minutesLeft())?.slice(1)).toEqual(["839", "14"]);
    const refused = await fixture
      .browser()
      .send("POST", "/setup", form({ token: "wrong-token", email: adminEmail, password: adminPassword }), formHeaders);
    expect(refused.body).toContain("14 minutes left");
    expect(refused.body).toContain("use the newest link in the server log");
    expect(refused.body).toContain("12 to 256 characters");
  });

  test("ignores a token in the query string", async () => {
    expect(fixture.links[0]).toMatch(/\/setup#token=[\w-]{43}$/);
    const answer = await fixture.browser().get(`/setup?token=${token}`);
    expect(answer.status).toBe(200);
    expect(answer.body).not.toContain(token);
  });

  test("escapes a token that it shows again", async () => {
    const fields = { token: '"><script>alert(1)</script>', email: adminEmail, password: adminPassword };
    const answer = await fixture.browser().send("POST", "/setup", form(fields), formHeaders);
    expect(answer.body).not.toContain("<script>");
    expect(answer.body).toContain("&quot;&gt;&lt;script&gt;");
  });

  test("creates the administrator from a posted form and leads to the first project, signed in", async () => {
    const browser = fixture.browser();
    const fields = { token, email: adminEmail, display_name: "", password: adminPassword };
    const answer = await browser.send("POST", "/setup", form(fields), formHeaders);
    expect(answer.status).toBe(303);
    expect(answer.headers.location).toBe("http://localhost:7700/p/default");
    expect((await browser.get("/auth/me")).body).toMatchObject({ email: adminEmail, display_name: null });
  });

  test("shows the form again with the errors, without the password, under the same status as the API", async () => {
    const fields = { token: "wrong-token-wrong-token", email: "a@b.c", display_name: "<b>", password: adminPassword };
    const answer = await fixture.browser().send("POST", "/setup", form(fields), formHeaders);
    expect(answer.status).toBe(401);
    expect(answer.body).toContain('role="alert"');
    expect(answer.body).toContain('value="a@b.c"');
    expect(answer.body).toContain("&lt;b&gt;");
    expect(answer.body).not.toContain(adminPassword);
    const short = await fixture
      .browser()
      .send("POST", "/setup", form({ ...fields, token, password: "x" }), formHeaders);
    expect(short.status).toBe(422);
    expect(short.body).toContain("The password");
  });

  test("answers the envelope to a client that does not ask for a page", async () => {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const answer = await fixture.browser().send("POST", "/setup", form({ token: "wrong-token" }), headers);
    expect(answer).toMatchObject({ status: 422, body: { error: "validation_error" } });
  });

  test("answers 404 after setup, and 409 to a late form", async () => {
    await complete();
    expect((await fixture.browser().get("/setup")).status).toBe(404);
    const page = await fixture.browser().get("/setup", { accept: "text/html" });
    expect(page.status).toBe(404);
    expect(page.body).toContain("Setup is complete");
    const fields = { token, email: adminEmail, password: adminPassword };
    expect((await fixture.browser().send("POST", "/setup", form(fields), formHeaders)).status).toBe(409);
  });

  test("prints a new link when the last one has expired", async () => {
    fixture.clock.advance(900_000);
    await Promise.all([fixture.browser().get("/setup"), fixture.browser().get("/setup")]);
    expect(fixture.links).toHaveLength(2);
    token = tokenOf(fixture.links[1]);
    expect((await complete()).status).toBe(200);
  });
});

describe("the first start", () => {
  test("stores the digest of the token, not the token", async () => {
    const rows = await opened.database.read.selectFrom("first_boot_tokens").selectAll().execute();
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(fixture.logged.join("")).not.toContain(token);
  });

  test("prints no link once an account exists", async () => {
    await complete();
    await fixture.setup.begin();
    expect(fixture.links).toHaveLength(1);
  });

  test("creates the administrator from the settings", async () => {
    const bootstrapped = await startAccess(opened.database, {
      SVC_BOOTSTRAP_ADMIN_EMAIL: "root@example.org",
      SVC_BOOTSTRAP_ADMIN_PASSWORD: adminPassword,
    });
    await bootstrapped.setup.begin();
    expect(bootstrapped.links).toEqual([]);
    const root = await bootstrapped.signIn("root@example.org");
    expect((await root.get("/projects")).body).toMatchObject([{ slug: "default", name: "Default" }]);
    expect((await complete()).status).toBe(409);
    await bootstrapped.app.close();
  });

  test.each([
    ["a malformed email", { SVC_BOOTSTRAP_ADMIN_EMAIL: "root", SVC_BOOTSTRAP_ADMIN_PASSWORD: adminPassword }],
    ["no password", { SVC_BOOTSTRAP_ADMIN_EMAIL: "root@example.org" }],
    ["a weak password", { SVC_BOOTSTRAP_ADMIN_EMAIL: "root@example.org", SVC_BOOTSTRAP_ADMIN_PASSWORD: "password" }],
    ["a short one", { SVC_BOOTSTRAP_ADMIN_EMAIL: "root@example.org", SVC_BOOTSTRAP_ADMIN_PASSWORD: "harbours" }],
  ])(
    "falls back to a link when the settings contain %s, and logs the name of the setting without its value",
    async (_what, settings) => {
      const fallback = await startAccess(opened.database, settings);
      await fallback.setup.begin();
      expect(fallback.links).toHaveLength(1);
      expect(fallback.logged.join("")).toContain("setup.bootstrap_refused");
      expect(fallback.logged.join("")).not.toMatch(/root@example|"password"/);
      await fallback.app.close();
    },
  );
});
