import { sql } from "kysely";
import type { Database } from "../../../platform/database/database.ts";
import type { Tables } from "../../../schema/tables/index.ts";
import { matchCondition } from "../query/condition-reads.ts";
import type { ListFilter } from "../query/query.ts";
import { distinctValues } from "./distinct-values-reads.ts";
import type { Position, Scope } from "./match-reads.ts";
import { throughIndex } from "./time-limit-reads.ts";

// Where a text occurs, without walking the tasks: dictionaries and trigram indexes.

type Db = Database<Tables>;
type Runner = Db["read"];

export type TermField = "name" | "queue" | "worker";

export interface TermSearch {
  readonly field: TermField;
  readonly needle: string;
  /** Without case; the needle is folded then. */
  readonly isFolded: boolean;
  /** What the values begin with, with case. */
  readonly prefix?: string;
}

/** Terms of one field that a search looks through; a project with more has the search walk its tasks instead. */
const maxTermsRead = 100_000;

/**
 * SQLite: stored names, queues or workers that hold the needle (folded: without case, the needle then being folded too), `limit` at most.
 * Null when the dictionary is too large to be read for one page.
 */
export async function termsWith(
  db: Runner,
  projectId: string,
  { field, needle, isFolded }: TermSearch,
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
export async function newestByIdIndex(
  db: Runner,
  { scope, needle, filter }: { scope: Scope; needle: string; filter: ListFilter },
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

/** PostgreSQL: whether task ids have their trigram index, which needs an extension; looked up once. */
async function hasIdIndex(db: Runner): Promise<boolean> {
  const known = hasIndex.get(db);
  if (known !== undefined) return known;
  const query = sql<{ exists: boolean }>`SELECT to_regclass('task_search_trigrams') IS NOT NULL AS exists`;
  const exists = (await query.execute(db)).rows[0]?.exists === true;
  hasIndex.set(db, exists);
  return exists;
}

/** Whether the trigram index of PostgreSQL can narrow a search for this text; a stretch of letters or digits gives it something. */
const isIndexable = (needle: string): boolean => /[a-z0-9]{3}|[^a-z0-9][a-z0-9]{2}|[a-z0-9]{2}[^a-z0-9]/.test(needle);

const likePattern = (needle: string): string => `%${needle.replace(/[\\%_]/g, "\\$&")}%`;

/** PostgreSQL: the same through the last line of the search text, which is the task id. Null also without the index. */
export async function newestByIdLine(
  database: Db,
  { scope, needle, filter }: { scope: Scope; needle: string; filter: ListFilter },
  { limit, cap, timeoutMs }: { limit: number; cap: number; timeoutMs: number },
): Promise<Position[] | null> {
  if (!isIndexable(needle) || !(await hasIdIndex(database.read))) return null;
  const conditions = [
    sql`project_id = ${scope.projectId}`,
    sql`split_part(search_text, E'\n', -1) LIKE ${likePattern(needle)}`,
    ...(scope.since === null ? [] : [sql`received_at >= ${scope.since}`]),
    ...(scope.until === null ? [] : [sql`received_at <= ${scope.until}`]),
    ...(scope.after === null ? [] : [sql`(received_at, id) < (${scope.after.receivedAt}, ${scope.after.id})`]),
  ];
  const query = sql<{ id: string | null; received_at: Date; looked_at: number }>`
    WITH found AS MATERIALIZED (
      SELECT id FROM task_search WHERE ${sql.join(conditions, sql` AND `)} LIMIT ${cap + 1}
    )
    SELECT newest.id, newest.received_at, counted.looked_at
    FROM (SELECT count(*) AS looked_at FROM found) AS counted LEFT JOIN (
      SELECT task.id, task.received_at FROM found JOIN tasks AS task ON task.id = found.id
      WHERE ${matchCondition("postgres", filter)} ORDER BY task.received_at DESC, task.id DESC LIMIT ${limit}
    ) AS newest ON true ORDER BY newest.received_at DESC, newest.id DESC`;
  const rows = await throughIndex(database, query, timeoutMs);
  if (rows === null || rows.some(({ looked_at }) => looked_at > cap)) return null;
  return rows.flatMap(({ id, received_at }) => (id === null ? [] : [toPosition({ id, received_at })]));
}

/** Distinct values of a column that one search steps through. */
const maxValuesRead = 5000;

/** PostgreSQL: names, queues or workers that hold the needle, each value found by one step in the index; null when there are too many. */
export async function valuesWith(
  db: Runner,
  projectId: string,
  { field, needle, isFolded, prefix = "" }: TermSearch,
  limit: number,
): Promise<string[] | null> {
  const column = field === "worker" ? "worker_name" : field;
  const { rows } = await distinctValues("postgres", projectId, { column, prefix }, maxValuesRead + 1).execute(db);
  if (rows.length > maxValuesRead) return null;
  const values = rows.map(({ value }) => value);
  return values.filter((value) => (isFolded ? value.toLowerCase() : value).includes(needle)).slice(0, limit);
}
