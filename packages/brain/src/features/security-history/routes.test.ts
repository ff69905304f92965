import { routeDialects, useTestDatabase } from "@svc/testkit/databases";
import { type MailServer, type ReceivedMail, startMailServer } from "@svc/testkit/services/mail";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { adminPassword, type Browser, useAccess } from "../../../test/fixtures/access-fixture.ts";
import { ownOrigin } from "../audit/index.ts";
import { pruneSecurityHistory } from "./index.ts";

const email = "mira@example.org";
const newPassword = "Granite-Orchard-58";
const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

for (const dialect of routeDialects) {
  describe(`the security history on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    let server: MailServer;
    const fixture = useAccess(opened, () => ({ SVC_MAIL_URL: server.url, SVC_MAIL_FROM: "svc@example.org" }));
    let browser: Browser;
    let userId: string;

    beforeAll(async () => {
      server = await startMailServer();
    });
    afterAll(() => server.stop());
    beforeEach(async () => {
      userId = (await fixture.addUser(email)).id;
      browser = await fixture.signIn(email);
    });

    const history = async (path = "/auth/security-history") => (await browser.get(path)).body;
    const kinds = async () => (await history()).items.map(({ kind }: { kind: string }) => kind);
    const key = { name: "deploy", scopes: ["projects:read"] };
    const login = (as: Browser, password = adminPassword, address = email) =>
      as.send("POST", "/auth/login", { email: address, password }, { "user-agent": firefox });
    /** Notices of the same instant have no defined order. */
    const later = () => fixture.clock.advance(1000);
    /** Takes the next mail. Each test takes all mails that it causes, so that none is left for the following test. */
    const taken = async (subject: string): Promise<ReceivedMail> => {
      const mail = await server.take();
      expect(mail).toMatchObject({ subject, to: [email] });
      return mail;
    };

    test("is empty after the first sign-in, which sends nothing but makes the browser known", async () => {
      expect(await history()).toEqual({ items: [], next_cursor: null });
      expect((await login(browser)).status).toBe(200);
      expect(await history()).toEqual({ items: [], next_cursor: null });
    });

    test("treats the browser of the setup as the first one of its account", async () => {
      await opened.database.write((tx) => tx.deleteFrom("users").execute());
      await fixture.setup.begin();
      const token = /token=([\w-]+)/.exec(fixture.links[0] ?? "")?.[1];
      const body = { token, email, password: adminPassword };
      const first = fixture.browser();
      expect((await first.send("POST", "~/setup/complete", body)).status).toBe(200);
      expect(first.jar.has("svc_device")).toBe(true);
      browser = first;
      await login(first);
      expect(await kinds()).toEqual([]);
      await login(fixture.browser());
      expect(await kinds()).toEqual(["sign_in.new_device"]);
      await taken("Sign-in from a new device");
    });

    test("contains a sign-in from a new browser, with its mail", async () => {
      const other = fixture.browser("192.0.2.9");
      await login(other);
      const { items } = await history();
      expect(items).toEqual([
        {
          id: expect.any(String),
          occurred_at: fixture.clock.now().toISOString(),
          kind: "sign_in.new_device",
          source_ip: "192.0.2.9",
          user_agent: firefox,
          details: {},
        },
      ]);
      const { text } = await taken("Sign-in from a new device");
      expect(text).toContain("Address: 192.0.2.9. Browser: Firefox on Linux.");
      expect(text).toContain("http://localhost:7700/me/security");
      await login(other);
      expect(await kinds()).toEqual(["sign_in.new_device"]);
    });

    test("knows a browser for one account only, and for both once each has signed in from it", async () => {
      await fixture.addUser("ben@example.org");
      const bens = await fixture.signIn("ben@example.org");
      // Mira signs in where Ben did: his cookie does not count for her.
      await login(bens);
      await taken("Sign-in from a new device");
      const cookie = bens.jar.get("svc_device");
      await login(bens, adminPassword, "ben@example.org");
      await login(bens);
      expect(bens.jar.get("svc_device")).toBe(cookie);
      expect(await kinds()).toEqual(["sign_in.new_device"]);
    });

    test("accepts no device cookie that the service did not issue, and stores cookies as digests", async () => {
      const planted = "A".repeat(43);
      const other = fixture.browser();
      for (const value of [planted, "x", "A".repeat(44)]) {
        other.jar.set("svc_device", value);
        await login(other);
        await taken("Sign-in from a new device");
        expect(other.jar.get("svc_device")).not.toBe(value);
      }
      const rows = await opened.database.read.selectFrom("known_devices").selectAll().execute();
      expect(JSON.stringify(rows)).not.toContain(other.jar.get("svc_device"));
    });

    test("a device cookie is not a credential", async () => {
      const thief = fixture.browser();
      thief.jar.set("svc_device", browser.jar.get("svc_device") ?? "");
      expect((await thief.get("/auth/me")).status).toBe(401);
    });

    test("contains the owner's actions with address and browser, and mails those that another person may have taken", async () => {
      expect((await browser.send("POST", "/api-keys", key)).status).toBe(201);
      expect((await taken("New API key")).text).toContain('The API key "deploy" (svk_');
      later();
      const factor = await fixture.enroll(browser);
      await taken("Second factor added");
      later();
      await browser.send("POST", "/auth/mfa/trusted-devices", { label: "Laptop" });
      later();
      await browser.send("POST", "/auth/mfa/recovery-codes/regenerate");
      later();
      await browser.send("POST", "/auth/mfa/disable", { password: adminPassword, code: factor.code() });
      await taken("Second factor removed");
      later();
      const change = { current_password: adminPassword, new_password: newPassword, revoke_api_keys: true };
      expect((await browser.send("POST", "/auth/change-password", change)).status).toBe(200);
      expect((await taken("Password changed")).text).toContain("1 API key was revoked.");
      const { items } = await history();
      expect(items.map(({ kind, details }: { kind: string; details: object }) => [kind, details])).toEqual([
        ["password.changed", { by: "owner", api_keys_revoked: 1 }],
        ["factor.removed", { by: "owner" }],
        ["recovery_codes.regenerated", {}],
        ["device.trusted", { name: "Laptop" }],
        ["factor.added", { replaced: false }],
        ["api_key.created", { name: "deploy", prefix: expect.stringMatching(/^svk_.{4}$/) }],
      ]);
      for (const { source_ip } of items) expect(source_ip).toBe("127.0.0.1");
      // Neither mails nor log contain a secret.
      for (const text of [...server.mails.map(({ raw }) => raw), ...fixture.logged])
        expect(text).not.toMatch(/svk_[A-Za-z0-9_-]{10}/);
    });

    test("contains actions of administrators and operators, without their address", async () => {
      await fixture.addUser("root@example.org", { isAdmin: true });
      const root = await fixture.signIn("root@example.org");
      await browser.send("POST", "/api-keys", key);
      await taken("New API key");
      expect((await root.send("DELETE", `/users/${userId}/api-keys`)).body).toEqual({ revoked: 1 });
      later();
      await root.send("POST", `/users/${userId}/password`, { new_password: newPassword });
      expect((await taken("Password changed")).text).toContain("was changed by an administrator.");
      later();
      browser = fixture.browser();
      await login(browser, newPassword);
      await taken("Sign-in from a new device");
      await fixture.enroll(browser);
      await taken("Second factor added");
      expect(await fixture.mfa.reset({ userId, origin: ownOrigin })).toBe(0);
      expect((await taken("Second factor removed")).text).toContain("by an operator of the server");
      const about = (await history()).items.filter(({ details }: { details: { by?: string } }) => details.by);
      expect(about).toMatchObject([
        { kind: "factor.removed", source_ip: null, user_agent: null, details: { by: "operator" } },
        { kind: "password.changed", source_ip: null, user_agent: null, details: { by: "administrator" } },
        { kind: "api_keys.revoked", source_ip: null, details: { by: "administrator", api_keys_revoked: 1 } },
      ]);
    });

    test("contains no failed actions", async () => {
      const change = { current_password: "wrong", new_password: newPassword };
      expect((await browser.send("POST", "/auth/change-password", change)).status).toBe(422);
      expect((await browser.send("POST", "/api-keys", { ...key, scopes: ["users:read"] })).status).toBe(403);
      expect((await login(fixture.browser(), "wrong")).status).toBe(401);
      expect(await kinds()).toEqual([]);
    });

    test("mails one kind at most ten times an hour, and shows all events, page by page", async () => {
      for (let index = 0; index < 12; index += 1) {
        later();
        await login(fixture.browser());
      }
      later();
      await browser.send("POST", "/api-keys", key);
      await fixture.history.settled();
      const subjects: string[] = [];
      for (let index = 0; index < 11; index += 1) subjects.push((await server.take()).subject);
      expect(subjects.toSorted()).toEqual(["New API key", ...Array(10).fill("Sign-in from a new device")]);
      const first = await history("/auth/security-history?limit=5");
      expect(first.items[0].kind).toBe("api_key.created");
      const second = await history(`/auth/security-history?limit=100&cursor=${first.next_cursor}`);
      expect(second.next_cursor).toBeNull();
      const ids = [...first.items, ...second.items].map(({ id }: { id: string }) => id);
      expect(new Set(ids).size).toBe(13);
      fixture.clock.advance(3_600_000);
      await login(fixture.browser());
      await taken("Sign-in from a new device");
    });

    test("is the caller's own, requires a session, and treats an invalid cursor as the top", async () => {
      await fixture.addUser("ben@example.org");
      const ben = await fixture.signIn("ben@example.org");
      await browser.send("POST", "/api-keys", key);
      await taken("New API key");
      expect((await ben.get("/auth/security-history")).body.items).toEqual([]);
      expect((await fixture.browser().get("/auth/security-history")).status).toBe(401);
      expect((await history("/auth/security-history?cursor=nonsense")).items).toHaveLength(1);
    });

    const id = (index: number) => `01890000-0000-7000-8000-${String(index).padStart(12, "0")}`;
    const left = async (table: "account_notices" | "known_devices") =>
      (await opened.database.read.selectFrom(table).select("id").orderBy("id").execute()).map((row) => row.id);
    /** Adds `count` browsers, a millisecond apart until `untilMs` ago, each seen again after `againMs`. */
    async function addDevices(from: number, count: number, { untilMs = 0, againMs = 0 }) {
      const devices = Array.from({ length: count }, (_, index) => {
        const createdMs = fixture.clock.now().getTime() - untilMs - (count - index);
        return {
          ...{ id: id(from + index), user_id: userId, token_hash: `${from + index}` },
          ...{ created_at: new Date(createdMs), last_seen_at: new Date(createdMs + againMs) },
        };
      });
      await opened.database.write((tx) => tx.insertInto("known_devices").values(devices).execute());
    }
    async function addNotices(from: number, count: number, kind: string) {
      const notices = Array.from({ length: count }, (_, index) => ({
        ...{ id: id(from + index), user_id: userId, kind, source_ip: null, user_agent: null, details: "{}" },
        occurred_at: new Date(fixture.clock.now().getTime() - 10_000_000 + from + index),
      }));
      await opened.database.write((tx) => tx.insertInto("account_notices").values(notices).execute());
    }
    const signInFromNewBrowser = async () => {
      await login(fixture.browser());
      await taken("Sign-in from a new device");
    };

    test("keeps the newest 500 notices of a user, and sign-ins displace no other kind beyond half of them", async () => {
      await addNotices(0, 250, "api_key.created");
      await addNotices(250, 250, "sign_in.new_device");
      await signInFromNewBrowser();
      const notices = await left("account_notices");
      expect([notices.length, notices[0], notices.includes(id(250))]).toEqual([500, id(0), false]);
      await addNotices(500, 1, "password.changed");
      await signInFromNewBrowser();
      expect((await left("account_notices")).slice(0, 2)).toEqual([id(1), id(2)]);
    });

    test("keeps 50 browsers of a user: those of a single recent sign-in displace each other, the newest first", async () => {
      await opened.database.write((tx) => tx.deleteFrom("known_devices").execute());
      await addDevices(0, 10, { untilMs: 1000, againMs: 1 });
      await addDevices(10, 10, { untilMs: 86_400_000 });
      await addDevices(20, 30, { untilMs: 1000 });
      const script = fixture.browser();
      await login(script);
      await taken("Sign-in from a new device");
      expect((await left("known_devices")).slice(0, -1)).toEqual(Array.from({ length: 49 }, (_, index) => id(index)));
      // The browser that has just signed in is known.
      await login(script);
      expect(await kinds()).toHaveLength(1);
    });

    test("removes an old browser with a single sign-in before one that was seen again", async () => {
      await opened.database.write((tx) => tx.deleteFrom("known_devices").execute());
      await addDevices(0, 25, { untilMs: 40 * 86_400_000, againMs: 1 });
      await addDevices(25, 25, { untilMs: 86_400_000 });
      await signInFromNewBrowser();
      const devices = await left("known_devices");
      expect([devices.length, devices.includes(id(0)), devices.includes(id(25))]).toEqual([50, true, false]);
    });

    test("is deleted past its retention, and with its account", async () => {
      await login(fixture.browser());
      await taken("Sign-in from a new device");
      const { clock } = fixture;
      const settings = { SVC_HISTORY_RETENTION_DAYS: 2 };
      const tick = () =>
        pruneSecurityHistory.tick({
          ...{ database: opened.database, clock, settings, signal: AbortSignal.timeout(10_000) },
        });
      // A notice that is two days older than the day before the newest one is deleted.
      clock.advance(3 * 86_400_000);
      await login(fixture.browser());
      await taken("Sign-in from a new device");
      expect(await tick()).toEqual({ deleted: 0 });
      clock.advance(1);
      await login(fixture.browser());
      await taken("Sign-in from a new device");
      expect(await tick()).toEqual({ deleted: 1 });
      await opened.database.write((tx) => tx.deleteFrom("users").where("id", "=", userId).execute());
      expect(await opened.database.read.selectFrom("known_devices").selectAll().execute()).toEqual([]);
    });
  });
}

describe("notices without a working mail server", () => {
  const opened = useTestDatabase("sqlite");
  let server: MailServer;
  const fixture = useAccess(opened, () => ({ SVC_MAIL_URL: server.url, SVC_MAIL_FROM: "svc@example.org" }));
  beforeAll(async () => {
    server = await startMailServer({ refuses: true });
  });
  afterAll(() => server.stop());

  test("do not delay the action, and many are logged once", async () => {
    await fixture.addUser(email);
    const browser = await fixture.signIn(email);
    for (let index = 0; index < 5; index += 1)
      expect((await browser.send("POST", "/api-keys", { name: "deploy", scopes: ["projects:read"] })).status).toBe(201);
    await fixture.history.settled();
    expect((await browser.get("/auth/security-history")).body.items).toHaveLength(5);
    const lines = fixture.logged.filter((line) => line.includes("mail.failed"));
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain(email);
  });
});
