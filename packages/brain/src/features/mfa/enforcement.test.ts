import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  adminPassword,
  type Browser,
  emptyTables,
  type Fixture,
  startAccess,
} from "../../../test/fixtures/access-fixture.ts";
import { ownOrigin } from "../audit/index.ts";

const email = "mira@example.org";
const dayMs = 86_400_000;
type Changes = Parameters<typeof startAccess>[1];

for (const dialect of testDialects) {
  describe(`enforcement on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const started: Fixture[] = [];
    let start: Date;

    beforeEach(async () => {
      await emptyTables(opened.database);
    });
    afterEach(async () => {
      await Promise.all(started.splice(0).map(({ app }) => app.close()));
    });

    /** A service with these settings, at the time of the first one in the test. */
    async function serve(changes: Changes): Promise<Fixture> {
      const fixture = await startAccess(opened.database, changes);
      if (started.length === 0) start = fixture.clock.now();
      fixture.clock.setWall(started.at(-1)?.clock.now() ?? start);
      started.push(fixture);
      return fixture;
    }
    const login = async (fixture: Fixture, as = email) => {
      const browser = fixture.browser();
      const { status, body } = await browser.send("POST", "/auth/login", { email: as, password: adminPassword });
      expect(status).toBe(200);
      return { browser, body };
    };
    const at = (days: number) => new Date(start.getTime() + days * dayMs).toISOString();
    const restricted = (deadline: string) => ({
      status: 403,
      body: { error: "mfa_enrollment_required", details: { deadline } },
    });
    const anchorOf = async () =>
      (await opened.database.read.selectFrom("users").select("mfa_enforcement_started_at").executeTakeFirst())
        ?.mfa_enforcement_started_at;

    /** Requests every kind of route and returns those that are open. */
    async function openTo(browser: Browser): Promise<string[]> {
      const routes = [
        ...["/auth/me", "/auth/mfa/status", "/auth/policy", "/auth/sessions", "/auth/mfa/trusted-devices"],
        ...["/projects", "/health/system", "/health/deep"],
      ];
      const open: string[] = [];
      for (const path of routes) if ((await browser.get(path)).status !== 403) open.push(path);
      const mutations = [
        ...[
          "/auth/mfa/verify",
          "/auth/mfa/disable",
          "/auth/mfa/recovery-codes/regenerate",
          "/auth/mfa/trusted-devices",
        ],
        ...["/auth/mfa/enroll-start", "/auth/mfa/enroll-complete", "/auth/change-password"],
        ...["/auth/sessions/revoke-others", "/projects"],
      ];
      for (const path of mutations) {
        const body = { code: "ABCDEF", password: "x", current_password: "x", new_password: "Violet-Harbour-71" };
        if ((await browser.send("POST", path, body)).status !== 403) open.push(path);
      }
      if ((await browser.send("PATCH", "/auth/me", {})).status !== 403) open.push("PATCH /auth/me");
      return open;
    }

    test("is off by default", async () => {
      const fixture = await serve({});
      await fixture.addUser(email, { isAdmin: true });
      const { body } = await login(fixture);
      expect(body).toMatchObject({ mfa_enrollment_required: false, mfa_enrollment_deadline: null });
      expect(await anchorOf()).toBeNull();
      expect(await fixture.auditRows("auth.mfa_enforcement_grace_started")).toEqual([]);
    });

    test("of all: the first sign-in starts the delay, later ones do not, and the deadline restricts", async () => {
      const fixture = await serve({ SVC_MFA_ENFORCE_FOR_ALL: true });
      await fixture.addUser(email);
      const first = await login(fixture);
      const required = { mfa_required: false, mfa_enrollment_required: true, mfa_enrollment_deadline: at(7) };
      expect(first.body).toMatchObject(required);
      expect((await first.browser.get("/auth/me")).body).toMatchObject(required);
      expect((await first.browser.get("/auth/mfa/status")).body).toMatchObject({
        enrolled: false,
        enrollment_required: true,
        enrollment_deadline: at(7),
      });
      expect((await first.browser.get("/projects")).status).toBe(200);
      const [row, ...others] = await fixture.auditRows("auth.mfa_enforcement_grace_started");
      expect(others).toEqual([]);
      expect(row).toMatchObject({ result: "success", user_id: first.body.user.id, target_id: first.body.user.id });
      expect(JSON.parse(row?.metadata ?? "")).toEqual({
        policy: "SVC_MFA_ENFORCE_FOR_ALL",
        grace_days: 7,
        deadline: at(7),
      });

      fixture.clock.advance(7 * dayMs - 1);
      const second = await login(fixture);
      expect(second.body).toMatchObject(required);
      expect((await second.browser.get("/projects")).status).toBe(200);
      fixture.clock.advance(1);
      expect(await second.browser.get("/projects")).toMatchObject(restricted(at(7)));
      expect(await fixture.auditRows("auth.mfa_enforcement_blocked")).toEqual([]);
      const third = await login(fixture);
      expect(third.body).toMatchObject(required);
      expect(await third.browser.get("/projects")).toMatchObject(restricted(at(7)));
      expect(await fixture.auditRows("auth.mfa_enforcement_grace_started")).toHaveLength(1);
      expect(await fixture.auditRows("auth.mfa_enforcement_blocked")).toMatchObject([
        { result: "failed", outcome: "deny", user_id: first.body.user.id },
      ]);
    });

    test("past the deadline opens me, status, logout and enrolling, and lifts with the enrollment", async () => {
      const fixture = await serve({ SVC_MFA_ENFORCE_FOR_ALL: true, SVC_MFA_ENROLLMENT_GRACE_DAYS: 0 });
      await fixture.addUser(email);
      const { browser, body } = await login(fixture);
      expect(body).toMatchObject({ mfa_enrollment_required: true, mfa_enrollment_deadline: at(0) });
      expect(await fixture.auditRows("auth.mfa_enforcement_blocked")).toHaveLength(1);
      expect(await openTo(browser)).toEqual([
        ...["/auth/me", "/auth/mfa/status"],
        ...["/auth/mfa/enroll-start", "/auth/mfa/enroll-complete"],
      ]);
      const other = await login(fixture);
      expect((await other.browser.send("POST", "/auth/logout")).status).toBe(204);

      await fixture.enroll(browser);
      expect((await browser.get("/auth/me")).body).toMatchObject({
        ...{ mfa_required: false, mfa_enrollment_required: false, mfa_enrollment_deadline: null },
      });
      expect((await browser.get("/projects")).status).toBe(200);
    });

    test("restricts a running session and lifts when the policy is relaxed", async () => {
      const strict = await serve({ SVC_MFA_ENFORCE_FOR_ALL: true, SVC_MFA_ENROLLMENT_GRACE_DAYS: 1 });
      await strict.addUser(email);
      const { browser } = await login(strict);
      strict.clock.advance(60_000);
      expect((await browser.get("/projects")).status).toBe(200);
      const stricter = await serve({ SVC_MFA_ENFORCE_FOR_ALL: true, SVC_MFA_ENROLLMENT_GRACE_DAYS: 0 });
      const withSameCookies = (fixture: Fixture) => {
        const same = fixture.browser();
        for (const [name, value] of browser.jar) same.jar.set(name, value);
        return same;
      };
      expect(await withSameCookies(stricter).get("/projects")).toMatchObject(restricted(at(0)));
      const relaxed = await serve({});
      expect((await withSameCookies(relaxed).get("/projects")).status).toBe(200);
    });

    test("does not restrict users whose delay has not begun: a session older than the policy continues, without a deadline", async () => {
      const before = await serve({});
      await before.addUser(email);
      const { browser } = await login(before);
      const strict = await serve({ SVC_MFA_ENFORCE_FOR_ALL: true, SVC_MFA_ENROLLMENT_GRACE_DAYS: 0 });
      const same = strict.browser();
      for (const [name, value] of browser.jar) same.jar.set(name, value);
      expect((await same.get("/auth/me")).body).toMatchObject({
        ...{ mfa_enrollment_required: true, mfa_enrollment_deadline: null },
      });
      expect((await same.get("/projects")).status).toBe(200);
      expect(await anchorOf()).toBeNull();
    });

    test("of administrators does not apply to other users", async () => {
      const fixture = await serve({ SVC_MFA_ENFORCE_FOR_ADMINS: true });
      await fixture.addUser(email);
      await fixture.addUser("root@example.org", { isAdmin: true });
      expect((await login(fixture)).body.mfa_enrollment_required).toBe(false);
      expect(await fixture.auditRows("auth.mfa_enforcement_grace_started")).toEqual([]);
      expect((await login(fixture, "root@example.org")).body).toMatchObject({ mfa_enrollment_deadline: at(7) });
      const [row] = await fixture.auditRows("auth.mfa_enforcement_grace_started");
      expect(JSON.parse(row?.metadata ?? "")).toMatchObject({ policy: "SVC_MFA_ENFORCE_FOR_ADMINS" });
    });

    test("never restarts the delay: a user without a factor after the deadline is restricted immediately", async () => {
      const fixture = await serve({ SVC_MFA_ENFORCE_FOR_ALL: true });
      await fixture.addUser(email);
      const { browser } = await login(fixture);
      await fixture.enroll(browser);
      fixture.clock.advance(8 * dayMs);
      const user = await fixture.users.findByEmail(email);
      await fixture.mfa.reset({ userId: user?.id ?? "", origin: ownOrigin });
      const again = await login(fixture);
      expect(again.body).toMatchObject({ mfa_enrollment_required: true, mfa_enrollment_deadline: at(7) });
      expect(await again.browser.get("/projects")).toMatchObject(restricted(at(7)));
    });

    test("records one beginning for concurrent sign-ins at two processes", async () => {
      const settings = { SVC_MFA_ENFORCE_FOR_ALL: true };
      const fixtures = [await serve(settings)];
      await fixtures[0]?.addUser(email);
      fixtures.push(await serve(settings));
      // Half a second apart, like the clocks of two machines.
      fixtures[1]?.clock.advance(500);
      const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => login(fixtures[index % 2] as Fixture)));
      const deadlines = new Set(answers.map(({ body }) => body.mfa_enrollment_deadline));
      const anchor = await anchorOf();
      expect([...deadlines]).toEqual([new Date((anchor?.getTime() ?? 0) + 7 * dayMs).toISOString()]);
      expect(await fixtures[0]?.auditRows("auth.mfa_enforcement_grace_started")).toHaveLength(1);
      expect(await fixtures[0]?.auditRows("auth.login")).toHaveLength(8);
    });
  });
}
