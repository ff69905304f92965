import { sql } from "kysely";
import type { BrainDatabase, Db } from "../../../schema/tables/index.ts";
import { matchCondition } from "../query/condition-reads.ts";
import type { ListFilter } from "../query/query.ts";
import type { ValueSearch } from "./distinct-values-reads.ts";
import {
  bounds,
  type CountStep,
  hasError,
  indexOf,
  type ListScope,
  positionOf,
  type TaskPosition,
  type TaskSource,
} from "./match-reads.ts";

// Features of SQLite only: a dictionary of names, queues and workers, a trigram index of task ids, and counts by an index alone.

/** Maximum number of terms of one field that a search scans; in a project with more, the search walks the tasks instead. */
const maxTermsRead = 100_000;

/**
 * At most `limit` stored names, queues or workers that contain the needle (folded: ignoring case, with a folded needle). Null when the
 * dictionary is too large to read for one page.
 */
export async function valuesWith(
  db: Db,
  projectId: string,
  { field, needle, isFolded }: ValueSearch,
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

/** Maximum number of parts of a needle that the index search uses; more would hardly narrow the result. */
const maxTrigrams = 24;

/** The query on the task id index for texts that may contain the needle, or null when it is shorter than a trigram. */
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

/**
 * The newest tasks whose id contains the folded needle and that match the filter. Null when the needle has no trigram, or when more than
 * `cap` rows would be read: then the text is frequent, and a walk finds it.
 */
export async function newestById(
  { slow: db }: Pick<BrainDatabase, "slow">,
  { scope, needle, filter }: { scope: ListScope; needle: string; filter: ListFilter },
  { limit, cap }: { limit: number; cap: number },
): Promise<TaskPosition[] | null> {
  const query = trigramQuery(needle);
  if (query === null) return null;
  const { rows: indexed } = await sql<{ serial: number }>`
    SELECT rowid AS serial FROM task_id_search WHERE task_id_search MATCH ${query} LIMIT ${cap + 1}`.execute(db);
  if (indexed.length > cap) return null;
  // Few rows are not indexed yet: the indexing loop runs every second.
  const { rows: backlog } = await sql<{ mark: number; rows: number }>`
    SELECT serial AS mark, coalesce((SELECT max(serial) FROM tasks), 0) - serial AS rows FROM task_search_mark`.execute(
    db,
  );
  const { mark, rows: waiting } = backlog[0] ?? { mark: 0, rows: 0 };
  if (waiting > maxWaiting) return null;
  const conditions = [
    sql`task.project_id = ${scope.projectId}`,
    sql`(${matchCondition(filter)})`,
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
  return rows.map(positionOf);
}

/** Maximum number of rows that are not indexed yet and that a search reads one by one. */
const maxWaiting = 20_000;

/**
 * Counts the rows of the next part of a source, by its index alone: `rows` of them, and all others received in the same millisecond as the
 * last.
 */
export async function countIndexStep(db: Db, scope: ListScope, source: TaskSource, rows: number): Promise<CountStep> {
  const conditions = [sql`project_id = ${scope.projectId}`, ...bounds(scope)];
  if (source?.column === "error") conditions.push(hasError);
  else if (source !== null) conditions.push(sql`${sql.ref(source.column)} = ${source.values[0] ?? null}`);
  const index = sql.ref(source === null ? "tasks_by_time" : indexOf[source.column]);
  const from = sql`FROM tasks INDEXED BY ${index} WHERE ${sql.join(conditions, sql` AND `)}`;
  const { rows: answer } = await sql<{ count: number; end_at: Date | null }>`
    SELECT end_at, (SELECT count(*) ${from} AND received_at >= coalesce(end_at, ${sql.lit(Number.MIN_SAFE_INTEGER)})) AS count
    FROM (SELECT (SELECT received_at ${from} ORDER BY received_at DESC LIMIT 1 OFFSET ${rows - 1}) AS end_at)`.execute(
    db,
  );
  const { count = 0, end_at = null } = answer[0] ?? {};
  return { count, rest: end_at === null ? null : { ...scope, until: new Date(end_at.getTime() - 1) } };
}
