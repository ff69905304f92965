import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";
import type { Tables } from "../../schema/tables/index.ts";
import type { TaskFilter } from "./filter.ts";
import { matchCondition } from "./match-condition-reads.ts";
import type { Position, Scope } from "./match-reads.ts";

// Where a text occurs, without walking the tasks: dictionaries and trigram indexes.

type Db = Database<Tables>;
type Runner = Db["read"];

export type TermField = "name" | "queue" | "worker";

/** Terms of one field that a search looks through; a project with more has the search walk its tasks instead. */
const maxTermsRead = 100_000;

/**
 * SQLite: stored names, queues or workers that hold the needle (folded: without case, the needle then being folded too), `limit` at most.
 * Null when the dictionary is too large to be read for one page.
 */
export async function termsWith(
  db: Runner,
  projectId: string,
  { field, needle, isFolded }: { field: TermField; needle: string; isFolded: boolean },
  limit: number,
): Promise<string[] | null> {
  const terms = () => db.selectFrom("task_terms").where("project_id", "=", projectId).where("field", "=", field);
  const beyond = await terms().select("field").limit(1).offset(maxTermsRead).executeTakeFirst();
  if (beyond !== undefined) return null;
  const rows = await terms()
    .select("value")
    .where(sql<boolean>`instr(${sql.ref(isFolded ? "folded" : "value")}, ${needle}) > 0`)
    .limit(limit)
    .execute();
  return rows.map(({ value }) => value);
}

/** Parts of a needle that the index is asked for; more would hardly narrow the answer. */
const maxTrigrams = 24;

/** The query of the task id index for texts that may hold the needle, or null when it is shorter than a trigram. */
export function trigramQuery(needle: string): string | null {
  const characters = [...needle];
  if (characters.length < 3) return null;
  const trigrams = new Set<string>();
  for (let at = 0; at + 3 <= characters.length && trigrams.size < maxTrigrams; at += 1) {
    trigrams.add(
      `"${characters
        .slice(at, at + 3)
        .join("")
        .replaceAll('"', '""')}"`,
    );
  }
  return [...trigrams].join(" AND ");
}

const toPosition = ({ id, received_at }: { id: string; received_at: Date }): Position => ({
  id,
  receivedAt: received_at,
});

/**
 * SQLite: the newest tasks whose id holds the folded needle and that match the filter. Null when the needle has no trigram, or when more
 * than `cap` rows would have to be looked at: then the text is frequent, and a walk finds it.
 */
export async function newestByTaskId(
  db: Runner,
  { scope, needle, filter }: { scope: Scope; needle: string; filter: TaskFilter },
  { limit, cap }: { limit: number; cap: number },
): Promise<Position[] | null> {
  const query = trigramQuery(needle);
  if (query === null) return null;
  const { rows: indexed } = await sql<{ serial: number }>`
    SELECT rowid AS serial FROM task_id_search WHERE task_id_search MATCH ${query} LIMIT ${cap + 1}`.execute(db);
  if (indexed.length > cap) return null;
  // Rows that the index has not taken up yet are few: the indexing loop runs every second.
  const { rows: backlog } = await sql<{ mark: number; rows: number }>`
    SELECT serial AS mark, coalesce((SELECT max(serial) FROM tasks), 0) - serial AS rows FROM task_search_mark`.execute(
    db,
  );
  const { mark, rows: waiting } = backlog[0] ?? { mark: 0, rows: 0 };
  if (waiting > maxWaiting) return null;
  const conditions = [
    sql`task.project_id = ${scope.projectId}`,
    sql`(${matchCondition("sqlite", filter)})`,
    ...(scope.since === null ? [] : [sql`task.received_at >= ${scope.since}`]),
    ...(scope.until === null ? [] : [sql`task.received_at <= ${scope.until}`]),
    ...(scope.after === null
      ? []
      : [sql`(task.received_at, task.id) < (${scope.after.receivedAt}, ${scope.after.id})`]),
  ];
  const serials = JSON.stringify(indexed.map(({ serial }) => serial));
  const where = sql.join(conditions, sql` AND `);
  const { rows } = await sql<{ id: string; received_at: Date }>`
    SELECT task.id AS id, task.received_at AS received_at
    FROM json_each(${serials}) AS given CROSS JOIN tasks AS task ON task.serial = given.value WHERE ${where}
    UNION SELECT task.id, task.received_at FROM tasks AS task NOT INDEXED WHERE task.serial > ${mark} AND ${where}
    ORDER BY received_at DESC, id DESC LIMIT ${limit}`.execute(db);
  return rows.map(toPosition);
}

