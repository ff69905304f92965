import { waitFor } from "@svc/testkit";
import { type OpenedTestDatabase, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { sql } from "kysely";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { type Browser, emptyTables, type Fixture, startAccess } from "../../../test/fixtures/access-fixture.ts";

const email = "mira@example.org";
/** A background request is not activity. */
const background = { "x-svc-background": "1" };

/** One process. On SQLite a second one represents the first after a restart: it receives nothing from the other. */
async function startProcess(opened: OpenedTestDatabase, idleSeconds: number): Promise<Fixture> {
  const isOwn = opened.database.dialect === "postgres";
  const database = isOwn ? await opened.openAgain() : opened.database;
  const fixture = await startAccess(database, { SVC_SESSION_IDLE_TIMEOUT_SECONDS: idleSeconds });
  onTestFinished(async () => {
    await fixture.sessions.stop();
    await fixture.app.close();
    if (isOwn) await database.close();
  });
  return fixture;
}

/** The same browser, connected to another process. */
function sameBrowser(browser: Browser, fixture: Fixture): Browser {
  const same = fixture.browser();
  for (const [name, value] of browser.jar) same.jar.set(name, value);
  return same;
}

for (const dialect of testDialects) {
  describe(`the idle limit of two processes on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    beforeEach(() => emptyTables(opened.database));

    async function signedIn(idleSeconds: number) {
      const near = await startProcess(opened, idleSeconds);
      const far = await startProcess(opened, idleSeconds);
      far.clock.setWall(near.clock.now());
      await near.sessions.start();
      await near.addUser(email);
      const atNear = await near.signIn(email);
      return {
        ...{ near, far, atNear },
        atFar: sameBrowser(atNear, far),
        advance(ms: number) {
          for (const { clock } of [near, far]) clock.advance(ms);
        },
      };
    }
    const statusOf = async (browser: Browser) => (await browser.get("/auth/me", background)).status;

    test("counts from the start of a process that may have missed activity", async () => {
      const { far, atNear, atFar, advance } = await signedIn(60);
      advance(30_000);
      expect((await atNear.get("/auth/me")).status).toBe(200);
      advance(10_000);
      await far.sessions.start();

      advance(50_000);
      expect([await statusOf(atNear), await statusOf(atFar)]).toEqual([200, 200]);
      advance(10_000);
      expect([await statusOf(atNear), await statusOf(atFar)]).toEqual([401, 200]);
      advance(1);
      expect(await statusOf(atFar)).toBe(401);
    });

    test("is at most a minute longer for a session that was idle before a process started", async () => {
      const { far, atFar, advance } = await signedIn(1800);
      advance(600_000);
      await far.sessions.start();
      advance(1_260_000);
      expect(await statusOf(atFar)).toBe(200);
      advance(1);
      expect(await statusOf(atFar)).toBe(401);
    });

    if (dialect === "sqlite") return;
    test.each([60, 90, 1800])("counts from activity at the other one; limit %i s", async (idleSeconds) => {
      const { far, atNear, atFar, advance } = await signedIn(idleSeconds);
      await far.sessions.start();
      advance(59_000);
      // Too soon after the sign-in to be written.
      expect((await atNear.get("/auth/me")).status).toBe(200);

      advance(idleSeconds * 1000);
      await waitFor(async () => (await statusOf(atFar)) === 200);
      advance(1);

      expect([await statusOf(atNear), await statusOf(atFar)]).toEqual([401, 401]);
    });

    test("counts from the reconnection of a process that could not listen", async () => {
      const { far, atNear, atFar, advance } = await signedIn(60);
      await far.sessions.start();
      advance(30_000);
      await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE 'LISTEN%'`.execute(opened.database.read);
      expect((await atNear.get("/auth/me")).status).toBe(200);

      advance(60_000);
      await waitFor(async () => (await statusOf(atFar)) === 200);
    });
  });
}
