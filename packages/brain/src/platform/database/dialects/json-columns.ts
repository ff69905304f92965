import { type RawBuilder, sql } from "kysely";
import { byDialect } from "./by-dialect.ts";

/** Whether a column holds a JSON array with this text in it. */
export const jsonArrayHas = (column: string, text: string): RawBuilder<boolean> =>
  byDialect({
    postgres: sql`${sql.ref(column)} @> ${JSON.stringify([text])}::jsonb`,
    sqlite: sql`EXISTS (SELECT 1 FROM json_each(${sql.ref(column)}) AS held WHERE held.value = ${text})`,
  });

/** The elements of a JSON array as rows with a column called `value`. */
export const jsonElements = (elements: readonly unknown[]): RawBuilder<unknown> => {
  const text = JSON.stringify(elements);
  return byDialect({ postgres: sql`jsonb_array_elements(${text}::jsonb)`, sqlite: sql`json_each(${text})` });
};

/** The JSON object of one column with the text member `name` as another column's object has it. */
export const jsonWithMemberOf = (object: string, other: string, name: string): RawBuilder<string> =>
  byDialect({
    postgres: sql`jsonb_set(${sql.ref(object)}, ${sql.lit(`{${name}}`)}, ${sql.ref(other)} -> ${sql.lit(name)})`,
    sqlite: sql`json_set(${sql.ref(object)}, ${sql.lit(`$.${name}`)}, ${sql.ref(other)} ->> ${sql.lit(name)})`,
  });
