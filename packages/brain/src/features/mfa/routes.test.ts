import { type SecondFactor, totpCode } from "@svc/testkit";
import { routeDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeEach, describe, expect, test } from "vitest";
import { adminPassword, type Browser, useAccess } from "../../../test/fixtures/access-fixture.ts";

const email = "mira@example.org";
const wrongCode = { status: 422, body: { error: "validation_error", details: { reason: "invalid_code" } } };
const locked = { status: 403, body: { error: "forbidden", details: { reason: "mfa_locked" } } };
const pending = { status: 403, body: { error: "mfa_reverify_required", details: { reason: "mfa_pending" } } };
const stale = { status: 403, body: { error: "mfa_reverify_required" } };

const plain = (code: string): string => code.replaceAll("-", "");

for (const dialect of routeDialects) {
  describe(`on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const fixture = useAccess(opened);
    let browser: Browser;
    let factor: SecondFactor;

    beforeEach(async () => {
      await fixture.addUser(email);
      browser = await fixture.signIn(email);
    });

    const post = (path: string, body?: unknown, as = browser) => as.send("POST", `/auth/mfa/${path}`, body);
    const status = async (as = browser) => (await as.get("/auth/mfa/status")).body;
    const userRow = () => opened.database.read.selectFrom("users").selectAll().executeTakeFirstOrThrow();
    const minutes = (count: number) => fixture.clock.advance(count * 60_000);
    const actions = async () =>
      (await opened.database.read.selectFrom("audit_log").select("action").orderBy("occurred_us").execute())
        .map(({ action }) => action)
        .filter((action) => action.includes("mfa"));

    describe("enrolling", () => {
      test("returns a secret, then recovery codes, and marks this session as verified", async () => {
        expect(await status()).toEqual({
          enrolled: false,
          enrolled_at: null,
          remaining_recovery_codes: 0,
          enrollment_required: false,
          enrollment_deadline: null,
        });
        const begun = await post("enroll-start");
        expect(begun).toMatchObject({ status: 200, body: { secret_base32: expect.stringMatching(/^[A-Z2-7]{32}$/) } });
        expect(begun.body.provisioning_url).toContain(`secret=${begun.body.secret_base32}`);
        expect((await status()).enrolled).toBe(false);
        const code = totpCode(begun.body.secret_base32, fixture.clock.now());
        const done = await post("enroll-complete", { code });
        expect(done.status).toBe(200);
        expect(done.body.recovery_codes).toHaveLength(10);
        expect(await status()).toMatchObject({
          enrolled: true,
          enrolled_at: fixture.clock.now().toISOString(),
          remaining_recovery_codes: 10,
        });
        expect((await browser.get("/auth/me")).body.mfa_required).toBe(false);
        expect((await post("recovery-codes/regenerate")).status).toBe(200);
        expect(await actions()).toEqual(["user.mfa_enrolled", "user.mfa_codes_regenerated"]);
      });

      test("stores neither secret nor recovery codes in plain text", async () => {
        factor = await fixture.enroll(browser);
        const tables = ["users", "mfa_recovery_codes", "audit_log"] as const;
        const rows = await Promise.all(
          tables.map((table) => opened.database.read.selectFrom(table).selectAll().execute()),
        );
        const text = JSON.stringify([rows, fixture.logged]);
        for (const secret of [factor.secret, ...factor.recoveryCodes, ...factor.recoveryCodes.map(plain)])
          expect(text).not.toContain(secret);
        expect((await userRow()).mfa_secret).toMatch(/^v1\.[0-9a-f]{8}\./);
      });

      test("accepts only the code of the latest secret, and refuses others with 422 invalid_code", async () => {
        const first = await post("enroll-start");
        const second = await post("enroll-start");
        const codeOf = (begun: typeof first) => totpCode(begun.body.secret_base32, fixture.clock.now());
        expect(await post("enroll-complete", { code: codeOf(first) })).toMatchObject(wrongCode);
        expect((await status()).enrolled).toBe(false);
        expect((await post("enroll-complete", { code: codeOf(second) })).status).toBe(200);
      });

      test("cannot be completed before it is begun: 409 enrollment_not_started", async () => {
        expect(await post("enroll-complete", { code: "123456" })).toMatchObject({
          status: 409,
          body: { error: "conflict", details: { reason: "enrollment_not_started" } },
        });
      });

      test("uses up the step of its code", async () => {
        const { body } = await post("enroll-start");
        const code = totpCode(body.secret_base32, fixture.clock.now());
        await post("enroll-complete", { code });
        expect(await post("verify", { code })).toMatchObject(wrongCode);
      });

      test("requires a fresh verification while a factor is active, and keeps that factor until the new one is confirmed", async () => {
        browser = await fixture.signIn(email, adminPassword, true);
        factor = await fixture.enroll(browser);
        minutes(61);
        for (const path of ["enroll-start", "enroll-complete"])
          expect(await post(path, { code: factor.code() })).toMatchObject(stale);
        fixture.clock.advance(60_000);
        await post("verify", { code: factor.code() });
        const begun = await post("enroll-start");
        expect(begun.status).toBe(200);
        minutes(1);
        expect((await post("verify", { code: factor.code() })).status).toBe(200);
        minutes(1);
        const code = totpCode(begun.body.secret_base32, fixture.clock.now());
        expect((await post("enroll-complete", { code })).status).toBe(200);
        minutes(1);
        expect(await post("verify", { code: factor.code() })).toMatchObject(wrongCode);
        expect(await post("verify", { code: factor.recoveryCodes[0] })).toMatchObject(wrongCode);
        const next = totpCode(begun.body.secret_base32, fixture.clock.now());
        expect((await post("verify", { code: next })).status).toBe(200);
      });

      test("again ends verifications by the earlier factor: other sessions' stamps and trusted devices", async () => {
        factor = await fixture.enroll(browser);
        const other = await fixture.signIn(email);
        await post("verify", { code: factor.code(), remember_device: true }, other);
        expect((await other.get("/auth/sessions")).status).toBe(200);
        await fixture.enroll(browser);
        expect(await other.get("/auth/sessions")).toMatchObject(pending);
        const returned = fixture.browser();
        returned.jar.set("svc_mfa_trust", other.jar.get("svc_mfa_trust") ?? "");
        const signedIn = await returned.send("POST", "/auth/login", { email, password: adminPassword });
        expect(signedIn.body.mfa_required).toBe(true);
      });
    });

    describe("with a second factor", () => {
      beforeEach(async () => {
        factor = await fixture.enroll(browser);
        minutes(1);
      });

      test("a sign-in opens only verify, me, status and logout until the code", async () => {
        const fresh = fixture.browser();
        const login = await fresh.send("POST", "/auth/login", { email, password: adminPassword });
        expect(login.body).toMatchObject({ mfa_required: true, mfa_enrollment_required: false });
        expect((await fresh.get("/auth/me")).body).toMatchObject({ mfa_required: true });
        expect((await fresh.get("/auth/mfa/status")).status).toBe(200);
        for (const path of [
          "/auth/sessions",
          "/auth/policy",
          "/projects",
          "/health/system",
          "/auth/mfa/trusted-devices",
        ])
          expect(await fresh.get(path)).toMatchObject(pending);
        for (const path of ["enroll-start", "recovery-codes/regenerate", "trusted-devices"])
          expect(await post(path, undefined, fresh)).toMatchObject(pending);
        expect(await post("enroll-complete", { code: factor.code() }, fresh)).toMatchObject(pending);
        const disable = { password: adminPassword, code: factor.code() };
        expect(await post("disable", disable, fresh)).toMatchObject(pending);
        expect((await fresh.send("POST", "/auth/change-password", {})).status).not.toBe(200);

        minutes(1);
        const verified = await post("verify", { code: factor.code() }, fresh);
        expect(verified).toMatchObject({ status: 200, body: { ok: true, used_recovery_code: false } });
        expect(verified.cookies).toEqual([]);
        expect((await fresh.get("/auth/sessions")).status).toBe(200);
        expect((await fresh.get("/auth/me")).body.mfa_required).toBe(false);
      });

      test("a session that waits for its code can end itself", async () => {
        const fresh = await fixture.signIn(email);
        expect((await fresh.send("POST", "/auth/logout")).status).toBe(204);
      });

      test("sessions older than the enrollment also wait for a code", async () => {
        await fixture.addUser("other@example.org");
        const [before, enrolling] = [
          await fixture.signIn("other@example.org"),
          await fixture.signIn("other@example.org"),
        ];
        expect((await before.get("/auth/sessions")).status).toBe(200);
        await fixture.enroll(enrolling);
        expect(await before.get("/auth/sessions")).toMatchObject(pending);
      });

      test("a code is accepted with a space, as apps show it", async () => {
        const code = factor.code();
        expect((await post("verify", { code: `${code.slice(0, 3)} ${code.slice(3)}` })).status).toBe(200);
      });

      test("a code is accepted once, and no earlier one afterwards", async () => {
        const [present, next] = [factor.code(), factor.code()];
        expect((await post("verify", { code: next })).status).toBe(200);
        for (const code of [next, present]) expect(await post("verify", { code })).toMatchObject(wrongCode);
      });

      test("a recovery code is accepted once, in any case and without hyphens, and by verify only", async () => {
        const [code = "", other = ""] = factor.recoveryCodes;
        const disable = { password: adminPassword, code: other };
        expect(await post("disable", disable)).toMatchObject(wrongCode);
        const used = await post("verify", { code: plain(code).toLowerCase() });
        expect(used.body).toEqual({ ok: true, used_recovery_code: true, remaining_recovery_codes: 9 });
        expect(await post("verify", { code })).toMatchObject(wrongCode);
        expect((await status()).remaining_recovery_codes).toBe(9);
        const verified = await fixture.auditRows("auth.mfa_verified");
        expect(verified.map(({ metadata }) => JSON.parse(metadata))).toEqual([{ method: "recovery_code" }]);
      });

      test("recovery codes of other users are refused", async () => {
        await fixture.addUser("other@example.org");
        const other = await fixture.signIn("other@example.org");
        await fixture.enroll(other);
        expect(await post("verify", { code: factor.recoveryCodes[0] }, other)).toMatchObject(wrongCode);
      });

      test("regenerating replaces every recovery code", async () => {
        const { body } = await post("recovery-codes/regenerate");
        expect(body.recovery_codes).toHaveLength(10);
        expect(await post("verify", { code: factor.recoveryCodes[0] })).toMatchObject(wrongCode);
        const answer = await post("verify", { code: body.recovery_codes[0] });
        expect(answer.body).toMatchObject({ used_recovery_code: true, remaining_recovery_codes: 9 });
      });

      test("the threshold of wrong codes locks the factor, even for correct codes, until the lock ends", async () => {
        const guess = () => post("verify", { code: "ABCDE-FGHJK-MNPQR" });
        for (let index = 0; index < 3; index += 1) expect(await guess()).toMatchObject(wrongCode);
        expect((await fixture.auditRows("user.mfa_locked")).length).toBe(1);
        for (const code of [factor.code(), factor.recoveryCodes[0], "000000"])
          expect(await post("verify", { code })).toMatchObject(locked);
        const disable = { password: adminPassword, code: factor.code() };
        expect(await post("disable", disable)).toMatchObject(locked);
        expect((await status()).remaining_recovery_codes).toBe(10);

        minutes(14);
        expect(await guess()).toMatchObject(locked);
        minutes(1);
        expect((await post("verify", { code: factor.code() })).status).toBe(200);
        expect(await userRow()).toMatchObject({ mfa_failed_codes: 0, mfa_locked_until: null });
        expect((await fixture.auditRows("auth.mfa_failed")).map(({ metadata }) => JSON.parse(metadata).reason)).toEqual(
          [
            ...["invalid_code", "invalid_code", "invalid_code"],
            ...["mfa_locked", "mfa_locked", "mfa_locked", "mfa_locked"],
          ],
        );
      });

      test("wrong codes count since the last correct one only", async () => {
        const guess = () => post("verify", { code: "ABCDE-FGHJK-MNPQR" });
        for (const right of [factor.code(), factor.recoveryCodes[0]]) {
          await guess();
          await guess();
          expect((await post("verify", { code: right })).status).toBe(200);
        }
        await guess();
        expect(await guess()).toMatchObject(wrongCode);
        expect(await fixture.auditRows("user.mfa_locked")).toEqual([]);
      });

      test("fresh means verified within the period, to the second", async () => {
        await post("verify", { code: factor.code() });
        minutes(29);
        await browser.get("/auth/me");
        minutes(29);
        await browser.get("/auth/me");
        minutes(2);
        expect((await browser.send("POST", "/auth/step-up", { password: adminPassword })).status).toBe(200);
        expect((await post("recovery-codes/regenerate")).status).toBe(200);
        fixture.clock.advance(1);
        for (const path of ["recovery-codes/regenerate", "trusted-devices", "enroll-start"])
          expect(await post(path)).toMatchObject(stale);
        const change = { current_password: adminPassword, new_password: "Cobalt-Meadow-58" };
        expect(await browser.send("POST", "/auth/change-password", change)).toMatchObject(stale);
        expect((await browser.get("/auth/mfa/trusted-devices")).status).toBe(200);
      });

      test("changing the password keeps the session verified", async () => {
        const change = { current_password: adminPassword, new_password: "Cobalt-Meadow-58" };
        const changed = await browser.send("POST", "/auth/change-password", change);
        expect(changed).toMatchObject({ status: 200, body: { mfa_required: false, mfa_enrollment_required: false } });
        expect((await post("recovery-codes/regenerate")).status).toBe(200);
      });
    });

    describe("disabling", () => {
      test("requires password and code, and ends the factor with all its verifications", async () => {
        factor = await fixture.enroll(browser);
        await post("trusted-devices");
        minutes(1);
        const disabled = await post("disable", { password: adminPassword, code: factor.code() });
        expect(disabled).toMatchObject({ status: 200, body: { ok: true } });
        expect(await status()).toMatchObject({ enrolled: false, remaining_recovery_codes: 0 });
        expect(await userRow()).toMatchObject({ mfa_secret: null, mfa_pending_secret: null, mfa_last_step: null });
        const { items } = (await browser.get("/auth/mfa/trusted-devices")).body;
        expect(items).toMatchObject([{ revoked_at: fixture.clock.now().toISOString() }]);
        expect((await fixture.signIn(email)).jar.size).toBe(3);
        expect(await fixture.auditRows("user.mfa_disabled")).toMatchObject([{ result: "success" }]);

        // A later factor inherits nothing from this one.
        const before = await fixture.signIn(email);
        await fixture.enroll(browser);
        expect(await before.get("/auth/sessions")).toMatchObject(pending);
      });

      test("refuses a wrong password with 422 invalid_password, counts it toward the account lock, and uses up no code", async () => {
        factor = await fixture.enroll(browser);
        const code = factor.code();
        for (let index = 0; index < 3; index += 1) {
          expect(await post("disable", { password: "wrong", code })).toMatchObject({
            status: 422,
            body: { error: "validation_error", details: { reason: "invalid_password" } },
          });
        }
        const right = await post("disable", { password: adminPassword, code });
        expect(right.body.details.reason).toBe("invalid_password");
        expect((await userRow()).mfa_failed_codes).toBe(0);
        const login = await fixture.browser().send("POST", "/auth/login", { email, password: adminPassword });
        expect(login.status).toBe(401);
        minutes(15);
        expect((await post("disable", { password: adminPassword, code: factor.code() })).status).toBe(200);
      });

      test("refuses a wrong code with 422 invalid_code, which counts toward the factor's lock", async () => {
        factor = await fixture.enroll(browser);
        const attempt = (code: string) => post("disable", { password: adminPassword, code });
        for (let index = 0; index < 3; index += 1) expect(await attempt("000 00x")).toMatchObject(wrongCode);
        expect(await attempt(factor.code())).toMatchObject(locked);
      });
    });
  });
}
