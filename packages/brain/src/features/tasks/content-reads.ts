import { sql } from "kysely";
import type { Database, DialectName } from "../../platform/database/database.ts";
import type { Tables } from "../../schema/tables/index.ts";
import { contentCondition } from "./content-condition-reads.ts";
import type { ContentTerm } from "./query.ts";

export interface JudgedIds {
  readonly fitting: readonly string[];
  /** Only the program can tell of these. */
  readonly unsure: readonly string[];
}

/** Which of some tasks, given by id, hold what the terms ask. */
export async function judgeContent(
  db: Database<Tables>["read"],
  dialect: DialectName,
  { ids, content }: { ids: readonly string[]; content: readonly ContentTerm[] },
): Promise<JudgedIds> {
  const from =
    dialect === "sqlite"
      ? sql`json_each(${JSON.stringify(ids)}) AS given CROSS JOIN tasks AS task ON task.id = given.value`
      : sql`tasks AS task WHERE task.id = ANY (${ids}::uuid[])`;
  const { rows } = await sql<{ id: string; is_match: boolean | null }>`
    SELECT id, is_match FROM (SELECT task.id, (${contentCondition(dialect, content)}) AS is_match FROM ${from}) AS judged
    WHERE is_match IS NOT FALSE`.execute(db);
  const idsOf = (verdict: boolean | null) => rows.flatMap(({ id, is_match }) => (is_match === verdict ? [id] : []));
  return { fitting: idsOf(true), unsure: idsOf(null) };
}
