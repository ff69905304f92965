import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrainDatabase, migrateStorage, openStorage } from "@svc/brain/storage";
import { afterAll, beforeAll, inject } from "vitest";
import { databaseLimits } from "./database-limits.ts";
import { isEverything } from "./matrix.ts";
import { createTestDatabase } from "./services/postgres.ts";
import type {} from "./services/setup/template-setup.ts";

/** The two databases that every store test runs on; `DIALECTS=sqlite` narrows a run. */
export const testDialects = (process.env.DIALECTS?.split(",") ?? ["sqlite", "postgres"]) as ("sqlite" | "postgres")[];

export type TestDialect = (typeof testDialects)[number];

/**
 * For tests of what a caller sees: routes, refusals, rights. In an ordinary run they take the embedded database alone, and the statements
 * behind them meet the server database in store tests. A run of everything takes both.
 */
export const routeDialects: readonly TestDialect[] =
  isEverything || testDialects.length === 1 ? testDialects : ["sqlite"];

export interface OpenedTestDatabase {
  readonly url: string;
  readonly database: BrainDatabase;
  /** Opens the same database once more, as a second process would. The caller closes it. */
  openAgain(): Promise<BrainDatabase>;
  close(): Promise<void>;
}

/** A URL of a fresh, empty database of its own, and how to remove it. Needs the postgres service for dialect `postgres`. */
export async function freshDatabaseUrl(dialect: TestDialect): Promise<{ url: string; drop(): Promise<void> }> {
  if (dialect === "postgres") return createTestDatabase(inject("postgresUrl"));
  const folder = await mkdtemp(join(tmpdir(), "svc-test-db-"));
  return { url: `sqlite://${join(folder, "svc.db")}`, drop: () => rm(folder, { recursive: true, force: true }) };
}

/** The same with the present schema in it: a copy of the run's template where there is one. Opening it as a service migrates what is missing. */
export async function migratedDatabaseUrl(dialect: TestDialect): ReturnType<typeof freshDatabaseUrl> {
  if (dialect === "postgres") return createTestDatabase(inject("postgresUrl"), inject("postgresTemplate"));
  const fresh = await freshDatabaseUrl(dialect);
  // Pictures and benchmarks start brains outside of a test run, where nothing is provided.
  const template = process.env.VITEST === undefined ? undefined : inject("sqliteTemplate");
  if (template !== undefined) await copyFile(template, fresh.url.slice("sqlite://".length));
  return fresh;
}

/** Opens the database of a brain beside it, as it is. The caller closes it. */
export const openDatabaseAt = (url: string): Promise<BrainDatabase> => openStorage({ url, ...databaseLimits });

/** A migrated database of its own; `close` removes it. */
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
 * Gives the tests of the surrounding `describe` one migrated database, removed when they end:
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

/** Makes the row of a project that exists for the sake of its foreign keys. */
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
