import { randomUUID } from "node:crypto";
import { routeDialects, useTestDatabase } from "@svc/testkit/databases";
import { type MailServer, startMailServer } from "@svc/testkit/services/mail";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { adminPassword, type Browser, startAccess, useAccess } from "../../../test/fixtures/access-fixture.ts";
import type { Role } from "../../platform/http/access/actor.ts";

const invited = "mira@example.org";
const password = "Cobalt-Meadow-58";

for (const dialect of routeDialects) {
  describe(`invitations on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    let mail: MailServer;
    const fixture = useAccess(opened, () => ({ SVC_MAIL_URL: mail.url, SVC_MAIL_FROM: "svc@example.org" }));
    let root: Browser;
    let projectId: string;

    beforeAll(async () => {
      mail = await startMailServer();
    });
    afterAll(() => mail.stop());
    beforeEach(async () => {
      await fixture.addUser("root@example.org", { isAdmin: true });
      root = await fixture.signIn("root@example.org");
      projectId = (await root.send("POST", "/projects", { slug: "shop", name: "The <Shop>" })).body.id;
    });

    const path = "/projects/shop/invitations";
    const conflict = (reason: string) => ({ status: 409, body: { error: "conflict", details: { reason } } });
    const notFound = { status: 404, body: { error: "not_found", details: { resource: "invitation" } } };
    const invite = (body: object = {}) => root.send("POST", path, { email: invited, ...body });
    /** An invitation whose mail was received. */
    async function tokenOf(body: object = {}): Promise<string> {
      const answer = await invite(body);
      await mail.take();
      return answer.body.token;
    }
    const preview = (token: string, from = "127.0.0.1") =>
      fixture.browser(from).send("POST", "/invitations/preview", { token });
    const accept = (token: string, body: object = {}, browser = fixture.browser()) =>
      browser.send("POST", "/invitations/accept", { token, display_name: "Mira", password, ...body });
    const membersOf = async () =>
      (await root.get("/projects/shop/memberships")).body.items.map(
        ({ user_email, role }: { user_email: string; role: string }) => [user_email, role],
      );

    describe("of a project", () => {
      test("are created with 201: token once, path, and whether the mail server accepted the mail", async () => {
        const answer = await invite({ role: "operator", ttl_days: 3 });
        expect(answer.status).toBe(201);
        expect(answer.body).toEqual({
          invitation: {
            id: expect.any(String),
            project_id: projectId,
            email: invited,
            role: "operator",
            invited_by: expect.any(String),
            expires_at: new Date(fixture.clock.now().getTime() + 3 * 86_400_000).toISOString(),
            accepted_at: null,
            revoked_at: null,
            created_at: fixture.clock.now().toISOString(),
          },
          token: expect.stringMatching(/^[\w-]{43}$/),
          accept_url_path: `/invite#token=${answer.body.token}`,
          email_sent: true,
        });
        expect((await root.get(path)).body).toEqual({ items: [answer.body.invitation] });
        expect(await fixture.auditRows("invitation.mint")).toMatchObject([
          {
            project_id: projectId,
            target_id: answer.body.invitation.id,
            metadata: '{"role":"operator","ttl_days":3}',
          },
        ]);
        const got = await mail.take();
        expect(got.to).toEqual([invited]);
        expect(got.subject).toBe("Invitation to The <Shop>");
        expect(got.text).toContain(`http://localhost:7700${answer.body.accept_url_path}\r\n`);
        expect(got.html).toContain("the project The &lt;Shop&gt; as operator");
      });

      test("default to the role viewer and seven days", async () => {
        const { invitation } = (await invite()).body;
        await mail.take();
        expect(invitation).toMatchObject({
          role: "viewer",
          expires_at: new Date(fixture.clock.now().getTime() + 7 * 86_400_000).toISOString(),
        });
      });

      test("have email_sent=false without a mail server, and when it refuses the mail", async () => {
        const silent = await startAccess(opened.database);
        const browser = await silent.signIn("root@example.org");
        expect(await browser.send("POST", path, { email: invited })).toMatchObject({
          status: 201,
          body: { email_sent: false, token: expect.any(String) },
        });
        await silent.app.close();
        const refusing = await startMailServer({ refuses: true });
        const unlucky = await startAccess(opened.database, {
          SVC_MAIL_URL: refusing.url,
          SVC_MAIL_FROM: "svc@example.org",
        });
        const other = await unlucky.signIn("root@example.org");
        expect((await other.send("POST", path, { email: invited })).body.email_sent).toBe(false);
        expect(unlucky.logged.join("")).toContain("mail.failed");
        await unlucky.app.close();
        await refusing.stop();
      });

      test.each([
        ["no address", { email: undefined }],
        ["an address without @", { email: "mira" }],
        ["an address with a line break", { email: "mira@example.org\r\nBcc: x@example.org" }],
        ["an unknown role", { role: "owner" }],
        ["a life of 0 days", { ttl_days: 0 }],
        ["a life of 31 days", { ttl_days: 31 }],
        ["a life of half a day", { ttl_days: 0.5 }],
      ])("answer 422 to %s", async (_what, body) => {
        expect((await invite(body)).status).toBe(422);
      });

      test("are listed while they are pending", async () => {
        const revoked = (await invite({ email: "a@example.org" })).body.invitation;
        const over = (await invite({ email: "b@example.org", ttl_days: 1 })).body.invitation;
        const used = await invite({ email: "c@example.org" });
        const left = (await invite({ email: "d@example.org" })).body.invitation;
        for (let index = 0; index < 4; index += 1) await mail.take();
        expect((await root.get(path)).body.items).toHaveLength(4);
        await root.send("DELETE", `${path}/${revoked.id}`);
        expect((await accept(used.body.token)).status).toBe(201);
        fixture.clock.advance(86_400_000);
        root = await fixture.signIn("root@example.org");
        expect((await root.get(path)).body.items.map(({ id }: { id: string }) => id)).toEqual([left.id]);
        expect((await root.send("DELETE", `${path}/${over.id}`)).status).toBe(404);
      });

      test("are revoked with 204 once; revoked again, unknown, or of another project: 404", async () => {
        const token = await tokenOf();
        const [{ id }] = (await root.get(path)).body.items;
        await root.send("POST", "/projects", { slug: "other", name: "Other" });
        expect(await root.send("DELETE", `/projects/other/invitations/${id}`)).toMatchObject(notFound);
        expect((await root.send("DELETE", `${path}/${id}`)).status).toBe(204);
        expect(await root.send("DELETE", `${path}/${id}`)).toMatchObject(notFound);
        expect(await root.send("DELETE", `${path}/${randomUUID()}`)).toMatchObject(notFound);
        expect((await root.send("DELETE", `${path}/7`)).status).toBe(422);
        expect(await preview(token)).toMatchObject(notFound);
        expect(await fixture.auditRows("invitation.revoke")).toMatchObject([{ target_id: id, project_id: projectId }]);
      });

      test("are for admins only", async () => {
        const forbidden = { status: 403, body: { error: "forbidden" } };
        for (const role of ["viewer", "operator", "auditor"] satisfies Role[]) {
          await fixture.addMember(projectId, `${role}@example.org`, role);
          fixture.projects.forget();
          const browser = await fixture.signIn(`${role}@example.org`);
          expect(await browser.get(path)).toMatchObject(forbidden);
          expect(await browser.send("POST", path, { email: invited })).toMatchObject(forbidden);
          expect(await browser.send("DELETE", `${path}/${randomUUID()}`)).toMatchObject(forbidden);
        }
        await fixture.addUser("stranger@example.org");
        expect((await (await fixture.signIn("stranger@example.org")).get(path)).status).toBe(404);
        expect((await fixture.browser().get(path)).status).toBe(401);
        expect(await root.send("POST", path, { email: invited }, { "x-csrf-token": "" })).toMatchObject({
          status: 403,
          body: { error: "csrf_failed" },
        });
      });

      test("are not created in an archived project: 409", async () => {
        await root.send("POST", "/projects", { slug: "other", name: "Other" });
        await root.send("DELETE", "/projects/shop");
        expect(await invite()).toMatchObject(conflict("project_archived"));
      });
    });

    describe("are shown to the holder of the token:", () => {
      test("its own address, role, project, end, and whether an account exists", async () => {
        const token = await tokenOf({ email: "Mira@Example.org", role: "auditor" });
        const shown = {
          email: "Mira@Example.org",
          role: "auditor",
          project_slug: "shop",
          project_name: "The <Shop>",
          expires_at: new Date(fixture.clock.now().getTime() + 7 * 86_400_000).toISOString(),
          existing_account: false,
        };
        expect(await preview(token)).toMatchObject({ status: 200, body: shown });
        await fixture.addUser(invited);
        expect((await preview(token)).body).toEqual({ ...shown, existing_account: true });
      });
    });

    test("that are unknown, used, revoked, expired, or of an archived project answer the same 404", async () => {
      await root.send("POST", "/projects", { slug: "other", name: "Other" });
      const used = await tokenOf({ email: "used@example.org" });
      expect((await accept(used)).status).toBe(201);
      const revoked = await tokenOf({ email: "revoked@example.org" });
      const [{ id }] = (await root.get(path)).body.items;
      await root.send("DELETE", `${path}/${id}`);
      const over = await tokenOf({ email: "over@example.org", ttl_days: 1 });
      fixture.clock.advance(86_400_000);
      root = await fixture.signIn("root@example.org");
      const archived = await tokenOf({ email: "archived@example.org" });
      expect((await preview(archived)).status).toBe(200);
      await root.send("DELETE", "/projects/shop");

      const bodies = [];
      for (const token of ["x".repeat(43), "x", used, revoked, over, archived]) {
        for (const answer of [await preview(token), await accept(token)]) {
          const { request_id: _, ...rest } = answer.body;
          bodies.push(JSON.stringify({ status: answer.status, ...rest }));
        }
      }
      expect(JSON.parse(bodies[0] ?? "")).toMatchObject({ status: 404, error: "not_found" });
      expect(new Set(bodies).size).toBe(1);
    });

    describe("of a new address", () => {
      test("create account and membership in one step, without a session", async () => {
        const token = await tokenOf({ role: "operator" });
        const answer = await accept(token);
        expect(answer).toMatchObject({
          status: 201,
          body: { user_id: expect.any(String), project_slug: "shop", role: "operator" },
          cookies: [],
        });
        const mira = await fixture.signIn(invited, password);
        expect((await mira.get("/auth/me")).body).toMatchObject({
          id: answer.body.user_id,
          display_name: "Mira",
          is_admin: false,
          memberships: [{ project_slug: "shop", role: "operator" }],
        });
        const [row] = await opened.database.read.selectFrom("invitations").selectAll().execute();
        expect(row).toMatchObject({ accepted_at: fixture.clock.now(), accepted_by_user_id: answer.body.user_id });
        for (const action of ["user.created", "invitation.accept", "membership.granted"]) {
          expect((await fixture.auditRows(action)).at(-1)).toMatchObject({ user_id: answer.body.user_id });
        }
      });

      test("ignore cookies: another user's session needs no CSRF token and does not end", async () => {
        const token = await tokenOf();
        const answer = await root.send(
          "POST",
          "/invitations/accept",
          { token, display_name: "Mira", password },
          { "x-csrf-token": "" },
        );
        expect(answer).toMatchObject({ status: 201, cookies: [] });
        expect((await root.get("/auth/me")).body.email).toBe("root@example.org");
      });

      test.each([
        ["no name", { display_name: undefined }, "display_name"],
        ["a blank name", { display_name: "  " }, "display_name"],
        ["a name of 201 characters", { display_name: "x".repeat(201) }, "display_name"],
        ["no password", { password: undefined }, "password"],
        ["a password that is not a string", { password: 7 }, "password"],
        ["a password of 257 characters", { password: "x".repeat(257) }, "password"],
        ["a name as password", { display_name: "Featherstone", password: "Featherstone-1!" }, "password"],
        ["a password that the policy rejects", { password: "lowercase1234" }, "password"],
      ])("answer 422 to %s, and the invitation remains", async (_what, body, field) => {
        const token = await tokenOf();
        expect(await accept(token, body)).toMatchObject({
          status: 422,
          body: { error: "validation_error", details: { errors: [{ loc: ["body", field] }] } },
        });
        expect((await preview(token)).status).toBe(200);
      });
    });

    describe("of an address with an account", () => {
      let token: string;
      let mira: Browser;
      beforeEach(async () => {
        await fixture.addUser(invited);
        mira = await fixture.signIn(invited);
        token = await tokenOf({ email: "MIRA@example.org", role: "admin" });
      });

      test("are accepted by that user's session with the token alone; profile, password and session do not change", async () => {
        const session = mira.jar.get("svc_session");
        const answer = await mira.send("POST", "/invitations/accept", { token, display_name: 7, password: "x" });
        expect(answer).toMatchObject({ status: 201, body: { project_slug: "shop", role: "admin" }, cookies: [] });
        expect(mira.jar.get("svc_session")).toBe(session);
        expect((await mira.get("/auth/me")).body).toMatchObject({ display_name: null });
        expect((await mira.get("/projects/shop")).status).toBe(200);
        expect((await fixture.signIn(invited, adminPassword)).jar.size).toBe(3);
        expect(await fixture.auditRows("user.created")).toEqual([]);
      });

      test("answer 409 login_required without a session and under another user's", async () => {
        expect(await accept(token)).toMatchObject(conflict("login_required"));
        expect(await accept(token, {}, root)).toMatchObject(conflict("login_required"));
        expect(await membersOf()).toEqual([["root@example.org", "admin"]]);
        expect((await preview(token)).status).toBe(200);
      });

      test("need that session's CSRF token", async () => {
        const answer = await mira.send("POST", "/invitations/accept", { token }, { "x-csrf-token": "x".repeat(43) });
        expect(answer).toMatchObject({ status: 403, body: { error: "csrf_failed" } });
      });

      test("are refused to sessions from an address outside SVC_DASHBOARD_IP_ALLOWLIST", async () => {
        const fenced = await startAccess(opened.database, { SVC_DASHBOARD_IP_ALLOWLIST: ["10.0.0.0/8"] });
        const outside = fenced.browser("192.0.2.7");
        for (const [name, value] of mira.jar) outside.jar.set(name, value);
        const answer = await outside.send("POST", "/invitations/accept", { token });
        expect(answer).toMatchObject({ status: 403, body: { error: "ip_denied", details: { surface: "api" } } });
        await fenced.app.close();
      });

      test("answer 409 already_member to a member, whose role and invitation do not change", async () => {
        const { id } = (await mira.get("/auth/me")).body;
        await root.send("POST", "/projects/shop/memberships", { user_id: id, role: "viewer" });
        expect(await mira.send("POST", "/invitations/accept", { token })).toMatchObject(conflict("already_member"));
        expect(await membersOf()).toContainEqual([invited, "viewer"]);
        expect((await preview(token)).status).toBe(200);
        expect(await fixture.auditRows("invitation.accept")).toEqual([]);
      });
    });

    test("share one limit of 30 per minute between preview and accept", async () => {
      for (let index = 0; index < 15; index += 1) {
        await preview("x".repeat(43), "10.0.0.9");
        await accept("x".repeat(43), {}, fixture.browser("10.0.0.9"));
      }
      const refused = await preview("x".repeat(43), "10.0.0.9");
      expect(refused).toMatchObject({ status: 429, body: { error: "rate_limited" } });
      expect(refused.body.detail).toContain("(invitations)");
      expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(60);
      expect((await accept("x".repeat(43), {}, fixture.browser("10.0.0.9"))).status).toBe(429);
    });

    test("are refused to pages of other origins", async () => {
      const origin = { origin: "https://evil.example.org" };
      for (const route of ["preview", "accept"]) {
        const answer = await fixture.browser().send("POST", `/invitations/${route}`, { token: "x" }, origin);
        expect(answer).toMatchObject({ status: 403, body: { error: "csrf_failed" } });
      }
    });

    test("store their tokens as digests, and never in log or audit", async () => {
      const token = await tokenOf();
      await accept(token);
      const stored = await opened.database.read.selectFrom("invitations").selectAll().execute();
      expect(stored[0]?.token_hash).toMatch(/^[0-9a-f]{64}$/);
      const rows = await opened.database.read.selectFrom("audit_log").selectAll().execute();
      expect(fixture.logged.join("") + JSON.stringify([stored, rows])).not.toContain(token);
    });
  });
}