/** Rows not indexed yet that a search reads one by one. */
const maxWaiting = 20_000;

const hasIndex = new WeakMap<object, boolean>();

/** PostgreSQL: whether search_text has its trigram index; looked up once. */
export async function hasTextIndex(db: Runner): Promise<boolean> {
  const known = hasIndex.get(db);
  if (known !== undefined) return known;
  const { rows } = await sql<{
    exists: boolean;
  }>`SELECT to_regclass('task_search_trigrams') IS NOT NULL AS exists`.execute(db);
  const exists = rows[0]?.exists === true;
  hasIndex.set(db, exists);
  return exists;
}

/** PostgreSQL: whether the trigram index can narrow a search for this text; a stretch of letters or digits gives it something. */
export const isIndexable = (needle: string): boolean =>
  /[a-z0-9]{3}|[^a-z0-9][a-z0-9]{2}|[a-z0-9]{2}[^a-z0-9]/.test(needle);

const likePattern = (needle: string): string => `%${needle.replace(/[\\%_]/g, "\\$&")}%`;

/**
 * PostgreSQL: the newest tasks whose search text holds the folded needle and that match the filter, through the trigram index.
 * Null when that takes longer than `timeoutMs`.
 */
export async function newestByText(
  database: Db,
  { scope, needle, filter }: { scope: Scope; needle: string; filter: TaskFilter | null },
  { limit, timeoutMs }: { limit: number; timeoutMs: number },
): Promise<Position[] | null> {
  const conditions = [
    sql`found.project_id = ${scope.projectId}`,
    sql`found.search_text LIKE ${likePattern(needle)}`,
    ...(filter === null ? [] : [sql`(${matchCondition("postgres", filter)})`]),
    ...(scope.since === null ? [] : [sql`found.received_at >= ${scope.since}`]),
    ...(scope.until === null ? [] : [sql`found.received_at <= ${scope.until}`]),
    ...(scope.after === null
      ? []
      : [sql`(found.received_at, found.id) < (${scope.after.receivedAt}, ${scope.after.id})`]),
  ];
  const task = filter === null ? sql`` : sql` JOIN tasks AS task ON task.id = found.id`;
  const query = sql<{ id: string; received_at: Date }>`
    SELECT found.id, found.received_at FROM task_search AS found${task}
    WHERE ${sql.join(conditions, sql` AND `)} ORDER BY found.received_at DESC, found.id DESC LIMIT ${limit}`;
  return (await throughIndex(database, query, timeoutMs))?.map(toPosition) ?? null;
}

/** Runs a query that must not read its table from end to end, and not for longer than it may; null when it was ended for its time. */
async function throughIndex<Row>(database: Db, query: RawBuilder<Row>, timeoutMs: number): Promise<Row[] | null> {
  try {
    return await database.read.transaction().execute(async (tx) => {
      await sql`SELECT set_config('statement_timeout', ${String(Math.ceil(timeoutMs))}, true), set_config('enable_seqscan', 'off', true)`.execute(
        tx,
      );
      return (await query.execute(tx)).rows;
    });
  } catch (error) {
    if (isTimeout(error)) return null;
    throw error;
  }
}

/** Whether a statement of the server database was ended for its time. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof Error && (error as { code?: unknown }).code === "57014";

/** PostgreSQL: whether more than `cap` tasks of the project have the folded needle in their search text, or too many to tell in time. */
export async function isFrequentText(
  database: Db,
  { projectId, needle, cap }: { projectId: string; needle: string; cap: number },
  timeoutMs: number,
): Promise<boolean> {
  const query = sql<{ one: number }>`
    SELECT 1 AS one FROM task_search WHERE project_id = ${projectId} AND search_text LIKE ${likePattern(needle)} LIMIT 1 OFFSET ${cap}`;
  return (await throughIndex(database, query, timeoutMs))?.length !== 0;
}

/** PostgreSQL: every task name of a project, each found by one step in the index; null when there are more than `cap`. */
export async function taskNames(db: Runner, projectId: string, cap: number): Promise<string[] | null> {
  const { rows } = await sql<{ name: string }>`
    WITH RECURSIVE each (name) AS (
      (SELECT name FROM tasks WHERE project_id = ${projectId} ORDER BY name LIMIT 1)
      UNION ALL
      SELECT (SELECT name FROM tasks WHERE project_id = ${projectId} AND name > each.name ORDER BY name LIMIT 1)
      FROM each WHERE each.name IS NOT NULL
    ) SELECT name FROM each WHERE name IS NOT NULL LIMIT ${cap + 1}`.execute(db);
  return rows.length > cap ? null : rows.map(({ name }) => name);
}
