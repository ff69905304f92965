import { type RawBuilder, sql } from "kysely";
import { byDialect } from "../by-dialect.ts";
import { type ValueType, valuesRows } from "./values-table.ts";

/**
 * A join of each row of the table `given` with rows of another table that depend on it: the first `limit` that `from` (FROM, WHERE and
 * ORDER BY) gives. The embedded database, which has no LATERAL, finds them by their position.
 */
export const firstOfEach = (
  { table, alias, columns }: { table: string; alias: string; columns: readonly string[] },
  from: RawBuilder<unknown>,
  limit: number,
): RawBuilder<unknown> => {
  const own = sql.ref(alias);
  return byDialect({
    postgres: sql`CROSS JOIN LATERAL (SELECT ${sql.join(columns.map((name) => sql.ref(name)))} ${from} LIMIT ${limit}) AS ${own}`,
    sqlite: sql`CROSS JOIN ${sql.ref(table)} AS ${own} ON ${own}.rowid IN (SELECT rowid ${from} LIMIT ${limit})`,
  });
};

/**
 * For each of some pairs of values the rows of a query that depends on them, each with the first value as the column `name`: one join on the
 * server database, one SELECT for each pair on the embedded one.
 */
export function selectForEach<Row>(
  name: string,
  types: readonly [ValueType, ValueType],
  pairs: readonly (readonly [string, Date])[],
  query: (first: RawBuilder<unknown>, second: RawBuilder<unknown>) => RawBuilder<unknown>,
): RawBuilder<Row> {
  const parts = pairs.map(
    ([first, second]) =>
      sql`SELECT ${first} AS ${sql.ref(name)}, own.* FROM (${query(sql`${first}`, sql`${second}`)}) AS own`,
  );
  return byDialect({
    postgres: sql`WITH given (first, second) AS (${valuesRows(types, pairs)})
      SELECT given.first AS ${sql.ref(name)}, own.* FROM given
        CROSS JOIN LATERAL (${query(sql`given.first`, sql`given.second`)}) AS own`,
    sqlite: sql`${sql.join(parts, sql` UNION ALL `)}`,
  });
}
