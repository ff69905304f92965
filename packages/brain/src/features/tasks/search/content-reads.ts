import { type RawBuilder, type SqlBool, sql } from "kysely";
import { byDialect } from "../../../platform/database/dialects/by-dialect.ts";
import { storedBytes } from "../../../platform/database/dialects/expressions/stored-size.ts";
import { isAmong, valuesTable } from "../../../platform/database/dialects/expressions/values-table.ts";
import type { Db } from "../../../schema/tables/index.ts";
import { contentOnPostgres } from "../query/content-postgres-reads.ts";
import { contentOnSqlite } from "../query/content-sqlite-reads.ts";
import type { ContentTerm } from "../query/query.ts";
import { largeColumns } from "../task-fields.ts";

export interface JudgedIds {
  readonly fitting: readonly string[];
  /** The database cannot decide for these. */
  readonly unsure: readonly string[];
  /** The last task that was read; null when all of them have been deleted. */
  readonly lastId: string | null;
}

/**
 * Which of some tasks, given by id, match the content terms. Reads them in list order and stops before their large columns exceed `maxBytes`
 * as stored, though not before the first one; the stored length is known without reading the value.
 */
export async function judgeContent(
  db: Db,
  { ids, content, maxBytes }: { ids: readonly string[]; content: readonly ContentTerm[]; maxBytes: number },
): Promise<JudgedIds> {
  const bytes = sql.join(
    largeColumns.map((column) => sql`coalesce(${storedBytes(sql.ref(column))}, 0)`),
    sql` + `,
  );
  const page = sql`WINDOW page AS (ORDER BY tasks.received_at DESC, tasks.id DESC ROWS UNBOUNDED PRECEDING)`;
  const measures = sql`row_number() OVER page AS place, sum(${bytes}) OVER page AS total_bytes`;
  const isWithin = sql`(place = 1 OR total_bytes <= ${maxBytes})`;
  const verdict = (condition: RawBuilder<SqlBool>) =>
    sql`task.id AS id, (${condition}) AS is_match, place, count(*) OVER () AS seen_count`;
  const judged = byDialect({
    postgres: sql`SELECT ${verdict(contentOnPostgres(content))}
      FROM (SELECT *, ${measures} FROM tasks WHERE ${isAmong("id", "uuid", ids)} ${page}) AS task WHERE ${isWithin}`,
    // A row of a subquery would contain its large columns.
    sqlite: sql`SELECT ${verdict(contentOnSqlite(content))} FROM (
        SELECT serial AS row_key, ${measures} FROM ${valuesTable("uuid", ids)} CROSS JOIN tasks ON tasks.id = given.value ${page}
      ) AS measured CROSS JOIN tasks AS task ON task.serial = row_key WHERE ${isWithin}`,
  });
  const { rows } = await sql<{ id: string; is_match: boolean | null; place: number; seen_count: number }>`
    SELECT id, is_match, place, seen_count FROM (${judged}) AS judged
    WHERE is_match IS NOT FALSE OR place = seen_count`.execute(db);
  const idsOf = (verdict: boolean | null) => rows.flatMap(({ id, is_match }) => (is_match === verdict ? [id] : []));
  const last = rows.find(({ place, seen_count }) => place === seen_count);
  return { fitting: idsOf(true), unsure: idsOf(null), lastId: last?.id ?? null };
}
