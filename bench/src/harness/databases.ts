import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type BrainDatabase, migrateStorage, openStorage } from "@svc/brain/storage";
import { createTestDatabase } from "@svc/testkit";
import { addProject } from "@svc/testkit/databases";
import type { BenchContext } from "./suite.ts";

export type Dialect = "sqlite" | "postgres";

/** A new database, and a new folder for the service on it. */
export interface Place {
  readonly dialect: Dialect;
  /** Display name. */
  readonly label: string;
  readonly home: string;
  readonly databaseUrl: string;
}

type Scratch = Pick<BenchContext, "scratchDir" | "postgres">;

/** Measures on a new database, which is removed at the end. */
export async function onDatabase<T>(
  { scratchDir, postgres }: Scratch,
  dialect: Dialect,
  measure: (place: Place) => Promise<T>,
  folder: string = dialect,
): Promise<T> {
  const home = join(scratchDir, folder);
  await mkdir(home, { recursive: true });
  if (dialect === "sqlite")
    return measure({ dialect, label: "SQLite", home, databaseUrl: `sqlite://${join(home, "svc.db")}` });
  const { url: databaseUrl, drop } = await createTestDatabase(await postgres());
  try {
    return await measure({ dialect, label: "PostgreSQL", home, databaseUrl });
  } finally {
    await drop();
  }
}

/** The rows of each database in turn. */
export async function onDatabases<Row>(
  scratch: Scratch,
  dialects: readonly Dialect[],
  measure: (place: Place) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const dialect of dialects) rows.push(...(await onDatabase(scratch, dialect, measure)));
  return rows;
}

export const bothDialects: readonly Dialect[] = ["sqlite", "postgres"];

/** Options for suites that open a database directly. */
const limits = {
  synchronous: "full",
  poolSize: 10,
  maxOverflow: 5,
  statementTimeoutMs: 60_000,
  lockTimeoutMs: 10_000,
  idleInTransactionMs: 60_000,
  inactiveConnectionSeconds: 60,
  requireTls: false,
  onError: () => {},
} as const;

export async function withStorage<T>(
  url: string,
  work: (database: BrainDatabase) => Promise<T>,
  pool: { readonly poolSize?: number; readonly maxOverflow?: number } = {},
): Promise<T> {
  const database = await openStorage({ url, ...limits, ...pool });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** The project of suites that write without a service. */
export const benchProjectId = "11111111-2222-4333-8444-555555555555";

/** A pseudo-random id for a number, like UUID v5. */
export function uuidOf(number: number): string {
  const hex = createHash("md5").update(String(number)).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** Creates the tables of a new database, and the project. */
export async function prepareStorage(database: BrainDatabase): Promise<void> {
  await migrateStorage(database, new Date(), 30_000);
  await addProject(database, benchProjectId);
}
