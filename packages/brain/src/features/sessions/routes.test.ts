import { useTestDatabase } from "@svc/testkit/databases";
import { beforeEach, describe, expect, test } from "vitest";
import { adminPassword, startAccess, useAccess } from "../../../test/fixtures/access-fixture.ts";
import { createPasswords } from "../../platform/crypto/passwords.ts";
import { type EndedSessions, pruneSessions } from "./index.ts";

const email = "mira@example.org";
const otherPassword = "Cobalt-Meadow-58";
const opened = useTestDatabase("sqlite");
const fixture = useAccess(opened);

beforeEach(async () => {
  await fixture.addUser(email);
});

const login = (password: string, address = "127.0.0.1", as = email) =>
  fixture.browser(address).send("POST", "/auth/login", { email: as, password });
const sessionRows = () => opened.database.read.selectFrom("sessions").selectAll().execute();
const userRow = () => opened.database.read.selectFrom("users").selectAll().executeTakeFirstOrThrow();

describe("POST /auth/login", () => {
  test("returns the user and both cookies, and records user and address", async () => {
    const answer = await fixture
      .browser()
      .send("POST", "/auth/login", { email: " MIRA@example.org ", password: adminPassword });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      user: { email, is_admin: false },
      mfa_required: false,
      mfa_enrollment_required: false,
      mfa_enrollment_deadline: null,
    });
    const [session, csrf] = ["svc_session", "svc_csrf"].map((name) =>
      answer.cookies.find((cookie) => cookie.name === name),
    );
    expect(session).toMatchObject({ path: "/", httpOnly: true, sameSite: "Lax" });
    expect(session).not.toHaveProperty("maxAge");
    expect(csrf).toMatchObject({ path: "/", sameSite: "Strict" });
    expect(csrf).not.toHaveProperty("httpOnly");
    const [row] = await sessionRows();
    expect(JSON.stringify(row)).not.toContain(session?.value.split(".")[0]);
    expect(await fixture.auditRows("auth.login")).toMatchObject([{ user_id: answer.body.user.id, target_id: row?.id }]);
    expect((await userRow()).last_login_at).toEqual(fixture.clock.now());
  });

  test("uses prefixed secure cookies where the public URL is https", async () => {
    const secure = await startAccess(opened.database, {
      SVC_PUBLIC_URL: "https://svc.example.org",
      SVC_SESSION_COOKIE_SAMESITE: "strict",
    });
    const answer = await secure
      .browser()
      .send("POST", "/auth/login", { email, password: adminPassword }, { host: "svc.example.org" });
    const names = answer.cookies.map(({ name }) => name);
    expect(names).toEqual(["__Host-svc_session", "__Host-svc_csrf", "__Host-svc_device"]);
    expect(answer.cookies[0]).toMatchObject({ secure: true, httpOnly: true, sameSite: "Strict", path: "/" });
    expect(answer.cookies[0]).not.toHaveProperty("domain");
    expect(answer.cookies[2]).toMatchObject({
      ...{ secure: true, httpOnly: true, sameSite: "Lax", path: "/", maxAge: 400 * 86_400 },
      value: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
    });
    await secure.app.close();
  });

  test.each([
    ["a wrong password", email, otherPassword],
    ["an unknown email", "unknown@example.org", adminPassword],
    ["a malformed email", "x", adminPassword],
  ])("answers %s with the same 401 after the same minimum time", async (_what, as, password) => {
    const answer = await login(password, "127.0.0.1", as);
    expect(answer).toMatchObject({ status: 401, body: { error: "unauthenticated", details: {} } });
    expect(answer.cookies).toEqual([]);
    // The test's clock does not advance, so the whole minimum time remains.
    expect(fixture.pauses).toEqual([300]);
    expect(await fixture.auditRows("auth.login_failed")).toHaveLength(1);
  });

  test.each([
    ["right password", email, adminPassword],
    ["wrong password", email, otherPassword],
    ["unknown email", "unknown@example.org", adminPassword],
  ])(
    "answers a %s with the same 503 after the same minimum time while too many are waiting",
    async (_what, as, password) => {
      const full = await startAccess(opened.database, {}, { limits: { atOnce: 0, perSource: 0, maxWaiting: 0 } });
      const answer = await full.browser().send("POST", "/auth/login", { email: as, password });
      expect(answer).toMatchObject({ status: 503, body: { error: "unready", details: { reason: "passwords_full" } } });
      expect(answer.headers["retry-after"]).toBe("1");
      expect(answer.cookies).toEqual([]);
      expect(full.pauses).toEqual([300]);
      expect(await fixture.auditRows("auth.login_failed")).toEqual([]);
      expect(await userRow()).toMatchObject({ failed_logins: 0 });
      await full.app.close();
    },
  );

  test("answers an inactive account with the same 401", async () => {
    await opened.database.write((tx) => tx.updateTable("users").set({ is_active: false }).execute());
    expect((await login(adminPassword)).status).toBe(401);
  });

  test("locks the account for every address after the threshold of failures, and unlocks it after the duration", async () => {
    for (const address of ["10.0.0.1", "10.0.0.2", "10.0.0.3"]) await login(otherPassword, address);
    expect(await login(adminPassword, "10.0.0.4")).toMatchObject({ status: 401, body: { error: "unauthenticated" } });
    const reasons = (await fixture.auditRows("auth.login_failed")).map(({ metadata }) => JSON.parse(metadata).reason);
    expect(reasons).toEqual(["wrong_password", "wrong_password", "wrong_password", "locked"]);
    fixture.clock.advance(900_000);
    expect((await login(adminPassword)).status).toBe(200);
    expect(await userRow()).toMatchObject({ failed_logins: 0, locked_until: null });
  });

  test("counts failures since the last success only", async () => {
    await login(otherPassword);
    await login(otherPassword);
    await login(adminPassword);
    await login(otherPassword);
    await login(otherPassword);
    expect((await login(adminPassword)).status).toBe(200);
  });

  test("does not let attempts prolong the lock", async () => {
    for (let index = 0; index < 3; index += 1) await login(otherPassword);
    fixture.clock.advance(899_000);
    await login(otherPassword);
    fixture.clock.advance(1000);
    expect((await login(adminPassword)).status).toBe(200);
  });

  test("ends the presented session and reuses none of its values", async () => {
    const browser = await fixture.signIn(email);
    const before = new Map(browser.jar);
    await browser.send("POST", "/auth/login", { email, password: adminPassword });
    expect(browser.jar.get("svc_session")).not.toBe(before.get("svc_session"));
    expect(browser.jar.get("svc_csrf")).not.toBe(before.get("svc_csrf"));
    expect(await sessionRows()).toHaveLength(1);
    const stale = fixture.browser();
    for (const [name, value] of before) stale.jar.set(name, value);
    expect((await stale.get("/auth/me")).status).toBe(401);
  });

  test("replaces an outdated hash", async () => {
    const costlier = createPasswords({
      SVC_ARGON2_TIME_COST: 2,
      SVC_ARGON2_MEMORY_COST: 8192,
      SVC_ARGON2_PARALLELISM: 1,
    });
    const hash = await costlier.hash(adminPassword, "test");
    expect(fixture.passwords.isOutdated(hash)).toBe(true);
    await opened.database.write((tx) => tx.updateTable("users").set({ password_hash: hash }).execute());
    expect((await login(adminPassword)).status).toBe(200);
    expect(fixture.passwords.isOutdated((await userRow()).password_hash)).toBe(false);
    expect((await login(adminPassword)).status).toBe(200);
  });

  test("answers 429 after 20 requests a minute from one address", async () => {
    await fixture.app.ready();
    const body = { email: "unknown@example.org", password: 1 };
    for (let index = 0; index < 20; index += 1)
      expect((await fixture.browser().send("POST", "/auth/login", body)).status).toBe(422);
    const refused = await login(adminPassword);
    expect(refused).toMatchObject({ status: 429, body: { error: "rate_limited" } });
    expect(refused.body.detail).toMatch(/^too many requests; retry in \d+ seconds \(login\)$/);
    expect((await login(adminPassword, "10.0.0.1")).status).toBe(200);
  });

  test.each([
    ["a missing password", { email }],
    ["a password of 257 characters", { email, password: "x".repeat(257) }],
    ["an email of 321 characters", { email: "x".repeat(321), password: "x" }],
  ])("answers 422 for %s", async (_what, body) => {
    expect((await fixture.browser().send("POST", "/auth/login", body)).status).toBe(422);
  });

  test("refuses a foreign origin with 403 csrf_failed", async () => {
    const headers = { origin: "https://evil.example" };
    const answer = await fixture.browser().send("POST", "/auth/login", { email, password: adminPassword }, headers);
    expect(answer).toMatchObject({ status: 403, body: { error: "csrf_failed" } });
  });

  test("ends the presented session and announces it, so that its sockets close", async () => {
    const browser = await fixture.signIn(email);
    const [before] = await sessionRows();
    const ended: EndedSessions[] = [];
    fixture.sessions.onEnded((event) => void ended.push(event));
    await browser.send("POST", "/auth/login", { email, password: adminPassword });
    expect(ended).toEqual([{ userId: before?.user_id, sessionIds: [before?.id] }]);
    expect(await sessionRows()).toEqual([expect.not.objectContaining({ id: before?.id })]);
    await login(adminPassword);
    expect(ended).toHaveLength(1);
  });
});

