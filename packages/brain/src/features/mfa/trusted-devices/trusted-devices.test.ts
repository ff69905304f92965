import { routeDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeEach, describe, expect, test } from "vitest";
import { adminPassword, type Browser, startAccess, useAccess } from "../../../../test/fixtures/access-fixture.ts";
import { ownOrigin } from "../../audit/index.ts";
import { pruneTrustedDevices } from "../index.ts";

const email = "mira@example.org";
const cookieName = "svc_mfa_trust";
const unknown = { status: 404, body: { error: "not_found", details: { resource: "trusted_device" } } };
const base = "/auth/mfa/trusted-devices";

for (const dialect of routeDialects) {
  describe(`a trusted device on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const fixture = useAccess(opened);
    let browser: Browser;

    beforeEach(async () => {
      await fixture.addUser(email);
      browser = await fixture.signIn(email);
      await fixture.enroll(browser);
    });

    const days = (count: number) => fixture.clock.advance(count * 86_400_000);
    const trust = (as = browser, body?: unknown) => as.send("POST", base, body);
    const list = async (as = browser) => (await as.get(base)).body.items;
    const rows = () => opened.database.read.selectFrom("trusted_devices").selectAll().execute();
    /** Signs in with the trusted-device cookie of another browser, or a made-up one. */
    async function returning(cookie: string | undefined, as = email, password = adminPassword) {
      const returned = fixture.browser();
      if (cookie !== undefined) returned.jar.set(cookieName, cookie);
      const { status, body } = await returned.send("POST", "/auth/login", { email: as, password });
      expect(status).toBe(200);
      return { returned, isAsked: body.mfa_required as boolean };
    }

    test("is created by POST with an HttpOnly cookie, and stored without it", async () => {
      const answer = await trust(browser, { label: "Desk" });
      expect(answer).toMatchObject({ status: 201, body: { label: "Desk", revoked_at: null, is_current: true } });
      expect(Object.keys(answer.body).sort()).toEqual(
        ["created_at", "expires_at", "id", "is_current", "label", "last_seen_at", "revoked_at"].sort(),
      );
      const [cookie] = answer.cookies;
      expect(cookie).toMatchObject({
        name: cookieName,
        httpOnly: true,
        sameSite: "Strict",
        path: "/",
        maxAge: 2_592_000,
      });
      expect(cookie?.value).toMatch(/^[A-Za-z0-9_-]{43}$/);
      expect(JSON.stringify([await rows(), fixture.logged])).not.toContain(cookie?.value);
      expect(await list()).toEqual([answer.body]);
      expect(await fixture.auditRows("user.mfa_device_trusted")).toMatchObject([{ target_id: answer.body.id }]);
    });

    test("has a prefixed secure cookie where the public URL is https", async () => {
      const secure = await startAccess(opened.database, { SVC_PUBLIC_URL: "https://svc.example.org" });
      const own = secure.browser();
      const host = { host: "svc.example.org" };
      const login = await own.send("POST", "/auth/login", { email, password: adminPassword }, host);
      const csrf = own.jar.get("__Host-svc_csrf") ?? "";
      await opened.database.write((tx) =>
        tx.updateTable("sessions").set({ mfa_verified_at: secure.clock.now() }).execute(),
      );
      expect(login.body.mfa_required).toBe(true);
      const answer = await own.send("POST", base, {}, { ...host, "x-csrf-token": csrf });
      expect(answer.cookies[0]).toMatchObject({
        name: "__Host-svc_mfa_trust",
        secure: true,
        httpOnly: true,
        path: "/",
      });
      expect(answer.cookies[0]).not.toHaveProperty("domain");
      await secure.app.close();
    });

    test("is created by verify on request, and named after the browser", async () => {
      const fresh = await fixture.signIn(email);
      const factor = await fixture.enroll(browser);
      const headers = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" };
      const body = { code: factor.code(), remember_device: true };
      const answer = await fresh.send("POST", "/auth/mfa/verify", body, headers);
      expect(answer.status).toBe(200);
      expect(answer.cookies).toMatchObject([{ name: cookieName, httpOnly: true }]);
      expect(await list(fresh)).toMatchObject([{ label: "Firefox on Linux", is_current: true }]);
      expect(await list()).toMatchObject([{ is_current: false }]);
    });

    test("makes the code at sign-in unnecessary, but is never a fresh verification", async () => {
      await trust();
      const cookie = browser.jar.get(cookieName);
      fixture.clock.advance(60_000);
      const { returned, isAsked } = await returning(cookie);
      expect(isAsked).toBe(false);
      expect((await returned.get("/auth/sessions")).status).toBe(200);
      expect((await returned.get("/auth/me")).body.mfa_required).toBe(false);
      for (const path of ["/auth/mfa/recovery-codes/regenerate", base, "/auth/mfa/enroll-start"])
        expect(await returned.send("POST", path)).toMatchObject({
          status: 403,
          body: { error: "mfa_reverify_required" },
        });
      const [device] = await list(returned);
      expect(device).toMatchObject({ is_current: true, last_seen_at: fixture.clock.now().toISOString() });
      expect((await returning(undefined)).isAsked).toBe(true);
    });

    test("is valid for its own user only", async () => {
      await trust();
      await fixture.addUser("other@example.org");
      await fixture.enroll(await fixture.signIn("other@example.org"));
      expect((await returning(browser.jar.get(cookieName), "other@example.org")).isAsked).toBe(true);
    });

    test.each(["", "x", "A".repeat(43), "A".repeat(44), `${"A".repeat(42)}=`])(
      "is not the cookie %j",
      async (cookie) => {
        expect((await returning(cookie)).isAsked).toBe(true);
      },
    );

    test("ends at its expiry, and is then deleted", async () => {
      await trust();
      const cookie = browser.jar.get(cookieName);
      days(29);
      expect((await returning(cookie)).isAsked).toBe(false);
      const tick = () =>
        pruneTrustedDevices.tick({
          database: opened.database,
          clock: fixture.clock,
          signal: AbortSignal.timeout(10_000),
        });
      expect(await tick()).toEqual({ deleted: 0 });
      days(1);
      expect((await returning(cookie)).isAsked).toBe(true);
      expect(await tick()).toEqual({ deleted: 1 });
      expect(await rows()).toEqual([]);
    });

    test("can be revoked, which clears the cookie of its own browser only", async () => {
      const first = await trust();
      const other = await fixture.signIn(email);
      await opened.database.write((tx) =>
        tx.updateTable("sessions").set({ mfa_verified_at: fixture.clock.now() }).execute(),
      );
      const second = await trust(other);
      const revoke = (id: string) => browser.send("POST", `${base}/${id}/revoke`);
      const [ofOther, ofOwn] = [await revoke(second.body.id), await revoke(first.body.id)];
      expect([ofOther.status, ofOther.cookies]).toEqual([204, []]);
      expect(ofOwn).toMatchObject({ status: 204, cookies: [{ name: cookieName, value: "" }] });
      expect(browser.jar.has(cookieName)).toBe(false);
      expect((await returning(other.jar.get(cookieName))).isAsked).toBe(true);
      const revoked = { revoked_at: fixture.clock.now().toISOString(), is_current: false };
      expect(await list(other)).toMatchObject([revoked, revoked]);
      expect(await fixture.auditRows("user.mfa_device_revoked")).toHaveLength(2);
      expect(await revoke(first.body.id)).toMatchObject(unknown);
    });

    test("is renamed, with 1 to 200 characters", async () => {
      const { body } = await trust();
      const rename = (label: unknown) => browser.send("PATCH", `${base}/${body.id}`, { label });
      expect(await rename("Desk")).toMatchObject({ status: 200, body: { ...body, label: "Desk" } });
      expect(await list()).toMatchObject([{ label: "Desk" }]);
      for (const label of ["", "x".repeat(201), "a\nb", 1, undefined])
        expect(await rename(label)).toMatchObject({ status: 422, body: { error: "validation_error" } });
      expect(await fixture.auditRows("user.mfa_device_renamed")).toHaveLength(1);
    });

    test("is the same 404 when it belongs to another user, is unknown, revoked or expired", async () => {
      const { body } = await trust();
      await fixture.addUser("other@example.org");
      const other = await fixture.signIn("other@example.org");
      const both = async (as: Browser, id: string) => [
        await as.send("POST", `${base}/${id}/revoke`),
        await as.send("PATCH", `${base}/${id}`, { label: "x" }),
      ];
      const strangers = [
        ...(await both(other, body.id)),
        ...(await both(browser, "00000000-0000-4000-8000-000000000000")),
      ];
      await browser.send("POST", `${base}/${body.id}/revoke`);
      for (const answer of [...strangers, ...(await both(browser, body.id))]) expect(answer).toMatchObject(unknown);
      const expired = await trust();
      await opened.database.write((tx) =>
        tx.updateTable("trusted_devices").set({ expires_at: fixture.clock.now() }).execute(),
      );
      for (const answer of await both(browser, expired.body.id)) expect(answer).toMatchObject(unknown);
      expect((await browser.send("POST", `${base}/x/revoke`)).status).toBe(422);
    });

    test("replaces the oldest at the maximum, ended devices before valid ones", async () => {
      const browsers = [browser, ...(await Promise.all([1, 2, 3].map(() => fixture.signIn(email))))];
      await opened.database.write((tx) =>
        tx.updateTable("sessions").set({ mfa_verified_at: fixture.clock.now() }).execute(),
      );
      const labels = async () => (await list()).map(({ label }: { label: string }) => label);
      for (const [index, as] of browsers.entries()) {
        fixture.clock.advance(1000);
        await trust(as, { label: `${index}` });
      }
      expect(await labels()).toEqual(["3", "2", "1"]);
      const [newest] = await list();
      await browser.send("POST", `${base}/${newest.id}/revoke`);
      fixture.clock.advance(1000);
      await trust(browser, { label: "4" });
      expect(await labels()).toEqual(["4", "2", "1"]);
      // The same browser replaces its earlier entry.
      await trust(browser, { label: "5" });
      expect(await labels()).toEqual(["5", "2", "1"]);
    });

    test("ends with a changed password, with its cookie", async () => {
      await trust();
      const cookie = browser.jar.get(cookieName);
      const newPassword = "Cobalt-Meadow-58";
      const change = { current_password: adminPassword, new_password: newPassword };
      expect((await browser.send("POST", "/auth/change-password", change)).status).toBe(200);
      expect(browser.jar.has(cookieName)).toBe(false);
      expect((await returning(cookie, email, newPassword)).isAsked).toBe(true);
      const [changed] = await fixture.auditRows("auth.password_changed");
      expect(JSON.parse(changed?.metadata ?? "")).toEqual({
        sessions_ended: 1,
        trusted_devices_ended: 1,
        api_keys_revoked: 0,
      });
    });

    test("survives a sign-out, for the next sign-in", async () => {
      await trust();
      await browser.send("POST", "/auth/logout");
      expect(browser.jar.has(cookieName)).toBe(true);
      expect((await returning(browser.jar.get(cookieName))).isAsked).toBe(false);
    });

    test("ends when the factor is removed, and the user then signs in without one", async () => {
      await trust();
      const user = await fixture.users.findByEmail(email);
      const remove = () => fixture.mfa.reset({ userId: user?.id ?? "", origin: ownOrigin });
      await remove();
      await expect(remove()).rejects.toMatchObject({ code: "conflict", details: { reason: "not_enrolled" } });
      expect((await rows())[0]?.revoked_at).not.toBeNull();
      expect((await browser.get("/auth/mfa/status")).body).toMatchObject({
        enrolled: false,
        remaining_recovery_codes: 0,
      });
      expect((await returning(undefined)).isAsked).toBe(false);
    });
  });
}
