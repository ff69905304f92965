import { freshDatabaseUrl, openDatabaseAt, testDialects } from "@svc/testkit/databases";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Database } from "../../platform/database/database.ts";
import { migrate } from "../../platform/database/migrate.ts";
import { migrations } from "./index.ts";

/** The newest migration of the first databases that anybody kept: it and those before it stay as they are. */
const firstKept = "0004_search";
type BrainDatabase = Awaited<ReturnType<typeof openDatabaseAt>>;
const options = { now: new Date("2026-05-20T12:00:00.000Z"), lockTimeoutMs: 30_000 };

for (const dialect of testDialects) {
  describe(`the schema on ${dialect}`, () => {
    async function openEmpty(): Promise<BrainDatabase> {
      const { url, drop } = await freshDatabaseUrl(dialect);
      const database = await openDatabaseAt(url);
      onTestFinished(async () => {
        await database.close();
        await drop();
      });
      return database;
    }
    const bring = (database: BrainDatabase, to: typeof migrations) =>
      migrate(database as unknown as Database<unknown>, to, options);
    const tablesOf = async (database: BrainDatabase) =>
      (await database.read.introspection.getTables()).map(({ name }) => name).sort();

    test("of a database that was made first is brought to what a new one has", async () => {
      const old = await openEmpty();
      const kept = migrations.filter(({ name }) => name <= firstKept);
      expect(await bring(old, kept)).toHaveLength(4);
      expect(await tablesOf(old)).not.toContain("queue_depths");

      await bring(old, migrations);
      const fresh = await openEmpty();
      await bring(fresh, migrations);
      expect(await tablesOf(old)).toEqual(await tablesOf(fresh));
      expect(await tablesOf(old)).toContain("queue_depths");
    });
  });
}
