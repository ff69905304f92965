import { useTestDatabase } from "@svc/testkit/databases";
import { beforeEach, describe, expect, test } from "vitest";
import { adminPassword, type Browser, useAccess } from "../../../test/fixtures/access-fixture.ts";
import type { EndedSessions } from "./index.ts";

const email = "mira@example.org";
const newPassword = "Cobalt-Meadow-58";
const opened = useTestDatabase("sqlite");
const fixture = useAccess(opened);
let browser: Browser;

beforeEach(async () => {
  await fixture.addUser(email);
  browser = await fixture.signIn(email);
});

describe("/auth/me", () => {
  /** The instant that many seconds from now on the server's clock. */
  const at = (seconds: number) => new Date(fixture.clock.now().getTime() + seconds * 1000).toISOString();

  test("shows the user without secrets, with memberships and the state of the second factor", async () => {
    const { body } = await browser.get("/auth/me");
    expect(body).toEqual({
      id: expect.any(String),
      email,
      first_name: null,
      last_name: null,
      display_name: null,
      is_admin: false,
      timezone: "UTC",
      created_at: expect.stringMatching(/\.\d{3}Z$/),
      memberships: [],
      mfa_required: false,
      mfa_enrollment_required: false,
      mfa_enrollment_deadline: null,
      session: { idle_expires_at: at(1800), expires_at: at(604_800) },
    });
  });

  test("shows when the session ends, which user requests extend and background requests do not", async () => {
    const limits = async (as: Browser, headers = {}) => (await as.get("/auth/me", headers)).body.session;
    const before = await limits(browser);
    fixture.clock.advance(600_000);
    expect(await limits(browser, { "x-svc-background": "1" })).toEqual(before);
    expect(await limits(browser)).toEqual({ ...before, idle_expires_at: at(1800) });

    fixture.clock.advance(1_800_000);
    expect((await browser.get("/auth/me", { "x-svc-background": "1" })).status).toBe(200);
    fixture.clock.advance(1);
    expect((await browser.get("/auth/me")).status).toBe(401);
  });

  test("shows no idle limit for a remembered session", async () => {
    const remembered = fixture.browser();
    await remembered.send("POST", "/auth/login", { email, password: adminPassword, remember_me: true });
    expect((await remembered.get("/auth/me")).body.session).toEqual({
      idle_expires_at: null,
      expires_at: at(2_592_000),
    });
  });

  test("answers 401 without a session", async () => {
    expect(await fixture.browser().get("/auth/me")).toMatchObject({ status: 401, body: { error: "unauthenticated" } });
  });

  test("changes only profile fields by PATCH", async () => {
    const changes = {
      display_name: "Mira",
      timezone: "Europe/Berlin",
      is_admin: true,
      email: "x@example.org",
      password_hash: "x",
    };
    const answer = await browser.send("PATCH", "/auth/me", changes);
    expect(answer).toMatchObject({
      status: 200,
      body: { display_name: "Mira", timezone: "Europe/Berlin", is_admin: false, email },
    });
    expect((await browser.get("/auth/me")).body).toMatchObject({ display_name: "Mira", is_admin: false, email });
    expect((await fixture.auditRows("user.updated"))[0]?.metadata).toBe('{"changed":["display_name","timezone"]}');
    expect((await fixture.signIn(email)).jar.size).toBe(3);
  });

  test.each([
    ["an unknown time zone", { timezone: "Mars/Olympus" }],
    ["an offset as time zone", { timezone: "+01:00" }],
    ["a name of 201 characters", { display_name: "x".repeat(201) }],
    ["a name with a line break", { first_name: "a\nb" }],
  ])("refuses %s with 422", async (_what, changes) => {
    expect((await browser.send("PATCH", "/auth/me", changes)).status).toBe(422);
  });
});

