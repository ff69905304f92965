import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freshDatabaseUrl, openDatabaseAt, type TestDialect, testDialects } from "@svc/testkit/databases";
import { sql } from "kysely";
import { describe, expect, onTestFinished, test } from "vitest";
import { SettingsError } from "../platform/settings.ts";
import { startBrain } from "./main.ts";
import { appliedVersion, migrateStorage, schemaVersion } from "./storage.ts";

async function freshDatabase(dialect: TestDialect): Promise<string> {
  const { url, drop } = await freshDatabaseUrl(dialect);
  onTestFinished(drop);
  return url;
}

async function open(url: string) {
  const database = await openDatabaseAt(url);
  onTestFinished(() => database.close());
  return database;
}

/** Starts and stops a brain; rejects if its start fails. */
async function start(url: string, env: Record<string, string> = {}): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), "svc-test-home-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const brain = await startBrain({
    cwd: home,
    port: 0,
    announce: () => {},
    writeLog: () => {},
    env: { SVC_HOME: home, SVC_DATABASE_URL: url, ...env },
  });
  await brain.stop();
}

for (const dialect of testDialects) {
  describe(`a start on ${dialect}`, () => {
    test("migrates an empty database, and only one of two does when they start at once", async () => {
      const url = await freshDatabase(dialect);
      const [one, other] = [await open(url), await open(url)];
      const applied = await Promise.all([one, other].map((database) => migrateStorage(database, new Date(), 30_000)));
      expect(applied.map((names) => names.length > 0).sort()).toEqual([false, true]);
      expect(await appliedVersion(one)).toBe(schemaVersion());
      await start(url, { SVC_AUTO_MIGRATE: "false" });
    });

    test.each(["true", "false"])(
      "is refused by a database newer than the program, SVC_AUTO_MIGRATE=%s",
      async (isAuto) => {
        const url = await freshDatabase(dialect);
        const database = await open(url);
        await migrateStorage(database, new Date(), 30_000);
        const future = sql`INSERT INTO schema_migrations (name, applied_at) VALUES ('9999_future', ${new Date()})`;
        await database.write((tx) => future.execute(tx));
        await expect(start(url, { SVC_AUTO_MIGRATE: isAuto })).rejects.toThrow(
          /newer than this program.* 9999_future$/,
        );
      },
    );

    test("is refused when migrations are missing and may not be applied, and applies none", async () => {
      const url = await freshDatabase(dialect);
      await expect(start(url, { SVC_AUTO_MIGRATE: "false" })).rejects.toThrow(
        new RegExp(`lacks the migrations .*${schemaVersion()}; SVC_AUTO_MIGRATE is off`),
      );
      expect(await appliedVersion(await open(url))).toBe("");
    });

    test("is refused with invalid settings, naming all of them, before the database is touched", async () => {
      const url = await freshDatabase(dialect);
      const refused = start(url, { SVC_REDACTION_EXTRA_KEY_PATTERNS: '["ok","("]', SVC_EVENT_RETENTION_DAYS: "0" });
      const error = await refused.catch((thrown) => thrown);
      expect(error).toBeInstanceOf(SettingsError);
      expect((error as SettingsError).faults.map(({ name }) => name).sort()).toEqual([
        "SVC_EVENT_RETENTION_DAYS",
        "SVC_REDACTION_EXTRA_KEY_PATTERNS",
      ]);
      expect(await appliedVersion(await open(url))).toBe("");
    });
  });
}
