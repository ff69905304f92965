import { type QueryExecutorProvider, type RawBuilder, sql } from "kysely";
import { byDialect } from "../by-dialect.ts";

/** Maximum total size of the large columns in a page or a batch of an export; a single row may be larger. */
export const maxPageBytes = 8 * 1024 * 1024;

/** Limits of a read. */
export interface PageBounds {
  readonly limit: number;
  /** `maxPageBytes` when absent. */
  readonly maxBytes?: number | undefined;
}

/** A table whose rows may be large. */
export interface WideTable {
  readonly name: string;
  /** Columns of a row that are given. */
  readonly columns: readonly string[];
  /** Those columns whose length has no other limit. */
  readonly largeColumns: readonly string[];
  /** The columns that order its lists, in descending order unless `isAscending`. */
  readonly orderedBy: readonly string[];
  readonly isAscending?: boolean;
}

export interface BoundedRows<Row> {
  readonly rows: Row[];
  /** Rows that `from` gives after the last of these. */
  readonly hasMore: boolean;
}

/**
 * The first rows of `from` (FROM, WHERE and ORDER BY in list order) within the bounds; always at least one, so that paging gets past any
 * row. It is one statement, so that no row grows between measuring and reading. Rows outside the page are not read: both databases know the
 * stored length without reading the value.
 */
export async function rowsWithinBytes<Row extends object>(
  db: QueryExecutorProvider,
  { table, from }: { table: WideTable; from: RawBuilder<unknown> },
  { limit, maxBytes = maxPageBytes }: PageBounds,
): Promise<BoundedRows<Row>> {
  const direction = table.isAscending ? sql`` : sql` DESC`;
  const order = sql.join(table.orderedBy.map((column) => sql`${sql.ref(column)}${direction}`));
  const measure = { table, from, order, limit, maxBytes };
  const query = byDialect<Seen<Row>>({ postgres: onPostgres(measure), sqlite: onSqlite(measure) });
  const { rows } = await query.execute(db);
  const seen = Number(rows[0]?.seen ?? 0);
  // In place: copying a driver's rows of thirty columns would cost more than reading them.
  for (const row of rows) delete row.seen;
  return { rows, hasMore: seen > rows.length };
}

interface Measure {
  readonly table: WideTable;
  readonly from: RawBuilder<unknown>;
  readonly order: RawBuilder<unknown>;
  readonly limit: number;
  readonly maxBytes: number;
}

/** A row and how many candidates there were, one beyond the limit included. */
type Seen<Row> = Row & { seen?: number };

function onSqlite({ table, from, order, limit, maxBytes }: Measure): RawBuilder<unknown> {
  const bytes = sumOf(table, (column) => sql`octet_length(${column})`);
  return sql`
    SELECT ${refs(table.columns)}, seen FROM (
      SELECT row_key, row_number() OVER page AS place, sum(bytes) OVER page AS total_bytes, count(*) OVER () AS seen
      FROM (SELECT rowid AS row_key, ${refs(table.orderedBy)}, ${bytes} AS bytes ${from} LIMIT ${limit + 1}) AS candidate
      WINDOW page AS (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)
    ) AS measured CROSS JOIN ${sql.table(table.name)} AS whole
    WHERE whole.rowid = row_key AND place <= ${limit} AND (place = 1 OR total_bytes <= ${maxBytes}) ORDER BY place`;
}

/**
 * The stored size is compressed, and for JSON it differs from the size of the text. It only selects the rows worth measuring; the limit
 * applies to their text. Until then a large value is passed as the reference in its row.
 */
function onPostgres({ table, from, order, limit, maxBytes }: Measure): RawBuilder<unknown> {
  const storedBytes = sumOf(table, (column) => sql`pg_column_size(${column})`);
  const textBytes = sumOf(table, (column) => sql`octet_length(${column}::text)`);
  return sql`
    SELECT ${refs(table.columns)}, seen FROM (
      SELECT *, sum(${textBytes}) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) AS text_total FROM (
        SELECT *, row_number() OVER page AS place, sum(stored_bytes) OVER page AS stored_total, count(*) OVER () AS seen
        FROM (SELECT ${refs(table.columns)}, ${storedBytes} AS stored_bytes ${from} LIMIT ${limit + 1}) AS candidate
        WINDOW page AS (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)
      ) AS stored WHERE place <= ${limit} AND (place = 1 OR stored_total <= ${maxBytes})
    ) AS measured WHERE place = 1 OR text_total <= ${maxBytes} ORDER BY place`;
}

const refs = (columns: readonly string[]) => sql.join(columns.map((column) => sql.ref(column)));

const sumOf = (table: WideTable, lengthOf: (column: RawBuilder<unknown>) => RawBuilder<unknown>) =>
  sql.join(
    [sql`CAST(0 AS bigint)`, ...table.largeColumns.map((column) => sql`coalesce(${lengthOf(sql.ref(column))}, 0)`)],
    sql` + `,
  );
