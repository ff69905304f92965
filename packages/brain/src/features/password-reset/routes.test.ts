import { randomUUID } from "node:crypto";
import { routeDialects, useTestDatabase } from "@svc/testkit/databases";
import { type MailServer, startMailServer } from "@svc/testkit/services/mail";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { adminPassword, type Browser, startAccess, useAccess } from "../../../test/fixtures/access-fixture.ts";
import type { EndedSessions } from "../sessions/index.ts";

const email = "mira@example.org";
const newPassword = "Cobalt-Meadow-58";

for (const dialect of routeDialects) {
  describe(`password reset on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    let mail: MailServer;
    const fixture = useAccess(opened, () => ({ SVC_MAIL_URL: mail.url, SVC_MAIL_FROM: "svc@example.org" }));
    let userId: string;

    beforeAll(async () => {
      mail = await startMailServer();
    });
    afterAll(() => mail.stop());
    beforeEach(async () => {
      userId = (await fixture.addUser(email)).id;
    });

    const ask = (address = email, from = "127.0.0.1", headers = {}) =>
      fixture.browser(from).send("POST", "/auth/password-reset/request", { email: address }, headers);
    const confirm = (token: string, password = newPassword, from = "127.0.0.1") =>
      fixture.browser(from).send("POST", "/auth/password-reset/confirm", { token, new_password: password });
    const login = (password: string) => fixture.browser().send("POST", "/auth/login", { email, password });
    const accepted = { status: 200, body: { accepted: true } };
    const notFound = { status: 404, body: { error: "not_found" } };
    /** The next mail with a link, skipping notices about the account. */
    const linkMail = () => mail.takeAbout("Reset your password");

    async function mailedToken(address = email): Promise<string> {
      expect(await ask(address)).toMatchObject(accepted);
      const { text } = await linkMail();
      return /\/reset\/confirm#token=([\w-]+)/.exec(text)?.[1] ?? "";
    }
    const reasons = async () =>
      (await fixture.auditRows("auth.password_reset_requested")).map(({ metadata }) => JSON.parse(metadata).reason);

    test("sets a new password with the mailed link and ends everything opened with the old one", async () => {
      const before = await fixture.signIn(email);
      const minted = await before.send("POST", "/api-keys", { name: "deploy", scopes: ["projects:read"] });
      const withKey = () => fixture.browser().get("/projects", { authorization: `Bearer ${minted.body.token}` });
      expect((await withKey()).status).toBe(200);
      const now = fixture.clock.now();
      const device = { id: randomUUID(), user_id: userId, token_hash: "d", label: "Firefox", revoked_at: null };
      const times = { created_at: now, last_seen_at: now, expires_at: new Date(now.getTime() + 60_000) };
      await opened.database.write((tx) =>
        tx
          .insertInto("trusted_devices")
          .values({ ...device, ...times })
          .execute(),
      );
      const ended: EndedSessions[] = [];
      fixture.sessions.onEnded((event) => void ended.push(event));
      const other = await mailedToken();
      const token = await mailedToken();

      const answer = await confirm(token);

      expect(answer).toMatchObject({ status: 200, body: { success: true }, cookies: [] });
      expect((await before.get("/auth/me")).status).toBe(401);
      expect((await withKey()).status).toBe(401);
      const [key] = await opened.database.read.selectFrom("api_keys").selectAll().execute();
      expect(key).toMatchObject({ revoked_at: fixture.clock.now(), revoked_reason: "password_reset" });
      expect(ended).toMatchObject([{ userId }]);
      expect((await login(adminPassword)).status).toBe(401);
      expect((await login(newPassword)).status).toBe(200);
      expect(await opened.database.read.selectFrom("trusted_devices").selectAll().execute()).toEqual([]);
      expect(await confirm(token, adminPassword)).toMatchObject(notFound);
      expect(await confirm(other, adminPassword)).toMatchObject(notFound);
      expect(await fixture.auditRows("auth.password_reset_requested")).toMatchObject([
        { user_id: userId, target_id: userId, result: "success" },
        { user_id: userId, target_id: userId, result: "success" },
      ]);
      expect(await fixture.auditRows("auth.password_reset_completed")).toMatchObject([
        { user_id: userId, metadata: '{"api_keys_revoked":1,"sessions_ended":1,"trusted_devices_ended":1}' },
      ]);
    });

    test("mails a link under SVC_PUBLIC_URL, regardless of the request's host", async () => {
      const headers = { "x-forwarded-host": "evil.example.org", forwarded: "host=evil.example.org", host: "127.0.0.1" };
      expect(await ask(email, "127.0.0.1", headers)).toMatchObject(accepted);
      const { to, subject, text, html } = await linkMail();
      expect(to).toEqual([email]);
      expect(subject).toBe("Reset your password");
      expect(text).toMatch(/\r\nhttp:\/\/localhost:7700\/reset\/confirm#token=[\w-]{43}\r\n/);
      expect(`${text}${html}`).not.toContain("evil");
    });

    test("does not change a second factor or its lock, and creates no session", async () => {
      const mfa = {
        mfa_secret: "v1.sealed",
        mfa_enrolled_at: fixture.clock.now(),
        mfa_failed_codes: 3,
        mfa_last_step: 7,
      };
      await opened.database.write((tx) => tx.updateTable("users").set(mfa).where("id", "=", userId).execute());
      await confirm(await mailedToken());
      expect(await fixture.users.findById(userId)).toMatchObject(mfa);
      expect(await opened.database.read.selectFrom("sessions").selectAll().execute()).toEqual([]);
    });

    test("lifts a lock caused by wrong passwords", async () => {
      for (let attempt = 0; attempt < 3; attempt += 1) await login("Wrong-Password-1");
      expect((await login(adminPassword)).status).toBe(401);
      await confirm(await mailedToken());
      expect((await login(newPassword)).status).toBe(200);
    });

    test("gives the same answer for existing, inactive and unknown accounts and for malformed addresses", async () => {
      const idle = await fixture.addUser("idle@example.org");
      await opened.database.write((tx) =>
        tx.updateTable("users").set({ is_active: false }).where("id", "=", idle.id).execute(),
      );
      const answers = [];
      for (const address of [email, "unknown@example.org", "idle@example.org", "no address", ""]) {
        const { status, body, cookies } = await ask(address);
        answers.push({ status, body, cookies });
      }
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
      await fixture.passwordReset.settled();
      expect((await linkMail()).to).toEqual([email]);
      const rows = await fixture.auditRows("auth.password_reset_requested");
      expect(rows.map(({ user_id, result }) => [user_id, result]).sort()).toEqual(
        [
          [null, "failed"],
          [null, "failed"],
          [null, "failed"],
          [idle.id, "failed"],
          [userId, "success"],
        ].sort(),
      );
      expect((await reasons()).filter(Boolean).sort()).toEqual([
        "inactive",
        "unknown_email",
        "unknown_email",
        "unknown_email",
      ]);
    });

    /** No link can be created for the account until this is released. */
    async function holdAccount(): Promise<{ release(): Promise<void> }> {
      const end = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<void>();
      const held = opened.database.write(async (tx) => {
        await fixture.users.lock(tx, userId);
        begun.resolve();
        await end.promise;
      });
      await begun.promise;
      return {
        release() {
          end.resolve();
          return held;
        },
      };
    }

    test("answers a request before a link is created", async () => {
      const account = await holdAccount();
      expect(await ask()).toMatchObject(accepted);
      expect(await fixture.auditRows("auth.password_reset_requested")).toEqual([]);
      await account.release();
      expect((await linkMail()).to).toEqual([email]);
    });

    test("drops requests while 100 are in progress, and logs that once a minute", async () => {
      const account = await holdAccount();
      const dropped = () =>
        fixture.logged.map((line) => JSON.parse(line)).filter(({ event }) => event === "password_reset.dropped");
      for (let n = 0; n < 140; n += 1) expect(await ask(email, `10.0.${n}.1`)).toMatchObject(accepted);
      expect(dropped()).toMatchObject([{ requests: 1 }]);
      fixture.clock.advance(60_000);
      expect(await ask(email, "10.1.0.1")).toMatchObject(accepted);
      expect(dropped()).toMatchObject([{ requests: 1 }, { requests: 40 }]);
      await account.release();
      await fixture.passwordReset.settled();
      expect((await reasons()).filter((reason) => reason === "dropped")).toHaveLength(41);
      for (let index = 0; index < 3; index += 1) await mail.take();
    });

    test("gives the same answer and creates no link without mail", async () => {
      const silent = await startAccess(opened.database);
      const answer = await silent.browser().send("POST", "/auth/password-reset/request", { email });
      expect(answer).toMatchObject(accepted);
      await silent.passwordReset.settled();
      expect(await opened.database.read.selectFrom("password_reset_tokens").selectAll().execute()).toEqual([]);
      await silent.app.close();
      expect(await reasons()).toEqual(["mail_not_configured"]);
    });

    test("allows an account three working links and never invalidates one for another", async () => {
      const first = await mailedToken();
      await mailedToken();
      await mailedToken();
      expect(await ask()).toMatchObject(accepted);
      await fixture.passwordReset.settled();
      expect((await reasons()).at(-1)).toBe("too_many_links");
      expect(await opened.database.read.selectFrom("password_reset_tokens").selectAll().execute()).toHaveLength(3);
      expect((await confirm(first)).status).toBe(200);
    });

    test("accepts a token for 30 minutes", async () => {
      const token = await mailedToken();
      fixture.clock.advance(30 * 60_000 - 1);
      const late = await mailedToken();
      fixture.clock.advance(1);
      expect(await confirm(token)).toMatchObject(notFound);
      expect((await confirm(late)).status).toBe(200);
    });

    test("answers the same 404 to an unknown token and to that of an inactive account", async () => {
      const token = await mailedToken();
      await opened.database.write((tx) =>
        tx.updateTable("users").set({ is_active: false }).where("id", "=", userId).execute(),
      );
      const bodies = [await confirm(token), await confirm("x".repeat(43))].map(({ status, body }) => {
        const { request_id: _, ...rest } = body;
        return { status, ...rest };
      });
      expect(bodies[0]).toMatchObject({ status: 404, error: "not_found" });
      expect(bodies[0]).toEqual(bodies[1]);
    });

    test("answers 422 to a password that the policy rejects, and the token still works", async () => {
      const token = await mailedToken();
      expect(await confirm(token, "lowercase1234")).toMatchObject({
        status: 422,
        body: { error: "validation_error", details: { errors: [{ loc: ["body", "new_password"] }] } },
      });
      expect(await confirm(token, "Mira-Example-2026")).toMatchObject({
        status: 422,
        body: { details: { errors: [{ loc: ["body", "new_password"], type: "password_personal" }] } },
      });
      expect((await confirm(token)).status).toBe(200);
    });

    test.each([
      ["a token of 9 characters", { token: "x".repeat(9), new_password: newPassword }],
      ["a token of 257 characters", { token: "x".repeat(257), new_password: newPassword }],
      ["a password of 7 characters", { token: "x".repeat(43), new_password: "Aa1-xyz" }],
      ["a password of 257 characters", { token: "x".repeat(43), new_password: `Aa1-${"x".repeat(253)}` }],
      ["no token", { new_password: newPassword }],
    ])("answers 422 to %s", async (_what, body) => {
      expect((await fixture.browser().send("POST", "/auth/password-reset/confirm", body)).status).toBe(422);
    });

    test("shares one limit of 10 per minute between request and confirm", async () => {
      for (let index = 0; index < 5; index += 1) {
        await ask("unknown@example.org", "10.0.0.9");
        await confirm("x".repeat(43), newPassword, "10.0.0.9");
      }
      const refused = await ask(email, "10.0.0.9");
      expect(refused).toMatchObject({ status: 429, body: { error: "rate_limited" } });
      expect(refused.body.detail).toMatch(/^too many requests; retry in \d+ seconds \(password-reset\)$/);
      expect((await confirm("x".repeat(43), newPassword, "10.0.0.9")).status).toBe(429);
      expect((await ask("unknown@example.org", "10.0.0.10")).status).toBe(200);
      await fixture.passwordReset.settled();
    });

    test("is refused to pages of other origins, and ignores cookies", async () => {
      const origin = { origin: "https://evil.example.org" };
      expect(await ask(email, "127.0.0.1", origin)).toMatchObject({ status: 403, body: { error: "csrf_failed" } });
      const signedIn: Browser = await fixture.signIn(email);
      const body = { email: "unknown@example.org" };
      const answer = await signedIn.send("POST", "/auth/password-reset/request", body, { "x-csrf-token": "" });
      expect(answer).toMatchObject(accepted);
      await fixture.passwordReset.settled();
    });

    test("keeps tokens as digests, and out of log and audit", async () => {
      const token = await mailedToken();
      await confirm(token);
      const next = await mailedToken();
      const [stored] = await opened.database.read.selectFrom("password_reset_tokens").selectAll().execute();
      expect(stored?.token_hash).toMatch(/^[0-9a-f]{64}$/);
      const rows = await opened.database.read.selectFrom("audit_log").selectAll().execute();
      const visible = fixture.logged.join("") + JSON.stringify([stored, rows]);
      for (const secret of [token, next, newPassword, mail.password]) expect(visible).not.toContain(secret);
    });
  });
}
