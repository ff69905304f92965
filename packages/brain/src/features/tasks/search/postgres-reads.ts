import { sql } from "kysely";
import { isTimeout, throughIndex } from "../../../platform/database/dialects/time-limit.ts";
import type { BrainDatabase, Db } from "../../../schema/tables/index.ts";
import { matchCondition } from "../query/condition-reads.ts";
import type { ListFilter } from "../query/query.ts";
import { distinctValues, type ValueSearch } from "./distinct-values-reads.ts";
import { bounds, type ListScope, positionOf, type TaskPosition } from "./match-reads.ts";

// Features of PostgreSQL only: trigrams of the search text, and a statement timeout.

const hasIndex = new WeakMap<object, boolean>();

/** Whether task ids have their trigram index, which needs an extension; checked once. */
async function hasIdIndex(db: Db): Promise<boolean> {
  const known = hasIndex.get(db);
  if (known !== undefined) return known;
  const query = sql<{ exists: boolean }>`SELECT to_regclass('task_search_trigrams') IS NOT NULL AS exists`;
  const exists = (await query.execute(db)).rows[0]?.exists === true;
  hasIndex.set(db, exists);
  return exists;
}

/** Whether the trigram index can narrow a search for this text, which needs a run of alphanumeric characters. */
const isIndexable = (needle: string): boolean => /[a-z0-9]{3}|[^a-z0-9][a-z0-9]{2}|[a-z0-9]{2}[^a-z0-9]/.test(needle);

const likePattern = (needle: string): string => `%${needle.replace(/[\\%_]/g, "\\$&")}%`;

/**
 * The newest tasks whose id contains the folded needle and that match the filter, through the last line of the search text, which is the id.
 * Null when the index cannot narrow the search or is missing, when it would read more than `cap` rows, and when the time limit was reached.
 */
export async function newestById(
  database: BrainDatabase,
  { scope, needle, filter }: { scope: ListScope; needle: string; filter: ListFilter },
  { limit, cap, timeoutMs }: { limit: number; cap: number; timeoutMs: number },
): Promise<TaskPosition[] | null> {
  if (!isIndexable(needle) || !(await hasIdIndex(database.read))) return null;
  const conditions = [
    sql`project_id = ${scope.projectId}`,
    sql`split_part(search_text, E'\n', -1) LIKE ${likePattern(needle)}`,
    ...(scope.since === null ? [] : [sql`received_at >= ${scope.since}`]),
    ...(scope.until === null ? [] : [sql`received_at <= ${scope.until}`]),
    ...(scope.after === null ? [] : [sql`(received_at, id) < (${scope.after.receivedAt}, ${scope.after.id})`]),
  ];
  const query = sql<{ id: string | null; received_at: Date; candidates: number }>`
    WITH found AS MATERIALIZED (
      SELECT id FROM task_search WHERE ${sql.join(conditions, sql` AND `)} LIMIT ${cap + 1}
    )
    SELECT newest.id, newest.received_at, counted.candidates
    FROM (SELECT count(*) AS candidates FROM found) AS counted LEFT JOIN (
      SELECT task.id, task.received_at FROM found JOIN tasks AS task ON task.id = found.id
      WHERE ${matchCondition(filter)} ORDER BY task.received_at DESC, task.id DESC LIMIT ${limit}
    ) AS newest ON true ORDER BY newest.received_at DESC, newest.id DESC`;
  const rows = await throughIndex(database, query, timeoutMs);
  if (rows === null || rows.some(({ candidates }) => candidates > cap)) return null;
  return rows.flatMap(({ id, received_at }) => (id === null ? [] : [positionOf({ id, received_at })]));
}

/** Maximum number of distinct values of a column that one search steps through. */
const maxValuesRead = 5000;

/** Names, queues or workers that contain the needle, each found by one step in the index; null when there are too many. */
export async function valuesWith(
  db: Db,
  projectId: string,
  { field, needle, isFolded, prefix = "" }: ValueSearch,
  limit: number,
): Promise<string[] | null> {
  const column = field === "worker" ? "worker_name" : field;
  const { rows } = await distinctValues(projectId, { column, prefix }, maxValuesRead + 1).execute(db);
  if (rows.length > maxValuesRead) return null;
  const values = rows.map(({ value }) => value);
  return values.filter((value) => (isFolded ? value.toLowerCase() : value).includes(needle)).slice(0, limit);
}

/** The number of matches, by one statement; null when it exceeded the statement timeout. */
export async function countAtOnce(db: Db, scope: ListScope, filter: ListFilter): Promise<number | null> {
  const conditions = [sql`project_id = ${scope.projectId}`, ...bounds(scope), sql`(${matchCondition(filter)})`];
  const query = sql<{ count: number }>`
    SELECT count(*) AS count FROM tasks AS task WHERE ${sql.join(conditions, sql` AND `)}`;
  try {
    const { rows } = await query.execute(db);
    return Number(rows[0]?.count ?? 0);
  } catch (error) {
    if (isTimeout(error)) return null;
    throw error;
  }
}
