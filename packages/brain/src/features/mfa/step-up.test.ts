import { totpCode } from "@svc/testkit";
import { routeDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeEach, describe, expect, test } from "vitest";
import { adminPassword, type Browser, useAccess } from "../../../test/fixtures/access-fixture.ts";

const email = "mira@example.org";
const newPassword = "Granite-Orchard-58";
const minute = 60_000;
const day = 24 * 60 * minute;
const start = "/auth/mfa/enroll-start";
const stepUp = (browser: Browser, body: unknown) => browser.send("POST", "/auth/step-up", body);
const required = (...methods: string[]) => ({ status: 403, body: { error: "step_up_required", details: { methods } } });
const wrong = (reason: string) => ({ status: 422, body: { error: "validation_error", details: { reason } } });

for (const dialect of routeDialects) {
  describe(`stepping up on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const fixture = useAccess(opened);
    let browser: Browser;

    beforeEach(async () => {
      await fixture.addUser(email);
      browser = await fixture.signIn(email);
    });

    const reasons = async () =>
      (await fixture.auditRows("auth.step_up_failed")).map(({ metadata }) => JSON.parse(metadata));
    const userRow = () =>
      opened.database.read.selectFrom("users").selectAll().where("email", "=", email).executeTakeFirstOrThrow();

    test("an enrollment needs no further proof for 15 minutes after the sign-in, and the password then", async () => {
      fixture.clock.advance(15 * minute);
      expect((await browser.send("POST", start)).status).toBe(200);
      fixture.clock.advance(1);
      expect(await browser.send("POST", start)).toMatchObject(required("password"));
      expect(await stepUp(browser, { password: adminPassword })).toMatchObject({ status: 200, body: { ok: true } });
      expect((await browser.send("POST", start)).status).toBe(200);
      const [row] = await fixture.auditRows("auth.step_up");
      expect(row).toMatchObject({ target_type: "session", result: "success" });
      expect(JSON.parse(row?.metadata ?? "")).toEqual({ method: "password" });
      fixture.clock.advance(15 * minute + 1);
      expect(await browser.send("POST", start)).toMatchObject(required("password"));
    });

    test("a session older than the recording of proofs needs a new proof", async () => {
      await opened.database.write((tx) => tx.updateTable("sessions").set({ last_proof_at: null }).execute());
      expect(await browser.send("POST", start)).toMatchObject(required("password"));
    });

    test("a proof given while the clock was ahead is not valid once the clock is correct", async () => {
      const { clock } = fixture;
      const right = clock.now();
      clock.setWall(new Date(right.getTime() + 120 * day));
      const early = await fixture.signIn(email);
      clock.setWall(right);
      expect(await early.send("POST", start)).toMatchObject(required("password"));
      expect((await stepUp(early, { password: adminPassword })).status).toBe(200);
      expect((await early.send("POST", start)).status).toBe(200);
    });

    test("a code verified while the clock was ahead is not fresh once the clock is correct", async () => {
      const factor = await fixture.enroll(browser);
      fixture.clock.advance(minute);
      const mfa_verified_at = new Date(fixture.clock.now().getTime() + 120 * day);
      await opened.database.write((tx) => tx.updateTable("sessions").set({ mfa_verified_at }).execute());
      const stale = { status: 403, body: { error: "mfa_reverify_required" } };
      expect(await browser.send("POST", start)).toMatchObject(stale);
      expect((await stepUp(browser, { code: factor.code() })).status).toBe(200);
      expect((await browser.send("POST", start)).status).toBe(200);
    });

    test("a proof is valid only for the session that gave it", async () => {
      const other = await fixture.signIn(email);
      fixture.clock.advance(16 * minute);
      await stepUp(browser, { password: adminPassword });
      expect(await other.send("POST", start)).toMatchObject(required("password"));
    });

    test("changing the password is a proof", async () => {
      fixture.clock.advance(16 * minute);
      const body = { current_password: adminPassword, new_password: newPassword };
      expect((await browser.send("POST", "/auth/change-password", body)).status).toBe(200);
      expect((await browser.send("POST", start)).status).toBe(200);
    });

    test.each([{}, { password: adminPassword, code: "123456" }])("%j is refused with 422", async (body) => {
      fixture.clock.advance(16 * minute);
      const refused = await stepUp(browser, body);
      expect(refused).toMatchObject({
        status: 422,
        body: { details: { errors: [{ loc: ["body"], type: "one_of" }] } },
      });
      expect(await browser.send("POST", start)).toMatchObject(required("password"));
    });

    test("a wrong password proves nothing and counts toward the account lock, which also refuses the correct one", async () => {
      fixture.clock.advance(16 * minute);
      for (let index = 0; index < 3; index += 1)
        expect(await stepUp(browser, { password: "wrong" })).toMatchObject(wrong("invalid_password"));
      expect((await userRow()).locked_until).not.toBeNull();
      expect(await stepUp(browser, { password: adminPassword })).toMatchObject(wrong("invalid_password"));
      expect(await browser.send("POST", start)).toMatchObject(required("password"));
      expect(await reasons()).toEqual([
        ...Array(3).fill({ method: "password", reason: "wrong_password" }),
        { method: "password", reason: "locked" },
      ]);
      fixture.clock.advance(15 * minute);
      expect((await stepUp(browser, { password: adminPassword })).status).toBe(200);
    });

    test("a code without a second factor is refused with 409 not_enrolled", async () => {
      expect(await stepUp(browser, { code: "123456" })).toMatchObject({
        status: 409,
        body: { details: { reason: "not_enrolled" } },
      });
    });

    test("with a second factor a code is also a proof, once, and counts as a fresh verification", async () => {
      const factor = await fixture.enroll(browser);
      fixture.clock.advance(16 * minute);
      expect(await browser.send("POST", start)).toMatchObject(required("password", "code"));
      const code = factor.code();
      expect((await stepUp(browser, { code })).status).toBe(200);
      expect((await browser.send("POST", start)).status).toBe(200);
      expect(await stepUp(browser, { code })).toMatchObject(wrong("invalid_code"));
      expect(await reasons()).toEqual([{ method: "code", reason: "invalid_code" }]);
    });

    test("a recovery code is a proof, once", async () => {
      const { recoveryCodes } = await fixture.enroll(browser);
      fixture.clock.advance(16 * minute);
      expect((await stepUp(browser, { code: recoveryCodes[0] })).status).toBe(200);
      expect(await stepUp(browser, { code: recoveryCodes[0] })).toMatchObject(wrong("invalid_code"));
    });

    test("wrong codes lock the factor, which refuses correct ones, and the password is still accepted", async () => {
      const factor = await fixture.enroll(browser);
      fixture.clock.advance(16 * minute);
      for (let index = 0; index < 3; index += 1)
        expect(await stepUp(browser, { code: "ABCDEF" })).toMatchObject(wrong("invalid_code"));
      expect(await stepUp(browser, { code: factor.code() })).toMatchObject({
        status: 403,
        body: { error: "forbidden", details: { reason: "mfa_locked" } },
      });
      expect((await fixture.auditRows("user.mfa_locked")).length).toBe(1);
      expect((await reasons()).at(-1)).toEqual({ method: "code", reason: "mfa_locked" });
      expect((await stepUp(browser, { password: adminPassword })).status).toBe(200);
    });

    test("when code and proof are both old, one code is enough", async () => {
      const factor = await fixture.enroll(browser);
      for (let index = 0; index < 3; index += 1) {
        fixture.clock.advance(21 * minute);
        await browser.get("/auth/me");
      }
      expect(await browser.send("POST", start)).toMatchObject({
        status: 403,
        body: { error: "mfa_reverify_required" },
      });
      await browser.send("POST", "/auth/mfa/verify", { code: factor.code() });
      expect((await browser.send("POST", start)).status).toBe(200);
    });

    test("a session that waits for its code cannot bypass it with a password or a code", async () => {
      await fixture.enroll(browser);
      const pending = await fixture.signIn(email);
      for (const body of [{ password: adminPassword }, { code: "123456" }])
        expect(await stepUp(pending, body)).toMatchObject({
          status: 403,
          body: { error: "mfa_reverify_required", details: { reason: "mfa_pending" } },
        });
    });

    test("the password of a sign-in from a trusted device does not replace a fresh code", async () => {
      const factor = await fixture.enroll(browser);
      expect((await browser.send("POST", "/auth/mfa/trusted-devices", {})).status).toBe(201);
      await browser.send("POST", "/auth/logout");
      await browser.send("POST", "/auth/login", { email, password: adminPassword });
      expect(await stepUp(browser, { password: adminPassword })).toMatchObject({ status: 200 });
      expect(await browser.send("POST", start)).toMatchObject({ body: { error: "mfa_reverify_required" } });
      expect((await stepUp(browser, { code: factor.code() })).status).toBe(200);
      expect((await browser.send("POST", start)).status).toBe(200);
    });

    test.each([
      ["POST", "/users", { email: "new@example.org", password: newPassword, is_admin: true }, 201],
      ["PATCH", "/users/:id", { is_admin: true }, 200],
      ["POST", "/users/:id/password", { new_password: newPassword }, 204],
      ["POST", "/projects/default/memberships", { user_id: ":id", role: "admin" }, 201],
      ["POST", "/projects/default/invitations", { email: "new@example.org", role: "admin" }, 201],
    ] as const)("%s %s requires a recent proof from an administrator", async (method, path, body, done) => {
      await fixture.addUser("root@example.org", { isAdmin: true });
      const root = await fixture.signIn("root@example.org");
      expect((await root.send("POST", "/projects", { slug: "default", name: "Default" })).status).toBe(201);
      const { id } = await userRow();
      const send = () =>
        root.send(method, path.replace(":id", id), JSON.parse(JSON.stringify(body).replace(":id", id)));
      fixture.clock.advance(16 * minute);
      expect(await send()).toMatchObject(required("password"));
      await stepUp(root, { password: adminPassword });
      expect(await send()).toMatchObject({ status: done });
    });

    test("an administrator's old session cannot bypass the proof by resetting its own password", async () => {
      const { id } = await fixture.addUser("root@example.org", { isAdmin: true });
      const root = await fixture.signIn("root@example.org");
      fixture.clock.advance(16 * minute);
      expect(await root.send("POST", `/users/${id}/password`, { new_password: newPassword })).toMatchObject(
        required("password"),
      );
      const login = { email: "root@example.org", password: newPassword };
      expect((await fixture.browser().send("POST", "/auth/login", login)).status).toBe(401);
    });

    test("recovery codes and trusted devices, which outlast the session, require a recent proof", async () => {
      const factor = await fixture.enroll(browser);
      fixture.clock.advance(16 * minute);
      for (const path of ["/auth/mfa/recovery-codes/regenerate", "/auth/mfa/trusted-devices"])
        expect(await browser.send("POST", path)).toMatchObject(required("password", "code"));
      expect((await stepUp(browser, { code: factor.code() })).status).toBe(200);
      expect((await browser.send("POST", "/auth/mfa/recovery-codes/regenerate")).status).toBe(200);
      expect((await browser.send("POST", "/auth/mfa/trusted-devices")).status).toBe(201);
    });

    test("changing a role requires a recent proof", async () => {
      await fixture.addUser("root@example.org", { isAdmin: true });
      const root = await fixture.signIn("root@example.org");
      await root.send("POST", "/projects", { slug: "default", name: "Default" });
      const user_id = (await userRow()).id;
      const members = "/projects/default/memberships";
      const { body } = await root.send("POST", members, { user_id, role: "viewer" });
      fixture.clock.advance(16 * minute);
      const raise = () => root.send("PATCH", `${members}/${body.id}`, { role: "admin" });
      expect(await raise()).toMatchObject(required("password"));
      await stepUp(root, { password: adminPassword });
      expect((await raise()).status).toBe(200);
      // Removing a permission needs no proof.
      fixture.clock.advance(16 * minute);
      expect((await root.send("DELETE", `${members}/${body.id}`)).status).toBe(204);
    });

    test("requires a session and the CSRF token", async () => {
      expect((await stepUp(fixture.browser(), { password: adminPassword })).status).toBe(401);
      const foreign = { "x-csrf-token": "x".repeat(43) };
      expect(await browser.send("POST", "/auth/step-up", { password: adminPassword }, foreign)).toMatchObject({
        status: 403,
        body: { error: "csrf_failed" },
      });
    });

    test("a request in progress when its session ends proves nothing and enrolls nothing", async () => {
      const { clock, mfa, sessions } = fixture;
      const { id } = await userRow();
      const { secret_base32: secret } = (await browser.send("POST", start)).body;
      const [session] = (await browser.get("/auth/sessions")).body.items;
      const actor = {
        kind: "session",
        user: { id, email, display_name: null, is_admin: false },
        sessionId: session.id,
        csrfToken: "",
        provedAt: clock.now(),
        mfa: { enrolled: false, pending: false, verifiedAt: null, overdueSince: null },
      } as const;
      const origin = { user_id: id, api_key_id: null, source_ip: null, user_agent: null };
      await opened.database.write((tx) => sessions.endAllOf(tx, id));
      const ended = { code: "unauthenticated" };
      await expect(mfa.stepUp({ actor, body: { password: adminPassword }, origin })).rejects.toMatchObject(ended);
      const code = totpCode(secret, clock.now());
      await expect(mfa.enrollComplete({ actor, code, origin })).rejects.toMatchObject(ended);
      expect((await userRow()).mfa_enrolled_at).toBeNull();
      expect(await fixture.auditRows("auth.step_up")).toEqual([]);
    });
  });
}

describe("stepping up where a second factor is enforced", () => {
  const opened = useTestDatabase("sqlite");
  const fixture = useAccess(opened, () => ({ SVC_MFA_ENFORCE_FOR_ALL: true, SVC_MFA_ENROLLMENT_GRACE_DAYS: 0 }));

  test("is open to a session that can do nothing but enroll", async () => {
    await fixture.addUser(email);
    const browser = await fixture.signIn(email);
    fixture.clock.advance(16 * minute);
    expect(await browser.send("POST", start)).toMatchObject(required("password"));
    expect((await stepUp(browser, { password: adminPassword })).status).toBe(200);
    expect((await browser.send("POST", start)).status).toBe(200);
  });
});
