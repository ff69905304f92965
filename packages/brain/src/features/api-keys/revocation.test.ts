/** API keys do not outlive the password that could have been used to create them. */
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeEach, describe, expect, test } from "vitest";
import { adminPassword, type Browser, startAccess, useAccess } from "../../../test/fixtures/access-fixture.ts";
import { ownOrigin } from "../audit/index.ts";

const email = "mira@example.org";
const newPassword = "Granite-Orchard-58";

for (const dialect of testDialects) {
  describe(`revoked keys on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const fixture = useAccess(opened);
    let browser: Browser;
    let root: Browser;
    let userId: string;
    let tokens: string[];

    const mint = (body: object = {}) =>
      browser.send("POST", "/api-keys", { name: "deploy", scopes: ["projects:read"], ...body });
    const working = async (service = fixture) => {
      const answers = tokens.map((token) => service.browser().get("/projects", { authorization: `Bearer ${token}` }));
      return (await Promise.all(answers)).map(({ status }) => status);
    };
    const reasons = async () =>
      (await opened.database.read.selectFrom("api_keys").select("revoked_reason").execute()).map(
        (row) => row.revoked_reason,
      );
    const counted = async (action: string) =>
      JSON.parse((await fixture.auditRows(action)).at(-1)?.metadata ?? "{}").api_keys_revoked;

    beforeEach(async () => {
      await opened.database.write((tx) => tx.deleteFrom("api_keys").execute());
      userId = (await fixture.addUser(email)).id;
      await fixture.addUser("root@example.org", { isAdmin: true });
      [browser, root] = [await fixture.signIn(email), await fixture.signIn("root@example.org")];
      tokens = [(await mint()).body.token, (await mint({ expires_in_days: 1 })).body.token];
      expect(await working()).toEqual([200, 200]);
    });

    test("end with an administrator's reset, immediately in every process", async () => {
      const other = await startAccess(opened.database);
      expect(await working(other)).toEqual([200, 200]);
      const path = `/users/${userId}/password`;
      expect((await root.send("POST", path, { new_password: newPassword })).status).toBe(204);
      expect(await working(other)).toEqual([401, 401]);
      await other.app.close();
      expect(await reasons()).toEqual(Array(2).fill("password_reset_by_admin"));
      expect(await counted("user.password.reset")).toBe(2);
    });

    test("end with a password set by an operator of the server", async () => {
      const about = { userId, origin: ownOrigin };
      const ended = await fixture.userAdministration.resetPassword(about, newPassword);
      expect(ended).toMatchObject({ api_keys_revoked: 2 });
      expect(await working()).toEqual([401, 401]);
      expect(await reasons()).toEqual(Array(2).fill("account_rescue"));
    });

    test("end with a second factor removed by an operator of the server", async () => {
      await fixture.enroll(browser);
      expect(await fixture.mfa.reset({ userId, origin: ownOrigin })).toBe(2);
      expect(await working()).toEqual([401, 401]);
      expect(await counted("user.mfa_disabled")).toBe(2);
    });

    test("stay valid after the owner's password change unless the owner revokes them with it", async () => {
      const change = (from: string, to: string, more = {}) =>
        browser.send("POST", "/auth/change-password", { current_password: from, new_password: to, ...more });
      expect((await change(adminPassword, newPassword)).status).toBe(200);
      expect(await working()).toEqual([200, 200]);
      expect(await counted("auth.password_changed")).toBe(0);
      expect((await change(newPassword, adminPassword, { revoke_api_keys: true })).status).toBe(200);
      expect(await working()).toEqual([401, 401]);
      expect(await reasons()).toEqual(Array(2).fill("password_changed"));
      expect(await counted("auth.password_changed")).toBe(2);
    });

    test("are the user's keys only, and counted only while they work", async () => {
      const own = await root.send("POST", "/api-keys", { name: "root", scopes: ["projects:read"] });
      fixture.clock.advance(86_400_000);
      await opened.database.write((tx) =>
        tx.updateTable("sessions").set({ last_seen_at: fixture.clock.now() }).execute(),
      );
      expect((await root.send("DELETE", `/users/${userId}/api-keys`)).body).toEqual({ revoked: 1 });
      tokens = [own.body.token];
      expect(await working()).toEqual([200]);
    });

    test("cannot be created by a request in progress when its session ended", async () => {
      const { items } = (await browser.get("/auth/sessions")).body;
      const actor = {
        kind: "session",
        user: { id: userId, email, display_name: null, is_admin: false },
        sessionId: items[0].id,
        csrfToken: "",
        provedAt: fixture.clock.now(),
        mfa: { enrolled: false, pending: false, verifiedAt: null, overdueSince: null },
      } as const;
      await fixture.userAdministration.resetPassword({ userId, origin: ownOrigin }, newPassword);
      const body = { name: "late", scopes: ["projects:read"] };
      await expect(fixture.apiKeys.mint({ actor, body, origin: ownOrigin })).rejects.toMatchObject({
        code: "unauthenticated",
      });
    });

    test("do not work when they were created during a reset", async () => {
      const path = `/users/${userId}/password`;
      const minting = Array.from({ length: 4 }, () => mint());
      const reset = root.send("POST", path, { new_password: newPassword });
      const made = await Promise.all(minting);
      expect((await reset).status).toBe(204);
      tokens = made.filter(({ status }) => status === 201).map(({ body }) => body.token);
      expect(new Set(await working())).toEqual(new Set(tokens.length === 0 ? [] : [401]));
      expect(await reasons()).not.toContain(null);
    });

    describe("GET and DELETE /users/{id}/api-keys", () => {
      const keysOf = (id = userId) => `/users/${id}/api-keys`;
      const unknownUser = "00000000-0000-7000-8000-000000000000";

      test("list a user's keys without their tokens, and write the audit row", async () => {
        const { status, body } = await root.get(keysOf());
        expect(status).toBe(200);
        expect(body.map(({ name }: { name: string }) => name)).toEqual(["deploy", "deploy"]);
        // Both were created at the same instant, so either may come first.
        expect(body.filter((key: { expires_at: string | null }) => key.expires_at === null)).toHaveLength(1);
        for (const token of tokens) expect(JSON.stringify(body)).not.toContain(token);
        expect(JSON.stringify(body)).not.toContain("hash");
        expect(await fixture.auditRows("user.api_keys_listed")).toMatchObject([
          { target_type: "user", target_id: userId, metadata: '{"keys":2}' },
        ]);
      });

      test("revoke all of them, and write the audit row", async () => {
        expect(await root.send("DELETE", keysOf())).toMatchObject({ status: 200, body: { revoked: 2 } });
        expect(await working()).toEqual([401, 401]);
        expect(await reasons()).toEqual(Array(2).fill("revoked_by_admin"));
        expect(await counted("user.api_keys_revoked")).toBe(2);
        expect((await root.get(keysOf())).body).toEqual([]);
        expect((await root.send("DELETE", keysOf())).body).toEqual({ revoked: 0 });
      });

      test("answer 404 for an unknown user, 422 for a malformed id and 403 to other users, and change nothing", async () => {
        expect(await root.get(keysOf(unknownUser))).toMatchObject({
          status: 404,
          body: { details: { resource: "user" } },
        });
        expect((await root.send("DELETE", keysOf(unknownUser))).status).toBe(404);
        expect((await root.get(keysOf("mira"))).status).toBe(422);
        for (const refused of [await browser.get(keysOf()), await browser.send("DELETE", keysOf())])
          expect(refused).toMatchObject({ status: 403, body: { details: { required: "global_admin" } } });
        const withKey = { authorization: `Bearer ${tokens[0]}` };
        expect((await fixture.browser().get(keysOf(), withKey)).status).toBe(403);
        expect(await working()).toEqual([200, 200]);
        expect(await fixture.auditRows("user.api_keys_listed")).toEqual([]);
      });

      test("the revocation requires a fresh code from an administrator with a second factor", async () => {
        await fixture.enroll(root);
        for (let index = 0; index < 3; index += 1) {
          fixture.clock.advance(21 * 60_000);
          await root.get("/auth/me");
        }
        expect((await root.get(keysOf())).status).toBe(200);
        expect(await root.send("DELETE", keysOf())).toMatchObject({
          status: 403,
          body: { error: "mfa_reverify_required" },
        });
      });
    });
  });
}
