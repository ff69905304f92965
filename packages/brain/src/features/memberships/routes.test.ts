import { randomUUID } from "node:crypto";
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeEach, describe, expect, test } from "vitest";
import { type Browser, startAccess, useAccess } from "../../../test/fixtures/access-fixture.ts";
import type { Role } from "../../platform/http/access/actor.ts";

for (const dialect of testDialects) {
  describe(`memberships on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const fixture = useAccess(opened);
    let root: Browser;
    let projectId: string;

    beforeEach(async () => {
      await fixture.addUser("root@example.org", { isAdmin: true });
      root = await fixture.signIn("root@example.org");
      projectId = (await root.send("POST", "/projects", { slug: "shop", name: "Shop" })).body.id;
    });

    const path = "/projects/shop/memberships";
    const conflict = (reason: string) => ({ status: 409, body: { error: "conflict", details: { reason } } });
    async function member(role: Role, name: string = role): Promise<Browser> {
      await fixture.addMember(projectId, `${name}@example.org`, role);
      fixture.projects.forget();
      return fixture.signIn(`${name}@example.org`);
    }
    async function memberOf(email: string, there = path): Promise<{ id: string; user_id: string }> {
      const { items } = (await root.get(there)).body;
      return items.find(({ user_email }: { user_email: string }) => user_email === email);
    }
    const idOf = async (email: string) => (await memberOf(email)).id;

    test("are created with 201, and apply to the member's next request", async () => {
      const mira = await fixture.addUser("mira@example.org");
      const browser = await fixture.signIn("mira@example.org");
      expect((await browser.get("/projects/shop")).status).toBe(404);

      const answer = await root.send("POST", path, { user_id: mira.id, role: "operator" });

      expect(answer.status).toBe(201);
      expect(answer.body).toEqual({
        id: expect.any(String),
        user_id: mira.id,
        project_id: projectId,
        user_email: "mira@example.org",
        user_display_name: null,
        role: "operator",
        created_at: fixture.clock.now().toISOString(),
      });
      expect((await browser.get("/projects/shop")).status).toBe(200);
      expect((await root.get(path)).body.items).toContainEqual(answer.body);
      expect((await fixture.auditRows("membership.granted")).at(-1)).toMatchObject({
        project_id: projectId,
        target_id: answer.body.id,
        metadata: JSON.stringify({ role: "operator", user_id: mira.id }),
      });
    });

    test("are refused with 409 for an unknown role and for an existing member", async () => {
      const mira = await fixture.addUser("mira@example.org");
      expect(await root.send("POST", path, { user_id: mira.id, role: "owner" })).toMatchObject(
        conflict("unknown_role"),
      );
      await root.send("POST", path, { user_id: mira.id, role: "viewer" });
      expect(await root.send("POST", path, { user_id: mira.id, role: "admin" })).toMatchObject(
        conflict("already_member"),
      );
      expect((await root.get(path)).body.items).toHaveLength(2);
    });

    test("of an unknown user are 404, and 422 for a malformed id or a role that is not a string", async () => {
      const answer = await root.send("POST", path, { user_id: randomUUID(), role: "viewer" });
      expect(answer).toMatchObject({ status: 404, body: { error: "not_found", details: { resource: "user" } } });
      expect((await root.send("POST", path, { user_id: "7", role: "viewer" })).status).toBe(422);
      expect((await root.send("POST", path, { user_id: randomUUID(), role: 7 })).status).toBe(422);
      expect((await root.send("POST", path, { user_id: randomUUID() })).status).toBe(422);
    });

    test("change their role, which applies to the member's next request", async () => {
      const viewer = await member("viewer");
      const id = await idOf("viewer@example.org");
      expect((await viewer.get("/projects/shop/invitations")).status).toBe(403);
      expect(await root.send("PATCH", `${path}/${id}`, { role: "admin" })).toMatchObject({
        status: 200,
        body: { id, role: "admin", user_email: "viewer@example.org" },
      });
      expect((await viewer.get("/projects/shop/invitations")).status).toBe(200);
      expect((await fixture.auditRows("membership.updated")).map(({ metadata }) => JSON.parse(metadata))).toMatchObject(
        [{ role: "admin", previous_role: "viewer" }],
      );
      expect((await root.send("PATCH", `${path}/${id}`, { role: "admin" })).status).toBe(200);
      expect(await fixture.auditRows("membership.updated")).toHaveLength(1);
      expect(await root.send("PATCH", `${path}/${id}`, { role: "boss" })).toMatchObject(conflict("unknown_role"));
    });

    test("are removed with 204, which ends the member's access", async () => {
      const viewer = await member("viewer");
      const id = await idOf("viewer@example.org");
      expect((await viewer.get("/projects/shop")).status).toBe(200);
      expect((await root.send("DELETE", `${path}/${id}`)).status).toBe(204);
      expect((await viewer.get("/projects/shop")).status).toBe(404);
      expect(await fixture.auditRows("membership.revoked")).toMatchObject([{ target_id: id, project_id: projectId }]);
      expect((await root.send("DELETE", `${path}/${id}`)).status).toBe(404);
    });

    test("of another project are 404", async () => {
      await root.send("POST", "/projects", { slug: "other", name: "Other" });
      await member("viewer");
      const id = await idOf("viewer@example.org");
      const notFound = { status: 404, body: { error: "not_found", details: { resource: "membership" } } };
      expect(await root.send("PATCH", `/projects/other/memberships/${id}`, { role: "admin" })).toMatchObject(notFound);
      expect(await root.send("DELETE", `/projects/other/memberships/${id}`)).toMatchObject(notFound);
      expect((await root.send("DELETE", `${path}/7`)).status).toBe(422);
    });

    test("of the last active admin cannot be demoted or removed: 409", async () => {
      const id = await idOf("root@example.org");
      expect(await root.send("PATCH", `${path}/${id}`, { role: "viewer" })).toMatchObject(
        conflict("last_project_admin"),
      );
      expect(await root.send("DELETE", `${path}/${id}`)).toMatchObject(conflict("last_project_admin"));

      await member("admin");
      const { user_id } = await memberOf("admin@example.org");
      await root.send("PATCH", `/users/${user_id}`, { is_active: false });
      expect(await root.send("DELETE", `${path}/${id}`)).toMatchObject(conflict("last_project_admin"));
      await root.send("PATCH", `/users/${user_id}`, { is_active: true });
      expect((await root.send("DELETE", `${path}/${id}`)).status).toBe(204);
    });

    test("of two admins who remove each other concurrently leave one", async () => {
      const again = await opened.openAgain();
      const other = await startAccess(again);
      for (let round = 0; round < 5; round += 1) {
        const slug = `p${round}`;
        const project = (await root.send("POST", "/projects", { slug, name: slug })).body;
        const there = `/projects/${slug}/memberships`;
        const emails = [`a${round}@example.org`, `b${round}@example.org`] as const;
        for (const email of emails) await fixture.addMember(project.id, email, "admin");
        const [a, b] = [await memberOf(emails[0], there), await memberOf(emails[1], there)];
        await root.send("DELETE", `${there}/${(await memberOf("root@example.org", there)).id}`);
        const browsers = [await fixture.signIn(emails[0]), await other.signIn(emails[1])] as const;
        const answers = await Promise.all([
          browsers[0].send("DELETE", `${there}/${b.id}`),
          browsers[1].send("PATCH", `${there}/${a.id}`, { role: "viewer" }),
        ]);
        const admins = (await root.get(there)).body.items.filter(({ role }: { role: Role }) => role === "admin");
        expect(admins).toHaveLength(1);
        expect(answers.filter(({ status }) => status < 300)).toHaveLength(1);
      }
      await other.app.close();
      await again.close();
    });

    test("can be listed by every member, and changed by admins only", async () => {
      const mira = await fixture.addUser("mira@example.org");
      const id = await idOf("root@example.org");
      for (const role of ["viewer", "operator", "auditor"] as const) {
        const browser = await member(role);
        expect((await browser.get(path)).status).toBe(200);
        const forbidden = { status: 403, body: { error: "forbidden" } };
        expect(await browser.send("POST", path, { user_id: mira.id, role: "viewer" })).toMatchObject(forbidden);
        expect(await browser.send("PATCH", `${path}/${id}`, { role: "viewer" })).toMatchObject(forbidden);
        expect(await browser.send("DELETE", `${path}/${id}`)).toMatchObject(forbidden);
      }
      const stranger = await fixture.signIn("mira@example.org");
      expect((await stranger.get(path)).status).toBe(404);
      expect((await fixture.browser().get(path)).status).toBe(401);
      const admin = await member("admin");
      expect((await admin.send("POST", path, { user_id: mira.id, role: "viewer" })).status).toBe(201);
    });

    test("of an archived project cannot be changed: 409", async () => {
      await root.send("POST", "/projects", { slug: "other", name: "Other" });
      await root.send("DELETE", "/projects/shop");
      const mira = await fixture.addUser("mira@example.org");
      expect(await root.send("POST", path, { user_id: mira.id, role: "viewer" })).toMatchObject(
        conflict("project_archived"),
      );
      expect((await root.get(path)).status).toBe(200);
    });

    test("changed by another process cause a notification", async () => {
      const again = await opened.openAgain();
      const other = await startAccess(again);
      let notified = 0;
      const notification = new Promise<void>((resolve) => {
        fixture.memberships.onChanged(() => {
          notified += 1;
          resolve();
        });
      });
      await fixture.memberships.start();
      await other.memberships.start();
      const mira = await fixture.addUser("mira@example.org");
      const browser = await other.signIn("root@example.org");
      await browser.send("POST", path, { user_id: mira.id, role: "viewer" });
      // The embedded database serves one process, which notifies itself.
      if (dialect === "postgres") await notification;
      else expect(notified).toBe(0);
      await fixture.memberships.stop();
      await other.memberships.stop();
      await other.app.close();
      await again.close();
    });
  });
}
