import { freshDatabaseUrl, openDatabaseAt, testDialects } from "@svc/testkit/databases";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Database } from "../../platform/database/database.ts";
import { appliedMigrations, type Migration, migrate } from "../../platform/database/migrate.ts";
import { migrations } from "./migrations.ts";

const options = { now: new Date("2026-05-20T12:00:00.000Z"), lockTimeoutMs: 30_000 };

test("migrations are numbered in their order", () => {
  for (const [index, { name }] of migrations.entries()) {
    expect(name).toMatch(new RegExp(`^${String(index + 1).padStart(4, "0")}_[a-z_]+$`));
  }
});

for (const dialect of testDialects) {
  describe(`the schema on ${dialect}`, () => {
    async function openEmpty(): Promise<Database<unknown>> {
      const { url, drop } = await freshDatabaseUrl(dialect);
      const database = await openDatabaseAt(url);
      onTestFinished(async () => {
        await database.close();
        await drop();
      });
      return database as unknown as Database<unknown>;
    }
    const tablesOf = async (database: Database<unknown>) =>
      (await database.read.introspection.getTables())
        .map(({ name, columns }) => [name, ...columns.map((column) => column.name).sort()])
        .sort();
    const later: Migration = {
      name: `${String(migrations.length + 1).padStart(4, "0")}_later`,
      statements: (t) => [
        `CREATE TABLE later_made (id ${t.uuid} PRIMARY KEY, is_new ${t.bool} NOT NULL) ${t.options}`,
        `ALTER TABLE later_made ADD COLUMN made_at ${t.instant}`,
      ],
    };

    test("of an older database is brought up to date by applying only what is missing", async () => {
      const old = await openEmpty();
      await migrate(old, migrations, options);
      expect(await migrate(old, [...migrations, later], options)).toEqual([later.name]);
      expect(await migrate(old, [...migrations, later], options)).toEqual([]);

      const fresh = await openEmpty();
      expect(await migrate(fresh, [...migrations, later], options)).toEqual([
        ...migrations.map(({ name }) => name),
        later.name,
      ]);
      expect(await tablesOf(old)).toEqual(await tablesOf(fresh));
      expect(await tablesOf(old)).toContainEqual(["later_made", "id", "is_new", "made_at"]);
    });

    test("stays as it was when a statement of a migration fails", async () => {
      const database = await openEmpty();
      await migrate(database, migrations, options);
      const before = await tablesOf(database);
      const broken: Migration = { name: later.name, statements: (t) => [...later.statements(t), "CREATE TABLE ("] };
      await expect(migrate(database, [...migrations, broken], options)).rejects.toThrow(/syntax error/);
      expect(await tablesOf(database)).toEqual(before);
      expect(await appliedMigrations(database)).toEqual(migrations.map(({ name }) => name));
    });
  });
}
