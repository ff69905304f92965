import type { Pool, PoolClient } from "pg";
import pg from "pg";
import { days } from "../../../platform/durations.ts";

/**
 * Daily range partitions of events on PostgreSQL. A partition is created as a separate table and then attached, so readers and writers do
 * not wait. It is detached the same way before it is dropped.
 */
const partitionName = /^events_(\d{4})(\d{2})(\d{2})$/;
/** Arbitrary number of the advisory lock that every process takes before it changes partitions. */
const partitionLock = "5270911483047";

/** Number of the UTC day of an instant in milliseconds. */
export const dayOf = (at: number): number => Math.floor(at / days(1));

const isoOf = (day: number): string => new Date(days(day)).toISOString();
const nameOf = (day: number): string => `events_${isoOf(day).slice(0, 10).replaceAll("-", "")}`;

/** Days that have a partition. */
export async function listPartitions(pool: Pick<Pool, "query">): Promise<number[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'events'::regclass`,
  );
  return daysNamed(rows);
}

/** Days with a table: a partition, or a detached one whose removal was interrupted. */
async function listTables(pool: Pool): Promise<number[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_class e USING (relnamespace)
     WHERE e.oid = 'events'::regclass AND c.relkind = 'r'`,
  );
  return daysNamed(rows);
}

const daysNamed = (rows: readonly { readonly name: string }[]): number[] =>
  rows
    .map(({ name }) => partitionName.exec(name))
    .filter((match) => match !== null)
    .map(([, year, month, day]) => Date.UTC(Number(year), Number(month) - 1, Number(day)) / days(1))
    .sort((a, b) => a - b);

/** Creates the missing partitions of the given days. */
export async function createPartitions(pool: Pool, days: readonly number[]): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await client.query(`SELECT pg_advisory_xact_lock(${partitionLock})`);
    const present = new Set(await listPartitions(client));
    for (const day of days) if (!present.has(day)) await createPartition(client, day);
    await client.query("COMMIT");
    client.release();
  } catch (error) {
    await releaseClient(client);
    throw error;
  }
}

async function createPartition(client: PoolClient, day: number): Promise<void> {
  const name = pg.escapeIdentifier(nameOf(day));
  // A detached partition whose removal was interrupted may still have this name. Its rows are past retention.
  await client.query(`CREATE TABLE IF NOT EXISTS ${name} (LIKE events INCLUDING ALL)`);
  const bounds = `FROM (${pg.escapeLiteral(isoOf(day))}) TO (${pg.escapeLiteral(isoOf(day + 1))})`;
  await client.query(`ALTER TABLE events ATTACH PARTITION ${name} FOR VALUES ${bounds}`);
}

/**
 * Drops the partitions of days before `firstKept`, and empty ones of days before `firstKeptEmpty`. Also finishes interrupted removals.
 *
 * @returns the number of dropped partitions.
 */
export async function dropPartitions(
  pool: Pool,
  { firstKept, firstKeptEmpty }: { firstKept: number | null; firstKeptEmpty: number },
): Promise<number> {
  let dropped = 0;
  for (const day of await listTables(pool)) {
    const isOld = firstKept !== null && day < firstKept;
    if (!isOld && (day >= firstKeptEmpty || !(await isEmpty(pool, day)))) continue;
    await dropPartition(pool, day);
    dropped += 1;
  }
  return dropped;
}

async function isEmpty(pool: Pool, day: number): Promise<boolean> {
  const { rows } = await pool.query<{ empty: boolean }>(
    `SELECT NOT EXISTS (SELECT 1 FROM ${pg.escapeIdentifier(nameOf(day))}) AS empty`,
  );
  return rows[0]?.empty === true;
}

async function dropPartition(pool: Pool, day: number): Promise<void> {
  const client = await pool.connect();
  const name = pg.escapeIdentifier(nameOf(day));
  try {
    await client.query("SET lock_timeout = 3000");
    // DETACH CONCURRENTLY cannot run in a transaction. If an earlier one was interrupted, it has to be finalized.
    const { rows } = await client.query<{ pending: boolean }>(
      "SELECT inhdetachpending AS pending FROM pg_inherits WHERE inhrelid = to_regclass($1)",
      [nameOf(day)],
    );
    const way = rows[0]?.pending === true ? "FINALIZE" : "CONCURRENTLY";
    if (rows.length > 0) await client.query(`ALTER TABLE events DETACH PARTITION ${name} ${way}`);
    await client.query(`DROP TABLE IF EXISTS ${name}`);
  } finally {
    // Close the connection, so that the setting above does not leak.
    client.release(true);
  }
}

async function releaseClient(client: PoolClient): Promise<void> {
  const isUsable = await client.query("ROLLBACK").then(
    () => true,
    () => false,
  );
  client.release(!isUsable);
}
