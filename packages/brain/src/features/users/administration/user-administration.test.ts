import { randomUUID } from "node:crypto";
import { type OpenedTestDatabase, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  adminPassword,
  type Browser,
  emptyTables,
  type Fixture,
  startAccess,
} from "../../../../test/fixtures/access-fixture.ts";
import { commandEffects } from "../../../../test/fixtures/command-effects.ts";
import { commandRow } from "../../../../test/rows/command-rows.ts";
import { ownOrigin } from "../../audit/index.ts";

for (const dialect of testDialects) {
  describe(`accounts on ${dialect}`, () => {
    const opened: OpenedTestDatabase = useTestDatabase(dialect);
    let fixture: Fixture;
    let root: Browser;
    let rootId: string;

    beforeEach(async () => {
      await emptyTables(opened.database);
      fixture = await startAccess(opened.database, {}, commandEffects);
      rootId = (await fixture.addUser("root@example.org", { isAdmin: true })).id;
      root = await fixture.signIn("root@example.org");
    });
    afterEach(async () => {
      await fixture.app.close();
    });

    /** Two administrators, each signed in to their own process on the same database. */
    async function twoAdmins() {
      const again = await opened.openAgain();
      const other = await startAccess(again);
      const nora = await other.addUser("nora@example.org", { isAdmin: true });
      const browser = await other.signIn("nora@example.org");
      const activeAdmins = async () =>
        (await opened.database.read.selectFrom("users").selectAll().execute()).filter(
          ({ is_admin, is_active }) => is_admin && is_active,
        );
      async function close() {
        await other.app.close();
        await again.close();
      }
      return { nora, browser, activeAdmins, close };
    }

    test.each([
      ["demote", (as: Browser, id: string) => as.send("PATCH", `/users/${id}`, { is_admin: false })],
      ["deactivate", (as: Browser, id: string) => as.send("PATCH", `/users/${id}`, { is_active: false })],
      ["delete", (as: Browser, id: string) => as.send("DELETE", `/users/${id}`)],
    ] as const)("one of two administrators who %s each other concurrently remains", async (what, act) => {
      for (let round = 0; round < 5; round += 1) {
        const { nora, browser, activeAdmins, close } = await twoAdmins();
        const answers = await Promise.all([act(root, nora.id), act(browser, rootId)]);
        expect(await activeAdmins(), what).toHaveLength(1);
        const statuses = answers.map(({ status }) => status).sort();
        // The second one is refused because the last administrator would be lost, or is no longer an administrator.
        expect(statuses[0]).toBeLessThan(300);
        expect([401, 403, 404, 409]).toContain(statuses[1]);
        await close();
        await fixture.app.close();
        await emptyTables(opened.database);
        fixture = await startAccess(opened.database, {}, commandEffects);
        rootId = (await fixture.addUser("root@example.org", { isAdmin: true })).id;
        root = await fixture.signIn("root@example.org");
      }
    });

    test("the last active administrator cannot be demoted, deactivated or deleted by anyone", async () => {
      const idle = await fixture.addUser("idle@example.org", { isAdmin: true });
      await root.send("PATCH", `/users/${idle.id}`, { is_active: false });
      await fixture.addUser("mira@example.org");
      // The request of a user who was admitted just before losing the rights.
      const about = { userId: rootId, origin: { ...ownOrigin, user_id: idle.id } };
      const refused = { code: "conflict", details: { reason: "final_active_admin" } };
      const { userAdministration } = fixture;
      await expect(userAdministration.update(about, { is_admin: false })).rejects.toMatchObject(refused);
      await expect(userAdministration.update(about, { is_active: false })).rejects.toMatchObject(refused);
      await expect(userAdministration.remove(about)).rejects.toMatchObject(refused);
      expect(await fixture.users.findById(rootId)).toMatchObject({ is_admin: true, is_active: true });
    });

    test("a deleted user remains only as the signed actor_ref, which the row of the deletion explains", async () => {
      const mira = await fixture.addUser("mira@example.org", { isAdmin: true });
      const browser = await fixture.signIn("mira@example.org");
      const project = (await browser.send("POST", "/projects", { slug: "shop", name: "Shop" })).body;
      await browser.send("POST", "/projects/shop/invitations", { email: "new@example.org" });
      const now = fixture.clock.now();
      const of = { user_id: mira.id, created_at: now, updated_at: now };
      await opened.database.write(async (tx) => {
        await tx
          .insertInto("commands")
          .values(commandRow({ project_id: project.id, issued_by: mira.id }))
          .execute();
        const view = { id: randomUUID(), project_id: project.id, name: "mine", filters: "{}", ...of };
        await tx.insertInto("saved_views").values(view).execute();
        const key = { id: randomUUID(), project_id: null, name: "key", prefix: "svk_abcd", token_hash: "k", ...of };
        const none = { allowed_cidrs: null, expires_at: null, last_used_at: null, last_used_ip: null };
        await tx
          .insertInto("api_keys")
          .values({ ...key, scopes: "[]", ...none, revoked_at: null, revoked_reason: null })
          .execute();
        await tx
          .insertInto("mfa_recovery_codes")
          .values({ id: randomUUID(), user_id: mira.id, code_hash: "c" })
          .execute();
      });
      const before = (await opened.database.read.selectFrom("audit_log").selectAll().execute()).filter(
        ({ user_id }) => user_id === mira.id,
      );
      expect(before.map(({ action }) => action).sort()).toEqual([
        "auth.login",
        "invitation.mint",
        "membership.granted",
        "project.created",
      ]);

      expect((await root.send("DELETE", `/users/${mira.id}`)).status).toBe(204);

      const tables = ["memberships", "saved_views", "api_keys", "mfa_recovery_codes"] as const;
      for (const table of tables)
        expect(await opened.database.read.selectFrom(table).selectAll().execute()).toEqual([]);
      const sessions = await opened.database.read.selectFrom("sessions").select("user_id").execute();
      expect(sessions).toEqual([{ user_id: rootId }]);
      expect(await opened.database.read.selectFrom("commands").select("issued_by").execute()).toEqual([
        { issued_by: null },
      ]);
      expect(await opened.database.read.selectFrom("invitations").select("invited_by").execute()).toEqual([
        { invited_by: null },
      ]);
      const rows = await opened.database.read.selectFrom("audit_log").selectAll().orderBy("occurred_us").execute();
      expect(rows.filter(({ user_id }) => user_id === mira.id)).toEqual([]);
      for (const { id, actor_ref, row_hmac } of before) {
        expect(rows.find((row) => row.id === id)).toMatchObject({ user_id: null, actor_ref, row_hmac });
      }
      const deleted = rows.at(-1);
      expect(deleted).toMatchObject({ action: "user.deleted", user_id: rootId, target_id: mira.id });
      expect(JSON.parse(deleted?.metadata ?? "{}")).toEqual({ actor_ref: before[0]?.actor_ref });
      expect(await fixture.audit.checkState()).toBe(true);
    });

    test("an account is found, listed and created the same way on both databases", async () => {
      const made = await root.send("POST", "/users", { email: "Mira@Example.org", password: adminPassword });
      expect(made).toMatchObject({ status: 201, body: { email: "Mira@Example.org" } });
      const again = await root.send("POST", "/users", { email: "mira@example.org", password: adminPassword });
      expect(again).toMatchObject({ status: 409, body: { details: { reason: "email_in_use" } } });
      expect((await root.get("/users?limit=1&offset=1")).body).toHaveLength(1);
      expect((await root.get("/users?offset=99999999999")).body).toEqual([]);
    });

    test("a sign-in with the old password during a reset gets no session", async () => {
      const mira = await fixture.addUser("mira@example.org");
      await root.send("POST", `/users/${mira.id}/password`, { new_password: "Cobalt-Meadow-58" });
      // The hash that the sign-in checked the password against before the reset.
      const isNoted = await opened.database.write((tx) => fixture.users.noteSuccess(tx, mira, fixture.clock.now()));
      expect(isNoted).toBe(false);
    });
  });
}
