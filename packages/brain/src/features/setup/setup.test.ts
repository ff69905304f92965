import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeAll, describe, expect, test } from "vitest";
import { adminPassword, emptyTables, type Fixture, startAccess } from "../../../test/fixtures/access-fixture.ts";
import { createKeyring } from "../../platform/crypto/keyring.ts";
import { bindMasters, UnknownMaster } from "./masters.ts";

for (const dialect of testDialects) {
  describe(`the first start on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    let fixture: Fixture;
    beforeAll(async () => {
      fixture = await startAccess(opened.database);
      await fixture.setup.bind();
      await fixture.setup.begin();
    });

    test("accepts one of several concurrent set-ups at two processes, and leaves nothing of the others", async () => {
      const again = await opened.openAgain();
      const other = await startAccess(again);
      await other.setup.begin();
      const tokenOf = (links: string[]) => new URL(links[0] ?? "").hash.slice("#token=".length);
      const post = (started: Fixture, index: number, links = started.links) =>
        started.browser(`10.0.0.${index}`).send("POST", "~/setup/complete", {
          token: tokenOf(links),
          email: `admin-${index}@example.org`,
          password: adminPassword,
        });
      // Links of both processes work in both of them.
      const answers = await Promise.all([
        post(fixture, 1),
        post(other, 2),
        post(other, 3, fixture.links),
        post(fixture, 4, other.links),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
      const counts = await Promise.all(
        (["users", "projects", "memberships", "sessions"] as const).map(async (table) => {
          return (await opened.database.read.selectFrom(table).selectAll().execute()).length;
        }),
      );
      expect(counts).toEqual([1, 1, 1, 1]);
      await other.app.close();
      await again.close();
    });

    test("records an unauthenticated attempt before the answer, in a transaction that no other write shares", async () => {
      await emptyTables(opened.database);
      const shared: boolean[] = [];
      const write: typeof opened.database.write = async (work, options) => {
        shared.push(options?.alone !== true);
        return opened.database.write(work, options);
      };
      const started = await startAccess({ ...opened.database, write });
      shared.length = 0;
      const body = { token: "a".repeat(43), email: "admin@example.org", password: adminPassword };
      expect((await started.browser().send("POST", "~/setup/complete", body)).status).toBe(401);
      expect(await started.auditRows("setup.attempt")).toHaveLength(1);
      expect(shared).toEqual([false]);
      await started.app.close();
    });

    test("creates the administrator of the settings once when two processes start concurrently", async () => {
      await emptyTables(opened.database);
      const again = await opened.openAgain();
      const settings = {
        SVC_BOOTSTRAP_ADMIN_EMAIL: "root@example.org",
        SVC_BOOTSTRAP_ADMIN_PASSWORD: adminPassword,
      };
      const started = [await startAccess(opened.database, settings), await startAccess(again, settings)];

      await Promise.all(started.map(({ setup }) => setup.begin()));

      expect(started.flatMap(({ links }) => links)).toEqual([]);
      expect(started.flatMap(({ logged }) => logged).filter((line) => line.includes("bootstrap_done"))).toHaveLength(1);
      expect(await fixture.auditRows("setup.completed")).toHaveLength(1);
      for (const process of started) expect((await process.signIn("root@example.org")).jar.size).toBeGreaterThan(0);
      for (const { app } of started) await app.close();
      await again.close();
    });

    test("binds the database to its master secret, which may be rotated but not replaced", async () => {
      const current = "master-secret-0123456789-0123456789";
      const rotated = createKeyring("rotated-secret-0123456789-012345678", [current]);
      await bindMasters(opened.database, createKeyring(current));
      await bindMasters(opened.database, rotated);
      await bindMasters(opened.database, createKeyring(rotated.current));
      await expect(bindMasters(opened.database, createKeyring(current))).rejects.toThrow(UnknownMaster);
    });
  });
}
