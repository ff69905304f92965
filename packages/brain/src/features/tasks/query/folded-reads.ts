import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { DialectName } from "../../../platform/database/database.ts";

/** Whether the text holds `needle` literally, with case; no character of it is a wildcard. */
export const holds = (dialect: DialectName, text: RawBuilder<unknown>, needle: string): RawBuilder<SqlBool> =>
  dialect === "postgres" ? sql`(strpos(${text}, ${needle}) > 0)` : sql`(instr(${text}, ${needle}) > 0)`;

const searched = ["task.name", "task.queue", "task.worker_name", "task.task_id"] as const;

/**
 * Whether one of the four texts holds `needle` without case. Case is what JavaScript makes of it, on both databases: their own lower()
 * knows ASCII only, so other rows are folded by the program (SQLite) or were folded by it when they were written (PostgreSQL).
 */
export function foldedHolds(dialect: DialectName, needle: string): RawBuilder<SqlBool> {
  // One text for all four, unless the needle could span the line break between two of them.
  const texts = needle.includes("\n")
    ? searched.map((column) => sql`coalesce(${sql.ref(column)}, '')`)
    : [
        sql`(task.name || ${sql.lit("\n")} || coalesce(task.queue, '') || ${sql.lit("\n")} || coalesce(task.worker_name, '') || ${sql.lit("\n")} || task.task_id)`,
      ];
  const any = texts.map(
    (text) => sql`CASE WHEN octet_length(${text}) = length(${text}) THEN ${holds(dialect, sql`lower(${text})`, needle)}
    ELSE ${dialect === "sqlite" ? holds(dialect, sql`fold_case(${text})`, needle) : wasFoldedWith(needle)} END`,
  );
  return sql`(${sql.join(any, sql` OR `)})`;
}

const wasFoldedWith = (needle: string) =>
  sql`coalesce((SELECT strpos(task_search.search_text, ${needle}) > 0 FROM task_search WHERE task_search.id = task.id), false)`;
