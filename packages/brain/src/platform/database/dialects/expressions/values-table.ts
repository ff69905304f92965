import { type RawBuilder, sql } from "kysely";
import { byDialect } from "../by-dialect.ts";

/** Types of the server database; the embedded one takes a value as it is. */
export type ValueType = "uuid" | "text" | "timestamptz" | "bigint";

const typeOf = {
  uuid: sql.raw("uuid"),
  text: sql.raw("text"),
  timestamptz: sql.raw("timestamptz"),
  bigint: sql.raw("bigint"),
};

/** A value whose type the server database cannot infer from the expression. */
export const typed = <T>(value: RawBuilder<unknown>, type: ValueType): RawBuilder<T> =>
  byDialect({ postgres: sql`CAST(${value} AS ${typeOf[type]})`, sqlite: value });

/** A list of values as a table called `given` with one column called `value`. It is one parameter, however many values there are. */
export const valuesTable = (type: ValueType, values: readonly string[]): RawBuilder<unknown> =>
  byDialect({
    postgres: sql`unnest(${values}::${typeOf[type]}[]) AS given (value)`,
    sqlite: sql`json_each(${JSON.stringify(values)}) AS given`,
  });

/** A value of such a table that is compared with a text column: these are ordered by code point, the values of a list are not. */
export const givenText: RawBuilder<string> = byDialect({
  postgres: sql`given.value COLLATE "C"`,
  sqlite: sql`given.value`,
});

/** Whether a column holds one of the values, which are one parameter. */
export const isAmong = (column: string, type: ValueType, values: readonly string[]): RawBuilder<boolean> =>
  byDialect({
    postgres: sql`${sql.ref(column)} = ANY (${values}::${typeOf[type]}[])`,
    sqlite: sql`${sql.ref(column)} IN (SELECT given.value FROM json_each(${JSON.stringify(values)}) AS given)`,
  });

/** Rows of values, one parameter for each: VALUES with the types of the columns, which the server database cannot guess there. */
export const valuesRows = (
  types: readonly ValueType[],
  rows: readonly (readonly (string | Date | null)[])[],
): RawBuilder<unknown> => {
  const rowsOf = (write: (value: string | Date | null, type: ValueType) => RawBuilder<unknown>) =>
    sql.join(rows.map((row) => sql`(${sql.join(row.map((value, index) => write(value, types[index] as ValueType)))})`));
  return sql`VALUES ${byDialect({
    postgres: rowsOf((value, type) => sql`${value}::${typeOf[type]}`),
    sqlite: rowsOf((value) => sql`${value}`),
  })}`;
};
