import type { Pool, PoolClient } from "pg";
import pg from "pg";
import { days } from "../../../../durations.ts";

/**
 * Daily range partitions of a table on PostgreSQL, called `<table>_<day>`. A partition is created as a separate table and then attached, so
 * readers and writers do not wait. It is detached the same way before it is dropped.
 */
const dayName = /^(\d{4})(\d{2})(\d{2})$/;
/** Arbitrary number of the advisory lock that every process takes before it changes partitions. */
const partitionLock = "5270911483047";

/** Number of the UTC day of an instant in milliseconds. */
export const dayOf = (at: number): number => Math.floor(at / days(1));

const isoOf = (day: number): string => new Date(days(day)).toISOString();
const nameOf = (table: string, day: number): string => `${table}_${isoOf(day).slice(0, 10).replaceAll("-", "")}`;

/** The first instant of the UTC day with this number. */
export const startOf = (day: number): Date => new Date(days(day));

/** Days that have a partition. */
export async function listPartitions(pool: Pick<Pool, "query">, table: string): Promise<number[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = $1::regclass`,
    [table],
  );
  return daysNamed(table, rows);
}

/** Days with a table: a partition, or a detached one whose removal was interrupted. */
async function listTables(pool: Pool, table: string): Promise<number[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_class e USING (relnamespace)
     WHERE e.oid = $1::regclass AND c.relkind = 'r'`,
    [table],
  );
  return daysNamed(table, rows);
}

const daysNamed = (table: string, rows: readonly { readonly name: string }[]): number[] =>
  rows
    .filter(({ name }) => name.startsWith(`${table}_`))
    .map(({ name }) => dayName.exec(name.slice(table.length + 1)))
    .filter((match) => match !== null)
    .map(([, year, month, day]) => Date.UTC(Number(year), Number(month) - 1, Number(day)) / days(1))
    .sort((a, b) => a - b);

/** Creates the missing partitions of the given days. */
export async function createPartitions(pool: Pool, table: string, days: readonly number[]): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await client.query(`SELECT pg_advisory_xact_lock(${partitionLock})`);
    const present = new Set(await listPartitions(client, table));
    for (const day of days) if (!present.has(day)) await createPartition(client, table, day);
    await client.query("COMMIT");
    client.release();
  } catch (error) {
    await releaseClient(client);
    throw error;
  }
}

async function createPartition(client: PoolClient, table: string, day: number): Promise<void> {
  const name = pg.escapeIdentifier(nameOf(table, day));
  const parent = pg.escapeIdentifier(table);
  // A detached partition whose removal was interrupted may still have this name. Its rows are past retention.
  await client.query(`CREATE TABLE IF NOT EXISTS ${name} (LIKE ${parent} INCLUDING ALL)`);
  const bounds = `FROM (${pg.escapeLiteral(isoOf(day))}) TO (${pg.escapeLiteral(isoOf(day + 1))})`;
  await client.query(`ALTER TABLE ${parent} ATTACH PARTITION ${name} FOR VALUES ${bounds}`);
}

export interface DropRequest {
  readonly table: string;
  /** Partitions of earlier days are dropped; null for none. */
  readonly firstKept: number | null;
  /** Empty partitions of earlier days are dropped. */
  readonly firstKeptEmpty: number;
  /** Whether an old partition must stay, because rows of that day are still needed. */
  isNeeded?(day: number): Promise<boolean>;
}

/**
 * Drops old partitions and finishes interrupted removals.
 *
 * @returns the number of dropped partitions.
 */
export async function dropPartitions(
  pool: Pool,
  { table, firstKept, firstKeptEmpty, isNeeded }: DropRequest,
): Promise<number> {
  let dropped = 0;
  for (const day of await listTables(pool, table)) {
    const isOld = firstKept !== null && day < firstKept;
    if (!isOld && (day >= firstKeptEmpty || !(await isEmpty(pool, table, day)))) continue;
    if (isOld && (await isNeeded?.(day)) === true) continue;
    await dropPartition(pool, table, day);
    dropped += 1;
  }
  return dropped;
}

async function isEmpty(pool: Pool, table: string, day: number): Promise<boolean> {
  const { rows } = await pool.query<{ empty: boolean }>(
    `SELECT NOT EXISTS (SELECT 1 FROM ${pg.escapeIdentifier(nameOf(table, day))}) AS empty`,
  );
  return rows[0]?.empty === true;
}

async function dropPartition(pool: Pool, table: string, day: number): Promise<void> {
  const client = await pool.connect();
  const name = pg.escapeIdentifier(nameOf(table, day));
  try {
    await client.query("SET lock_timeout = 3000");
    // DETACH CONCURRENTLY cannot run in a transaction. If an earlier one was interrupted, it has to be finalized.
    const { rows } = await client.query<{ pending: boolean }>(
      "SELECT inhdetachpending AS pending FROM pg_inherits WHERE inhrelid = to_regclass($1)",
      [nameOf(table, day)],
    );
    const way = rows[0]?.pending === true ? "FINALIZE" : "CONCURRENTLY";
    if (rows.length > 0)
      await client.query(`ALTER TABLE ${pg.escapeIdentifier(table)} DETACH PARTITION ${name} ${way}`);
    await client.query(`DROP TABLE IF EXISTS ${name}`);
  } finally {
    // Close the connection, so that the setting above does not leak.
    client.release(true);
  }
}

/**
 * Whether a row fits no partition, as after another process dropped one: a check violation without a constraint name. Its text is in the
 * server's language.
 */
export const isPartitionMissing = (error: unknown): boolean =>
  (error as { code?: unknown }).code === "23514" && (error as { constraint?: string }).constraint === undefined;

async function releaseClient(client: PoolClient): Promise<void> {
  const isUsable = await client.query("ROLLBACK").then(
    () => true,
    () => false,
  );
  client.release(!isUsable);
}
