/** Cases that both databases must handle alike; routes.test.ts covers the caller's view of invitations. */
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeEach, describe, expect, test } from "vitest";
import { type Browser, useAccess } from "../../../test/fixtures/access-fixture.ts";
import { pruneInvitations } from "./index.ts";

const invited = "mira@example.org";
const password = "Cobalt-Meadow-58";

for (const dialect of testDialects) {
  describe(`stored invitations on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const fixture = useAccess(opened);
    let root: Browser;

    beforeEach(async () => {
      await fixture.addUser("root@example.org", { isAdmin: true });
      root = await fixture.signIn("root@example.org");
      await root.send("POST", "/projects", { slug: "shop", name: "Shop" });
    });

    const path = "/projects/shop/invitations";
    const invite = async (body: object = {}, to = path) =>
      (await root.send("POST", to, { email: invited, ...body })).body as { token: string; invitation: { id: string } };
    const preview = (token: string) => fixture.browser().send("POST", "/invitations/preview", { token });
    const accept = (token: string, browser = fixture.browser()) =>
      browser.send("POST", "/invitations/accept", { token, display_name: "Mira", password });
    const membersOf = async () => (await root.get("/projects/shop/memberships")).body.items;

    test("are listed until they are revoked, once", async () => {
      const { invitation } = await invite();
      await invite({ email: "nora@example.org" });
      expect((await root.get(path)).body.items).toHaveLength(2);
      const revoke = () => root.send("DELETE", `${path}/${invitation.id}`);
      expect((await Promise.all([revoke(), revoke()])).map(({ status }) => status).sort()).toEqual([204, 404]);
    });

    test("allow one of two concurrent accepts, which creates the account", async () => {
      const { token } = await invite();
      const answers = await Promise.all([accept(token), accept(token)]);
      const [won, lost] = answers.sort((left, right) => left.status - right.status);
      expect(won?.status).toBe(201);
      // The other finds the invitation used, or the account created between its two checks.
      expect([404, 409]).toContain(lost?.status);
      expect(await membersOf()).toHaveLength(2);
    });

    test("two invitations of one address accepted concurrently create one account; the other requires a sign-in and remains", async () => {
      await root.send("POST", "/projects", { slug: "other", name: "Other" });
      const { token } = await invite();
      const second = (await invite({}, "/projects/other/invitations")).token;
      const answers = await Promise.all([accept(token), accept(second)]);
      const [won, lost] = answers.sort((left, right) => left.status - right.status);
      expect(won?.status).toBe(201);
      expect(lost).toMatchObject({ status: 409, body: { details: { reason: "login_required" } } });
      const open = [await preview(token), await preview(second)].map(({ status }) => status);
      expect(open.sort()).toEqual([200, 404]);
    });

    test("allow one of two concurrent accepts by an account", async () => {
      await fixture.addUser(invited);
      const browsers = [await fixture.signIn(invited), await fixture.signIn(invited)];
      const { token } = await invite({ role: "admin" });
      const answers = await Promise.all(browsers.map((browser) => accept(token, browser)));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 404]);
      expect(await fixture.auditRows("invitation.accept")).toHaveLength(1);
    });

    test("are deleted once their retention is over", async () => {
      await invite({ ttl_days: 1 });
      // Retention counts back from a day before the newest row.
      await invite({ ttl_days: 30, email: "later@example.org" });
      const settings = { SVC_HISTORY_RETENTION_DAYS: 2 };
      const signal = AbortSignal.timeout(10_000);
      const tick = () => pruneInvitations.tick({ database: opened.database, clock: fixture.clock, settings, signal });
      fixture.clock.advance(3 * 86_400_000);
      expect(await tick()).toEqual({ deleted: 0 });
      fixture.clock.advance(1);
      expect(await tick()).toEqual({ deleted: 1 });
    });
  });
}
