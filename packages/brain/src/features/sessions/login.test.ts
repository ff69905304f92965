import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { adminPassword, type Fixture, startAccess } from "../../../test/fixtures/access-fixture.ts";
import { createPasswords } from "../../platform/crypto/passwords.ts";
import { ownOrigin } from "../audit/index.ts";
import { sessionSettings } from "./settings.ts";

const email = "mira@example.org";

for (const dialect of testDialects) {
  describe(`signing in on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    let fixture: Fixture;
    beforeAll(async () => {
      fixture = await startAccess(opened.database);
      await fixture.addUser(email);
    });
    beforeEach(async () => {
      // Rows of refusals are written later, and would be counted by the next test.
      await fixture.audit.settled();
      await opened.database.write((tx) =>
        tx.updateTable("users").set({ failed_logins: 0, locked_until: null }).execute(),
      );
    });
    const nothingKept = {
      isRemembered: false,
      presentedCookie: undefined,
      trustCookie: undefined,
      deviceCookie: undefined,
    };
    const login = (password: string) => fixture.sessions.login({ ...nothingKept, email, password, origin: ownOrigin });

    test("counts every concurrent guess", async () => {
      const guesses = await Promise.allSettled(Array.from({ length: 3 }, (_, index) => login(`guess-${index}`)));
      expect(guesses.every(({ status }) => status === "rejected")).toBe(true);
      const user = await fixture.users.findByEmail(email);
      expect(user?.failed_logins).toBe(3);
      expect(user?.locked_until).toEqual(new Date(fixture.clock.now().getTime() + 900_000));
      await expect(login(adminPassword)).rejects.toMatchObject({ code: "unauthenticated" });
    });

    test("admits all concurrent sign-ins while an outdated hash is replaced", async () => {
      const costlier = createPasswords({
        SVC_ARGON2_TIME_COST: 2,
        SVC_ARGON2_MEMORY_COST: 8192,
        SVC_ARGON2_PARALLELISM: 1,
      });
      const password_hash = await costlier.hash(adminPassword, "test");
      await opened.database.write((tx) => tx.updateTable("users").set({ password_hash }).execute());
      const signedIn = await Promise.all(Array.from({ length: 4 }, () => login(adminPassword)));
      expect(new Set(signedIn.map(({ session }) => session.id)).size).toBe(4);
      const user = await fixture.users.findByEmail(email);
      expect(fixture.passwords.isOutdated(user?.password_hash ?? "")).toBe(false);
    });

    test("logs the reason of a refusal, and the typed address only when enabled", async () => {
      const linesOf = async (isWanted: boolean) => {
        const own = await startAccess(opened.database, { SVC_LOG_LOGIN_EMAIL: isWanted });
        const attempt = { ...nothingKept, password: "guess", origin: ownOrigin };
        for (const typed of [email, "no-one@example.org"])
          await expect(own.sessions.login({ ...attempt, email: typed })).rejects.toThrow();
        await own.app.close();
        return own.logged.map((line) => JSON.parse(line)).filter(({ event }) => event === "auth.login_failed");
      };
      const plain = await linesOf(false);
      expect(plain).toMatchObject([
        { level: "info", reason: "wrong_password", user_id: expect.any(String) },
        { level: "info", reason: "unknown_email", user_id: null },
      ]);
      expect(JSON.stringify(plain)).not.toContain("@");
      expect((await linesOf(true)).map((line) => line.email)).toEqual([email, "no-one@example.org"]);
    });

    test("logs any number of refusals with one reason once a minute", async () => {
      const own = await startAccess(opened.database);
      const before = (await own.auditRows("auth.login_failed")).length;
      const attempt = (n: number) =>
        own.sessions.login({ ...nothingKept, email: `unknown-${n}@example.org`, password: "guess", origin: ownOrigin });
      const lines = () =>
        own.logged.map((line) => JSON.parse(line)).filter(({ event }) => event === "auth.login_failed");
      await Promise.allSettled(Array.from({ length: 30 }, (_, n) => attempt(n)));
      expect(lines()).toMatchObject([{ reason: "unknown_email", attempts: 1 }]);
      own.clock.advance(60_000);
      await expect(attempt(30)).rejects.toThrow();
      expect(lines()).toMatchObject([{ attempts: 1 }, { attempts: 30 }]);
      expect(await own.auditRows("auth.login_failed")).toHaveLength(before + 31);
      await own.app.close();
    });

    test("waits for one transaction whether or not the account exists, and collects the audit row when it does not", async () => {
      let transactions = 0;
      const own = await startAccess({
        ...opened.database,
        write(work, options) {
          // The collected rows have their own transactions.
          if (options?.alone !== true) transactions += 1;
          return opened.database.write(work, options);
        },
      });
      const refused = async (typed: string) => {
        transactions = 0;
        const attempt = { ...nothingKept, email: typed, password: "guess", origin: ownOrigin };
        await expect(own.sessions.login(attempt)).rejects.toMatchObject({ code: "unauthenticated" });
        return transactions;
      };
      const before = (await own.auditRows("auth.login_failed")).length;
      expect([await refused(email), await refused("no-one@example.org")]).toEqual([1, 1]);
      await opened.database.write((tx) =>
        tx
          .updateTable("users")
          .set({ locked_until: new Date(own.clock.now().getTime() + 60_000) })
          .execute(),
      );
      expect(await refused(email)).toBe(1);
      const reasons = (await own.auditRows("auth.login_failed")).slice(before);
      expect(reasons.map(({ metadata }) => JSON.parse(metadata).reason).sort()).toEqual([
        "locked",
        "unknown_email",
        "wrong_password",
      ]);
      await own.app.close();
    });

    test("answers refusals at whole multiples of the minimum time, and a success right after the minimum", async () => {
      const own = await startAccess(opened.database);
      const { findByEmail } = own.users;
      let tookMs = 0;
      own.users.findByEmail = async (typed) => {
        own.clock.advance(tookMs);
        return findByEmail(typed);
      };
      const pausesOf = async (password: string) => {
        own.pauses.length = 0;
        for (tookMs of [100, 450, 600])
          await own.sessions.login({ ...nothingKept, email, password, origin: ownOrigin }).catch(() => {});
        return own.pauses;
      };
      expect(await pausesOf("guess")).toEqual([200, 150]);
      await opened.database.write((tx) =>
        tx.updateTable("users").set({ failed_logins: 0, locked_until: null }).execute(),
      );
      expect(await pausesOf(adminPassword)).toEqual([200]);
      await own.app.close();
    });

    test("works with the longest lifetimes that the settings allow", async () => {
      const most = (name: keyof typeof sessionSettings.properties) =>
        Number((sessionSettings.properties[name] as { maximum?: number }).maximum);
      const own = await startAccess(opened.database, {
        SVC_SESSION_ABSOLUTE_LIFETIME_SECONDS: most("SVC_SESSION_ABSOLUTE_LIFETIME_SECONDS"),
        SVC_SESSION_REMEMBER_ME_LIFETIME_SECONDS: most("SVC_SESSION_REMEMBER_ME_LIFETIME_SECONDS"),
        SVC_SESSION_IDLE_TIMEOUT_SECONDS: most("SVC_SESSION_IDLE_TIMEOUT_SECONDS"),
      });
      for (const isRemembered of [false, true]) {
        const browser = await own.signIn(email, adminPassword, isRemembered);
        expect((await browser.get("/auth/sessions")).status).toBe(200);
      }
      await own.app.close();
    });

    test("keeps the session in one transaction with its audit row", async () => {
      const before = (await opened.database.read.selectFrom("sessions").select("id").execute()).length;
      const { state_hmac } = await opened.database.read
        .selectFrom("audit_chain_state")
        .select("state_hmac")
        .executeTakeFirstOrThrow();
      const seal = (text: string) =>
        opened.database.write((tx) => tx.updateTable("audit_chain_state").set({ state_hmac: text }).execute());
      await seal("0");
      await expect(login(adminPassword)).rejects.toThrow(/does not authenticate/);
      expect(await opened.database.read.selectFrom("sessions").select("id").execute()).toHaveLength(before);
      await seal(state_hmac);
      const { session } = await login(adminPassword);
      const context = { address: "127.0.0.1", userAgent: undefined };
      expect(await fixture.sessions.session(session.cookie, context)).toMatchObject({
        sessionId: session.id,
        user: { email },
      });
    });

    test("announces the end of a session in every process", async () => {
      const again = await opened.openAgain();
      const other = await startAccess(again);
      await other.sessions.start();
      const { session } = await login(adminPassword);
      const actor = await fixture.sessions.session(session.cookie, { address: "127.0.0.1", userAgent: undefined });
      const announced = Promise.withResolvers<unknown>();
      const listening = dialect === "postgres" ? other : fixture;
      listening.sessions.onEnded((ended) => announced.resolve(ended));
      await fixture.sessions.logout(actor!, ownOrigin);
      expect(await announced.promise).toEqual({ userId: actor?.user.id, sessionIds: [session.id] });
      await other.sessions.stop();
      await other.app.close();
      await again.close();
    });
  });
}
