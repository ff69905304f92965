import { type RawBuilder, sql } from "kysely";
import type { Database, DialectName } from "../../../platform/database/database.ts";
import type { Tables } from "../../../schema/tables/index.ts";
import { indexOf, type SourceColumn } from "./match-reads.ts";
import { textAfter } from "./text-after.ts";

/** Columns whose values are counted. */
export type GroupColumn = SourceColumn | "engine";

/** Distinct values of a column that begin with the prefix, in order, `limit` at most: each is found by one step in the column's index. */
export function distinctValues(
  dialect: DialectName,
  projectId: string,
  { column, prefix }: { column: GroupColumn; prefix: string },
  limit: number,
): RawBuilder<{ value: string }> {
  const key = sql.ref(column);
  const after = textAfter(prefix);
  const within = after === null ? sql`` : sql` AND ${key} < ${after}`;
  const from = sql`FROM tasks${indexHint(dialect, column)} WHERE project_id = ${projectId}${within}`;
  return sql`
    WITH RECURSIVE each (value) AS (
      SELECT (SELECT ${key} ${from} AND ${key} >= ${prefix} ORDER BY ${key} LIMIT 1)
      UNION ALL
      SELECT (SELECT ${key} ${from} AND ${key} > each.value ORDER BY ${key} LIMIT 1) FROM each WHERE each.value IS NOT NULL
    ) SELECT value FROM each WHERE value IS NOT NULL LIMIT ${limit}`;
}

/** Distinct values of a column among all tasks of a project, in order, `limit` at most. */
export async function taskValues(
  db: Database<Tables>,
  projectId: string,
  column: GroupColumn,
  limit: number,
): Promise<string[]> {
  const { rows } = await distinctValues(db.dialect, projectId, { column, prefix: "" }, limit).execute(db.slow);
  return rows.map(({ value }) => value);
}

/** SQLite is told the index; that of the engine is the one of the unique key, which has no name of its own. */
export const indexHint = (dialect: DialectName, column: GroupColumn): RawBuilder<unknown> =>
  dialect === "sqlite" && column !== "engine" ? sql` INDEXED BY ${sql.ref(indexOf[column])}` : sql``;
