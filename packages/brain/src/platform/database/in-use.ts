import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { connectionConfig, type PostgresOptions } from "./dialects/postgres/pool.ts";
import { sqlitePath } from "./open.ts";

const busyCode = 5;

/**
 * Whether any process of this service has the database open. Ask before opening it: an own connection would count.
 *
 * @throws the driver's error when the server database cannot be reached.
 */
export const isInUse = (options: PostgresOptions): Promise<boolean> =>
  options.url.startsWith("sqlite:") ? isFileInUse(sqlitePath(options.url)) : isServerInUse(options);

/** Leaving WAL mode needs exclusive access, so it detects every other connection, even idle ones. Opening sets the mode again. */
async function isFileInUse(path: string): Promise<boolean> {
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    db.exec("PRAGMA journal_mode = DELETE");
    return false;
  } catch (error) {
    if (((error as { errcode?: number }).errcode ?? 0) % 256 === busyCode) return true;
    throw error;
  } finally {
    db.close();
  }
}

async function isServerInUse(options: PostgresOptions): Promise<boolean> {
  const config = connectionConfig(options);
  const client = new pg.Client({ ...config, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    const { rows } = await client.query<{ others: boolean }>(
      `SELECT EXISTS (SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
          AND application_name IN ($1, current_setting('application_name'))) AS others`,
      // The URL may set another application name.
      [config.application_name],
    );
    return rows[0]?.others === true;
  } finally {
    await client.end();
  }
}