describe("a session", () => {
  test("ends after the idle timeout, and activity within it counts", async () => {
    const browser = await fixture.signIn(email);
    for (let index = 0; index < 3; index += 1) {
      fixture.clock.advance(1_800_000);
      expect((await browser.get("/auth/me")).status).toBe(200);
      await expect.poll(async () => (await sessionRows())[0]?.last_seen_at).toEqual(fixture.clock.now());
    }
    fixture.clock.advance(1_800_001);
    expect(await browser.get("/auth/me")).toMatchObject({ status: 401, body: { error: "unauthenticated" } });
  });

  test("continues with an idle limit as short as the precision of last_seen_at", async () => {
    const own = await startAccess(opened.database, { SVC_SESSION_IDLE_TIMEOUT_SECONDS: 60 });
    const browser = await own.signIn(email);
    const userId = (await browser.get("/auth/me")).body.id;
    const context = { address: "127.0.0.1", userAgent: undefined };
    const actor = await own.sessions.session(browser.jar.get("svc_session") ?? "", context);
    for (const seconds of [20, 20, 19, 21, 59, 60]) {
      own.clock.advance(seconds * 1000);
      expect((await browser.get("/auth/sessions")).body.items).toHaveLength(1);
      expect(await own.sessions.holderOf(actor?.sessionId ?? "")).toEqual({ userId, isAdmin: false });
      const writtenMs = () => sessionRows().then(([row]) => row?.last_seen_at.getTime() ?? 0);
      await expect.poll(async () => own.clock.now().getTime() - (await writtenMs())).toBeLessThan(60_000);
    }
    own.clock.advance(60_001);
    expect(await own.sessions.holderOf(actor?.sessionId ?? "")).toBeNull();
    expect((await browser.get("/auth/me")).status).toBe(401);
    await own.app.close();
  });

  test.each([
    ["background requests", { "x-svc-background": "1" }],
    // A live view reconnects automatically.
    ["requests to open a socket", { connection: "upgrade", upgrade: "websocket" }],
  ])("is not kept alive by %s", async (_what, headers) => {
    const browser = await fixture.signIn(email);
    fixture.clock.advance(1_700_000);
    expect((await browser.get("/auth/me", headers as Record<string, string>)).status).toBe(200);
    fixture.clock.advance(100_001);
    expect((await browser.get("/auth/me")).status).toBe(401);
  });

  test("writes last_seen_at at most once per 60 seconds", async () => {
    const browser = await fixture.signIn(email);
    const issued = fixture.clock.now();
    fixture.clock.advance(59_999);
    await browser.get("/auth/me");
    fixture.clock.advance(1);
    await browser.get("/auth/me");
    await expect.poll(async () => (await sessionRows())[0]?.last_seen_at).toEqual(new Date(issued.getTime() + 60_000));
  });

  test("ends at the absolute limit even if it is in use", async () => {
    const browser = await fixture.signIn(email);
    await opened.database.write((tx) =>
      tx
        .updateTable("sessions")
        .set({ last_seen_at: new Date(fixture.clock.now().getTime() + 604_800_000) })
        .execute(),
    );
    fixture.clock.advance(604_799_999);
    expect((await browser.get("/auth/me")).status).toBe(200);
    fixture.clock.advance(1);
    expect((await browser.get("/auth/me")).status).toBe(401);
    const { clock } = fixture;
    const signal = AbortSignal.timeout(10_000);
    expect(await pruneSessions.tick({ database: opened.database, clock, signal })).toEqual({ deleted: 1 });
  });

  test("has its own lifetime and no idle limit when it is remembered", async () => {
    const browser = fixture.browser();
    const answer = await browser.send("POST", "/auth/login", { email, password: adminPassword, remember_me: true });
    expect(answer.cookies[0]).toMatchObject({ maxAge: 2_592_000 });
    fixture.clock.advance(2_591_999_999);
    expect((await browser.get("/auth/me")).status).toBe(200);
    fixture.clock.advance(1);
    expect((await browser.get("/auth/me")).status).toBe(401);
  });

  test("ends with its user's account", async () => {
    const browser = await fixture.signIn(email);
    await opened.database.write((tx) => tx.updateTable("users").set({ is_active: false }).execute());
    expect((await browser.get("/auth/me")).status).toBe(401);
  });

  test("is valid only for its own browser when browsers are pinned", async () => {
    const pinned = await startAccess(opened.database, { SVC_SESSION_PIN_USER_AGENT: true });
    const browser = pinned.browser();
    const headers = { "user-agent": "first" };
    await browser.send("POST", "/auth/login", { email, password: adminPassword }, headers);
    expect((await browser.get("/auth/me", headers)).status).toBe(200);
    expect((await browser.get("/auth/me", { "user-agent": "second" })).status).toBe(401);
    await pinned.app.close();
  });

  test("is not accepted from a forged, changed or unsigned cookie", async () => {
    const browser = await fixture.signIn(email);
    const value = browser.jar.get("svc_session") ?? "";
    const [random] = value.split(".");
    for (const forged of ["x", random ?? "", `${random}.${"A".repeat(43)}`, `${value}A`]) {
      browser.jar.set("svc_session", forged);
      expect((await browser.get("/auth/me")).status).toBe(401);
    }
  });
});

describe("POST /auth/logout", () => {
  test("ends the session, clears its cookies except the device cookie, and answers 204", async () => {
    const browser = await fixture.signIn(email);
    const kept = new Map(browser.jar);
    const answer = await browser.send("POST", "/auth/logout");
    expect(answer.status).toBe(204);
    expect([...browser.jar.keys()]).toEqual(["svc_device"]);
    for (const [name, value] of kept) browser.jar.set(name, value);
    expect((await browser.get("/auth/me")).status).toBe(401);
    expect(await fixture.auditRows("auth.logout")).toHaveLength(1);
  });

  test("refuses a request without the CSRF token with 403 and keeps the session", async () => {
    const browser = await fixture.signIn(email);
    const answer = await browser.send("POST", "/auth/logout", undefined, { "x-csrf-token": "wrong" });
    expect(answer).toMatchObject({ status: 403, body: { error: "csrf_failed" } });
    expect((await browser.get("/auth/me")).status).toBe(200);
  });
});
