import { type RawBuilder, sql } from "kysely";
import type { Database, DialectName } from "../../../platform/database/database.ts";
import type { Tables } from "../../../schema/tables/index.ts";
import { contentCondition } from "../query/content-condition-reads.ts";
import type { ContentTerm } from "../query/query.ts";
import { largeColumns } from "../task-public.ts";

export interface JudgedIds {
  readonly fitting: readonly string[];
  /** Only the program can tell of these. */
  readonly unsure: readonly string[];
  /** The last of the tasks that were looked at; null when all of them are gone. */
  readonly lastId: string | null;
}

/**
 * Which of some tasks, given by id, hold what the terms ask. Looks at them in list order and stops before their large columns come to
 * more than `maxBytes` as they are stored, though not before the first one; a stored length is known without the value.
 */
export async function judgeContent(
  db: Database<Tables>["read"],
  dialect: DialectName,
  { ids, content, maxBytes }: { ids: readonly string[]; content: readonly ContentTerm[]; maxBytes: number },
): Promise<JudgedIds> {
  const lengthOf = (column: string) =>
    dialect === "sqlite" ? sql`octet_length(${sql.ref(column)})` : sql`pg_column_size(${sql.ref(column)})`;
  const bytes = sql.join(
    largeColumns.map((column) => sql`coalesce(${lengthOf(column)}, 0)`),
    sql` + `,
  );
  const page = sql`WINDOW page AS (ORDER BY tasks.received_at DESC, tasks.id DESC ROWS UNBOUNDED PRECEDING)`;
  const measures = sql`row_number() OVER page AS place, sum(${bytes}) OVER page AS total_bytes`;
  const isWithin = sql`(place = 1 OR total_bytes <= ${maxBytes})`;
  const condition = sql`(${contentCondition(dialect, content)}) AS is_match, place, count(*) OVER () AS seen_count`;
  const judged: RawBuilder<unknown> =
    dialect === "sqlite"
      ? sql`SELECT task.id AS id, ${condition} FROM (
          SELECT serial AS row_key, ${measures}
          FROM json_each(${JSON.stringify(ids)}) AS given CROSS JOIN tasks ON tasks.id = given.value ${page}
        ) AS measured CROSS JOIN tasks AS task ON task.serial = row_key WHERE ${isWithin}`
      : sql`SELECT task.id, ${condition} FROM (SELECT *, ${measures} FROM tasks WHERE id = ANY (${ids}::uuid[]) ${page}) AS task WHERE ${isWithin}`;
  const { rows } = await sql<{ id: string; is_match: boolean | null; place: number; seen_count: number }>`
    SELECT id, is_match, place, seen_count FROM (${judged}) AS judged
    WHERE is_match IS NOT FALSE OR place = seen_count`.execute(db);
  const idsOf = (verdict: boolean | null) => rows.flatMap(({ id, is_match }) => (is_match === verdict ? [id] : []));
  const last = rows.find(({ place, seen_count }) => place === seen_count);
  return { fitting: idsOf(true), unsure: idsOf(null), lastId: last?.id ?? null };
}
