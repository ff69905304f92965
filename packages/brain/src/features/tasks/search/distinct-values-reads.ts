import { type RawBuilder, sql } from "kysely";
import { indexed } from "../../../platform/database/dialects/expressions/index-hints.ts";
import type { BrainDatabase } from "../../../schema/tables/index.ts";
import { indexOf, type SourceColumn } from "./match-reads.ts";

/** Columns whose values are listed and counted. */
export type ValueColumn = SourceColumn | "engine";

/** What the values of a column contain. */
export interface ValueSearch {
  readonly field: "name" | "queue" | "worker";
  readonly needle: string;
  /** Ignores case; the needle is folded then. */
  readonly isFolded: boolean;
  /** Case-sensitive prefix of the values. */
  readonly prefix?: string;
}

/** The tasks by a column's index; for the engine this is the index of the unique key, which has no name of its own. */
export const tasksByColumn = (column: ValueColumn): RawBuilder<unknown> =>
  indexed("tasks", column === "engine" ? null : indexOf[column]);

/** At most `limit` distinct values of a column that start with the prefix, in order; each costs one step in the column's index. */
export function distinctValues(
  projectId: string,
  { column, prefix }: { column: ValueColumn; prefix: string },
  limit: number,
): RawBuilder<{ value: string }> {
  const key = sql.ref(column);
  const after = textAfter(prefix);
  const within = after === null ? sql`` : sql` AND ${key} < ${after}`;
  const from = sql`FROM ${tasksByColumn(column)} WHERE project_id = ${projectId}${within}`;
  return sql`
    WITH RECURSIVE each (value) AS (
      SELECT (SELECT ${key} ${from} AND ${key} >= ${prefix} ORDER BY ${key} LIMIT 1)
      UNION ALL
      SELECT (SELECT ${key} ${from} AND ${key} > each.value ORDER BY ${key} LIMIT 1) FROM each WHERE each.value IS NOT NULL
    ) SELECT value FROM each WHERE value IS NOT NULL LIMIT ${limit}`;
}

/** At most `limit` distinct values of a column among all tasks of a project, in order. */
export async function taskValues(
  { slow }: BrainDatabase,
  projectId: string,
  column: ValueColumn,
  limit: number,
): Promise<string[]> {
  const { rows } = await distinctValues(projectId, { column, prefix: "" }, limit).execute(slow);
  return rows.map(({ value }) => value);
}

/** The smallest text, by code points, that is greater than every text with this prefix; null when there is none. */
export function textAfter(prefix: string): string | null {
  const points = [...prefix].map((character) => character.codePointAt(0) as number);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    if (last === 0x10ffff) continue;
    // Between these two are only lone surrogates, which no text contains.
    return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
  }
  return null;
}
