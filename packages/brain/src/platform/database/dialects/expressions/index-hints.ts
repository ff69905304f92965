import { type RawBuilder, sql } from "kysely";
import { byDialect } from "../by-dialect.ts";

// Planners choose an index by statistics and can be wrong: with another index, a value that is absent or far down a list costs a scan of
// the whole table. The expressions here fix the index.

/** A table that the embedded database reads through this index; null names none. The server database has no such hints. */
export function indexed(table: string, index: string | null, alias = table): RawBuilder<unknown> {
  const named = alias === table ? sql.ref(table) : sql`${sql.ref(table)} AS ${sql.ref(alias)}`;
  if (index === null) return named;
  return byDialect({ postgres: named, sqlite: sql`${named} INDEXED BY ${sql.ref(index)}` });
}

/** An index over an owner, a column and a time. */
export interface TimeIndex {
  readonly table: string;
  readonly index: string;
  readonly column: string;
  readonly time: string;
  /** Last column of the index, which orders rows of the same time. */
  readonly tie?: string;
}

/**
 * FROM, WHERE and ORDER BY of the rows with one value in the column, newest first, through their index. With a range over column and time
 * in the same order, the server database can use only this index.
 *
 * @param conditions of the owner, and of the time as far as it is bounded.
 */
export function newestThrough(
  { table, index, column, time, tie }: TimeIndex,
  value: RawBuilder<unknown>,
  conditions: readonly RawBuilder<unknown>[],
  { from, to }: { readonly from: Date | null; readonly to: Date | null },
): RawBuilder<unknown> {
  const [key, at] = [sql.ref(column), sql.ref(time)];
  const where = sql.join(conditions, sql` AND `);
  const newest = tie === undefined ? sql`${at} DESC` : sql`${at} DESC, ${sql.ref(tie)} DESC`;
  return sql`FROM ${indexed(table, index)} WHERE ${where} AND ${byDialect({
    postgres: sql`(${key}, ${at}) >= (${value}, ${from ?? "-infinity"}::timestamptz)
      AND (${key}, ${at}) <= (${value}, ${to ?? "infinity"}::timestamptz) ORDER BY ${key} DESC, ${newest}`,
    sqlite: sql`${key} = ${value} ORDER BY ${newest}`,
  })}`;
}

/** FROM and WHERE that find rows by their id first: an index in the order of the list would be scanned until the last one. */
export function foundById(table: string, ids: readonly string[], owner: RawBuilder<unknown>): RawBuilder<unknown> {
  const isGiven = sql`id IN (${sql.join(ids)})`;
  return byDialect({
    postgres: sql`FROM (SELECT * FROM ${sql.ref(table)} WHERE ${owner} AND ${isGiven} OFFSET 0) AS ${sql.ref(table)}`,
    sqlite: sql`FROM ${sql.ref(table)} WHERE +${owner} AND ${isGiven}`,
  });
}
