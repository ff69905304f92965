import { totpCode, waitFor } from "@svc/testkit";
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  adminPassword,
  type Browser,
  emptyTables,
  type Fixture,
  startAccess,
} from "../../../test/fixtures/access-fixture.ts";
import { createKeyring } from "../../platform/crypto/keyring.ts";
import type { SessionActor } from "../../platform/http/access/actor.ts";
import { ownOrigin } from "../audit/index.ts";
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
    /** The browser's session at each process, alternating. */
    const turns = (count: number) =>
      Array.from({ length: count }, (_, index) => {
        const same = fixtures[index % 2]?.browser(`10.0.0.${index}`) as Browser;
        for (const [name, value] of browser.jar) same.jar.set(name, value);
        return same;
      });
    const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).sort();
    const verifyAll = (count: number, code: string | undefined) =>
      Promise.all(turns(count).map((same) => same.send("POST", "/auth/mfa/verify", { code })));

    /** The session as a hook saw it. */
    async function actorOf(as: Browser, enrolled: boolean): Promise<SessionActor> {
      const { id } = (await as.get("/auth/me")).body;
      const { items } = (await as.get("/auth/sessions")).body;
      const user = { id, email, display_name: null, is_admin: false };
      const mfa = { enrolled, pending: false, verifiedAt: null, overdueSince: null };
      return { kind: "session", user, sessionId: items[0].id, csrfToken: "", provedAt: null, mfa };
    }

    test("a code sent several times concurrently is accepted once", async () => {
      const factor = await first().enroll(browser);
      expect(statuses(await verifyAll(3, factor.code()))).toEqual([200, 422, 422]);
    });

    test("a recovery code sent several times concurrently is accepted once", async () => {
      const factor = await first().enroll(browser);
      expect(statuses(await verifyAll(3, factor.recoveryCodes[0]))).toEqual([200, 422, 422]);
      expect((await browser.get("/auth/mfa/status")).body.remaining_recovery_codes).toBe(9);
    });

    test("concurrent guesses are not checked beyond the threshold", async () => {
      await first().enroll(browser);
      const answers = await verifyAll(8, "000000");
      expect(statuses(answers)).toEqual([...Array(5).fill(403), ...Array(3).fill(422)]);
      expect(await first().auditRows("user.mfa_locked")).toHaveLength(1);
    });

    // The embedded database has one writer, so nothing is concurrent there.
    if (dialect === "postgres")
      test("guesses wait for each other before the lock is checked", async () => {
        await first().enroll(browser);
        const { database } = opened;
        const waiting = async () => {
          const { rows } = await sql<{ waiting: string }>`SELECT count(*) AS waiting FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(database.read);
          return Number(rows[0]?.waiting) === 4;
        };
        let answers: ReturnType<typeof verifyAll> | undefined;
        await database.write(async (tx) => {
          await tx.updateTable("users").set({ first_name: "Mira" }).execute();
          answers = verifyAll(4, "000000");
          await waitFor(waiting, { that: "every guess waits" });
        });
        expect(statuses((await answers) ?? [])).toEqual([403, 422, 422, 422]);
      });

    test("a session that started to enroll before another one finished does not replace its factor", async () => {
      const unaware = await actorOf(browser, false);
      await first().enroll(browser);
      const { secret_base32: secret } = await first().mfa.enrollStart(unaware);
      const code = totpCode(secret, first().clock.now());
      const origin = { user_id: unaware.user.id, api_key_id: null, source_ip: null, user_agent: null };
      const completed = first().mfa.enrollComplete({ actor: unaware, code, origin });
      await expect(completed).rejects.toMatchObject({ code: "mfa_reverify_required" });
    });

    test("two sessions that enroll concurrently leave one factor, and only its session is verified", async () => {
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

    test("devices trusted concurrently stay within the maximum", async () => {
      await first().enroll(browser);
      const answers = await Promise.all(turns(8).map((same) => same.send("POST", "/auth/mfa/trusted-devices")));
      expect(new Set(statuses(answers))).toEqual(new Set([201]));
      expect((await browser.get("/auth/mfa/trusted-devices")).body.items).toHaveLength(3);
    });

    test("a secret sealed with an earlier master is opened, and sealed again when its next code is accepted", async () => {
      const factor = await first().enroll(browser);
      const secretNow = async () =>
        (await opened.database.read.selectFrom("users").select("mfa_secret").executeTakeFirstOrThrow()).mfa_secret;
      const before = await secretNow();
      const { clock, audit, users, passwords, settings, owner } = first();
      const rotated = createMfa({
        ...{ database: opened.database, clock, audit, users, passwords, settings, ...owner },
        masters: createKeyring("newer-master-0123456789-0123456789-0", ["master-secret-0123456789-0123456789"]),
      });
      const actor = await actorOf(browser, true);
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

    test("a session can watch live views only while its factor is neither pending nor overdue", async () => {
      const own = (await browser.get("/auth/sessions")).body.items[0].id;
      const holder = () => first().sessions.holderOf(own);
      expect(await holder()).toMatchObject({ isAdmin: false });
      await first().enroll(await first().signIn(email));
      expect(await holder()).toBeNull();

      const user = await first().users.findByEmail(email);
      await first().mfa.reset({ userId: user?.id ?? "", origin: ownOrigin });
      expect(await holder()).not.toBeNull();
      const strict = await startAccess(opened.database, {
        ...{ SVC_MFA_ENFORCE_FOR_ALL: true, SVC_MFA_ENROLLMENT_GRACE_DAYS: 0 },
      });
      const restricted = strict.browser();
      await restricted.send("POST", "/auth/login", { email, password: adminPassword });
      const sessions = await opened.database.read.selectFrom("sessions").select("id").execute();
      const holders = await Promise.all(sessions.map(({ id }) => strict.sessions.holderOf(id)));
      expect(holders.every((held) => held === null)).toBe(true);
      await strict.app.close();
    });
  });
}
