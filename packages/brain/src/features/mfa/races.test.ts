import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { adminPassword, type Browser, emptyTables, type Fixture, startAccess } from "../../../test/access-fixture.ts";
import { createKeyring } from "../../platform/crypto/keyring.ts";
import { createMfa } from "./index.ts";

const email = "mira@example.org";

for (const dialect of testDialects) {
  describe(`second factors at two processes on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    let fixtures: Fixture[];
    let browser: Browser;

    beforeEach(async () => {
      await emptyTables(opened.database);
      fixtures = [await startAccess(opened.database)];
      await first().addUser(email);
      fixtures.push(await startAccess(opened.database));
      fixtures[1]?.clock.setWall(first().clock.now());
      browser = await first().signIn(email);
    });
    afterEach(() => Promise.all(fixtures.map(({ app }) => app.close())));

    const first = () => fixtures[0] as Fixture;
    /** The browser's session at each process, in turns. */
    const turns = (count: number) =>
      Array.from({ length: count }, (_, index) => {
        const same = fixtures[index % 2]?.browser(`10.0.0.${index}`) as Browser;
        for (const [name, value] of browser.jar) same.jar.set(name, value);
        return same;
      });
    const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).sort();
    const verifyAll = (count: number, code: string | undefined) =>
      Promise.all(turns(count).map((same) => same.send("POST", "/auth/mfa/verify", { code })));

    test("a code that comes several times at once is taken once", async () => {
      const factor = await first().enroll(browser);
      expect(statuses(await verifyAll(3, factor.code()))).toEqual([200, 422, 422]);
    });

    test("a recovery code that comes several times at once is taken once", async () => {
      const factor = await first().enroll(browser);
      expect(statuses(await verifyAll(3, factor.recoveryCodes[0]))).toEqual([200, 422, 422]);
      expect((await browser.get("/auth/mfa/status")).body.remaining_recovery_codes).toBe(9);
    });

    test("guesses that come at once are judged no further than the threshold", async () => {
      await first().enroll(browser);
      const answers = await verifyAll(8, "000000");
      expect(statuses(answers)).toEqual([...Array(5).fill(403), ...Array(3).fill(422)]);
      expect(await first().auditRows("user.mfa_locked")).toHaveLength(1);
    });

    test("two sessions that enroll at once leave one factor, and only its session verified", async () => {
      const other = await first().signIn(email);
      const outcomes = await Promise.allSettled([first().enroll(browser), first().enroll(other)]);
      expect(outcomes.some(({ status }) => status === "fulfilled")).toBe(true);
      const gates = await Promise.all([browser, other].map((as) => as.get("/auth/sessions")));
      expect(statuses(gates)).toEqual([200, 403]);
      expect((await browser.get("/auth/mfa/status")).body).toMatchObject({
        enrolled: true,
        remaining_recovery_codes: 10,
      });
      expect(await first().auditRows("user.mfa_enrolled")).toHaveLength(1);
    });

    test("devices that are trusted at once keep to the maximum", async () => {
      await first().enroll(browser);
      const answers = await Promise.all(turns(8).map((same) => same.send("POST", "/auth/mfa/trusted-devices")));
      expect(new Set(statuses(answers))).toEqual(new Set([201]));
      expect((await browser.get("/auth/mfa/trusted-devices")).body.items).toHaveLength(3);
    });

    test("a secret that an earlier master sealed is opened, and sealed anew when its next code is taken", async () => {
      const factor = await first().enroll(browser);
      const secretNow = async () =>
        (await opened.database.read.selectFrom("users").select("mfa_secret").executeTakeFirstOrThrow()).mfa_secret;
      const before = await secretNow();
      const { clock, audit, users, passwords, settings } = first();
      const rotated = createMfa({
        ...{ database: opened.database, clock, audit, users, passwords, settings },
        masters: createKeyring("newer-master-0123456789-0123456789-0", ["master-secret-0123456789-0123456789"]),
      });
      const user = await users.findByEmail(email);
      const actor = {
        kind: "session",
        user: { id: user?.id ?? "", email, display_name: null, is_admin: false },
        sessionId: "00000000-0000-4000-8000-000000000000",
        csrfToken: "",
        mfa: { enrolled: true, pending: false, verifiedAt: null, overdueSince: null },
      } as const;
      const origin = { user_id: actor.user.id, api_key_id: null, source_ip: null, user_agent: null };
      const verify = (code: string) =>
        rotated.verify({ actor, code, remembersDevice: false, trustCookie: undefined, origin });
      expect(await verify(factor.recoveryCodes[0] ?? "")).toMatchObject({ remainingRecoveryCodes: 9 });
      expect(await secretNow()).toBe(before);
      expect(await verify(factor.code())).toMatchObject({ usedRecoveryCode: false });
      const after = await secretNow();
      expect(after?.split(".")[1]).not.toBe(before?.split(".")[1]);
      await verify(factor.code());
      expect(await secretNow()).toBe(after);
    });

    test("a session is worth watching with only while its factor is neither pending nor overdue", async () => {
      const own = (await browser.get("/auth/sessions")).body.items[0].id;
      const standing = () => first().sessions.standing(own);
      expect(await standing()).toMatchObject({ isAdmin: false });
      await first().enroll(await first().signIn(email));
      expect(await standing()).toBeNull();

      const user = await first().users.findByEmail(email);
      await opened.database.write((tx) => first().mfa.remove(tx, user?.id ?? ""));
      expect(await standing()).not.toBeNull();
      const strict = await startAccess(opened.database, {
        ...{ SVC_MFA_ENFORCE_FOR_ALL: true, SVC_MFA_ENROLLMENT_GRACE_DAYS: 0 },
      });
      const restricted = strict.browser();
      await restricted.send("POST", "/auth/login", { email, password: adminPassword });
      const sessions = await opened.database.read.selectFrom("sessions").select("id").execute();
      const standings = await Promise.all(sessions.map(({ id }) => strict.sessions.standing(id)));
      expect(standings.every((held) => held === null)).toBe(true);
      await strict.app.close();
    });
  });
}
