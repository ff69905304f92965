import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrainDatabase, migrateStorage, openStorage } from "@svc/brain/storage";
import { afterAll, beforeAll, inject } from "vitest";
import { databaseLimits } from "./database-limits.ts";
import { isEverything } from "./matrix.ts";
import { createTestDatabase } from "./services/postgres.ts";
import type {} from "./services/setup/template-setup.ts";

/** The two databases that every store test runs on; `DIALECTS=sqlite` limits a run. */
export const testDialects = (process.env.DIALECTS?.split(",") ?? ["sqlite", "postgres"]) as ("sqlite" | "postgres")[];

export type TestDialect = (typeof testDialects)[number];

/**
 * For tests of routes, errors and rights. An ordinary run uses only the embedded database for them, since store tests cover their
 * statements on the server database. A run with `--everything` uses both.
 */
export const routeDialects: readonly TestDialect[] =
  isEverything || testDialects.length === 1 ? testDialects : ["sqlite"];

export interface OpenedTestDatabase {
  readonly url: string;
  readonly database: BrainDatabase;
  /** Opens the same database again, as a second process would. The caller closes it. */
  openAgain(): Promise<BrainDatabase>;
  close(): Promise<void>;
}

/** The URL of a new, empty database, and a function that removes it. Dialect `postgres` needs the postgres service. */
export async function freshDatabaseUrl(dialect: TestDialect): Promise<{ url: string; drop(): Promise<void> }> {
  if (dialect === "postgres") return createTestDatabase(inject("postgresUrl"));
  const folder = await mkdtemp(join(tmpdir(), "svc-test-db-"));
  return { url: `sqlite://${join(folder, "svc.db")}`, drop: () => rm(folder, { recursive: true, force: true }) };
}

/** The same with the current schema: a copy of the run's template, if there is one. Otherwise, opening it as a service migrates it. */
export async function migratedDatabaseUrl(dialect: TestDialect): ReturnType<typeof freshDatabaseUrl> {
  if (dialect === "postgres") return createTestDatabase(inject("postgresUrl"), inject("postgresTemplate"));
  const fresh = await freshDatabaseUrl(dialect);
  // Screenshots and benchmarks start brains outside a test run, where nothing is provided.
  const template = process.env.VITEST === undefined ? undefined : inject("sqliteTemplate");
  if (template !== undefined) await copyFile(template, fresh.url.slice("sqlite://".length));
  return fresh;
}

/** Opens the database of a running brain. The caller closes it. */
export const openDatabaseAt = (url: string): Promise<BrainDatabase> => openStorage({ url, ...databaseLimits });

/** A new migrated database; `close` removes it. */
export async function openTestDatabase(dialect: TestDialect): Promise<OpenedTestDatabase> {
  const { url, drop } = await migratedDatabaseUrl(dialect);
  const database = await openStorage({ url, ...databaseLimits });
  await migrateStorage(database, new Date(), 30_000);
  return {
    url,
    database,
    openAgain: () => openDatabaseAt(url),
    async close() {
      await database.close();
      await drop();
    },
  };
}

/**
 * Provides one migrated database to the tests of the surrounding `describe`, and removes it afterwards:
 * `for (const dialect of testDialects) describe(dialect, () => { const test = useTestDatabase(dialect); … test.database … })`.
 */
export function useTestDatabase(dialect: TestDialect): OpenedTestDatabase {
  let opened: OpenedTestDatabase | undefined;
  beforeAll(async () => {
    opened = await openTestDatabase(dialect);
  });
  afterAll(async () => opened?.close());
  const now = () => {
    if (opened === undefined) throw new Error("the test database is open only inside tests and hooks");
    return opened;
  };
  return {
    get url() {
      return now().url;
    },
    get database() {
      return now().database;
    },
    openAgain: () => now().openAgain(),
    close: () => now().close(),
  };
}

/** Inserts a project row that foreign keys can refer to. */
export async function addProject(database: BrainDatabase, id: string): Promise<string> {
  const now = new Date();
  await database.write((tx) =>
    tx
      .insertInto("projects")
      .values({
        id,
        slug: `p-${id}`,
        name: "project",
        description: null,
        environment: "test",
        timezone: "UTC",
        is_active: true,
        automation_enabled: false,
        automation_revision: 0,
        default_scheduler_owner: "svc",
        allowed_schedulers: null,
        settings: null,
        organization_id: null,
        created_at: now,
        updated_at: now,
      })
      .execute(),
  );
  return id;
}