describe("POST /auth/change-password", () => {
  const change = (changes: object = {}) =>
    browser.send("POST", "/auth/change-password", {
      current_password: adminPassword,
      new_password: newPassword,
      ...changes,
    });

  test("replaces all sessions with a new one and keeps the remember flag", async () => {
    const remembered = await fixture.signIn(email, adminPassword, true);
    const ended: EndedSessions[] = [];
    fixture.sessions.onEnded((event) => void ended.push(event));
    browser = remembered;
    const before = remembered.jar.get("svc_session");
    const answer = await change();
    expect(answer).toMatchObject({ status: 200, body: { user: { email }, mfa_required: false } });
    expect(remembered.jar.get("svc_session")).not.toBe(before);
    expect(answer.cookies[0]).toMatchObject({ maxAge: 2_592_000 });
    expect((await remembered.get("/auth/me")).status).toBe(200);
    expect((await remembered.get("/auth/sessions")).body.items).toHaveLength(1);
    expect(ended[0]?.sessionIds).toHaveLength(2);
    expect((await fixture.browser().send("POST", "/auth/login", { email, password: adminPassword })).status).toBe(401);
    expect((await fixture.signIn(email, newPassword)).jar.size).toBe(3);
    expect(await fixture.auditRows("auth.password_changed")).toMatchObject([{ result: "success" }]);
  });

  test("answers a wrong current password with 422 invalid_password and counts it toward the lock", async () => {
    for (let index = 0; index < 3; index += 1) {
      const answer = await change({ current_password: "wrong" });
      expect(answer).toMatchObject({ status: 422, body: { details: { reason: "invalid_password" } } });
    }
    expect((await change()).body.details.reason).toBe("invalid_password");
    expect((await fixture.browser().send("POST", "/auth/login", { email, password: adminPassword })).status).toBe(401);
  });

  test.each([
    ["too short", "Abc-12345"],
    ["of too few character classes", "harbourviolet"],
    ["a common one", "Password1234!"],
    ["built from the address of the account", `${email}-2026`],
  ])("answers 422 for a new password that is %s", async (_what, password) => {
    const answer = await change({ new_password: password });
    expect(answer).toMatchObject({ status: 422, body: { error: "validation_error" } });
    expect(answer.body.details.errors[0].loc).toEqual(["body", "new_password"]);
    expect(JSON.stringify(answer.body)).not.toContain(password);
    expect((await browser.get("/auth/me")).status).toBe(200);
  });
});

describe("the sessions of a user", () => {
  test("are listed newest first with the current one marked, and never with their secrets", async () => {
    fixture.clock.advance(1000);
    await fixture.signIn(email);
    const { items } = (await browser.get("/auth/sessions")).body;
    expect(items.map((item: { is_current: boolean }) => item.is_current)).toEqual([false, true]);
    expect(Object.keys(items[0]).sort()).toEqual(
      ["expires_at", "id", "ip_at_issue", "is_current", "issued_at", "last_seen_at", "user_agent_at_issue"].sort(),
    );
    expect(items[0].ip_at_issue).toBe("127.0.0.1");
  });

  test("are not listed once their limits have passed", async () => {
    fixture.clock.advance(1_700_000);
    const fresh = await fixture.signIn(email);
    fixture.clock.advance(100_001);
    expect((await fresh.get("/auth/sessions")).body.items).toHaveLength(1);
  });

  test("are revoked individually by their owner only, and revoking again returns false", async () => {
    const other = await fixture.signIn(email);
    await fixture.addUser("stranger@example.org");
    const stranger = await fixture.signIn("stranger@example.org");
    const { items } = (await other.get("/auth/sessions")).body;
    const { id } = items.find((item: { is_current: boolean }) => item.is_current);
    const revoke = (as: Browser) => as.send("POST", `/auth/sessions/${id}/revoke`);
    expect((await revoke(stranger)).body).toEqual({ revoked: false });
    expect((await other.get("/auth/me")).status).toBe(200);
    expect((await revoke(browser)).body).toEqual({ revoked: true });
    expect((await other.get("/auth/me")).status).toBe(401);
    expect((await revoke(browser)).body).toEqual({ revoked: false });
    expect(await fixture.auditRows("auth.session_revoked")).toHaveLength(1);
  });

  test("can all be revoked except the current one", async () => {
    const others = [await fixture.signIn(email), await fixture.signIn(email)];
    expect((await browser.send("POST", "/auth/sessions/revoke-others")).body).toEqual({ revoked: 2 });
    for (const other of others) expect((await other.get("/auth/me")).status).toBe(401);
    expect((await browser.get("/auth/me")).status).toBe(200);
    expect((await browser.send("POST", "/auth/sessions/revoke-others")).body).toEqual({ revoked: 0 });
  });
});

test("GET /auth/policy shows the rules for passwords", async () => {
  expect((await browser.get("/auth/policy")).body).toEqual({
    min_length: 12,
    max_length: 256,
    required_character_classes: 3,
    character_class_names: ["lowercase", "uppercase", "digit", "symbol"],
    exempt_length: 16,
  });
});
