import { type Kysely, sql } from "kysely";

/** The greatest instant of a column that an index begins with, or of a small table; null for an empty table. */
export async function newestInstant<Schema>(
  db: Kysely<Schema>,
  table: keyof Schema & string,
  column: string,
): Promise<Date | null> {
  const { rows } = await sql<{ newest_at: Date | null }>`
    SELECT max(${sql.ref(column)}) AS newest_at FROM ${sql.table(table)}`.execute(db);
  return rows[0]?.newest_at ?? null;
}

/** The same for a table whose index begins with the id of its owner: one read at the end of the index for each owner. */
export async function newestOfEach<Schema>(
  db: Kysely<Schema>,
  owners: keyof Schema & string,
  { table, ownerId, column }: { table: keyof Schema & string; ownerId: string; column: string },
): Promise<Date | null> {
  const { rows } = await sql<{ newest_at: Date | null }>`
    SELECT max(each_owner.newest_at) AS newest_at FROM (
      SELECT (SELECT own.${sql.ref(column)} FROM ${sql.table(table)} AS own WHERE own.${sql.ref(ownerId)} = owner.id
        ORDER BY own.${sql.ref(column)} DESC LIMIT 1) AS newest_at
      FROM ${sql.table(owners)} AS owner) AS each_owner`.execute(db);
  return rows[0]?.newest_at ?? null;
}
