import { type RawBuilder, sql } from "kysely";
import { byDialect } from "../by-dialect.ts";

/** Whether a column holds a JSON array with this text in it. */
export const jsonArrayHas = (column: string, text: string): RawBuilder<boolean> =>
  byDialect({
    postgres: sql`${sql.ref(column)} @> ${JSON.stringify([text])}::jsonb`,
    sqlite: sql`EXISTS (SELECT 1 FROM json_each(${sql.ref(column)}) AS held WHERE held.value = ${text})`,
  });

/** The members of the JSON object of a column as rows with columns called `key` and `value`. */
export const jsonMembers = (column: string): RawBuilder<unknown> =>
  byDialect({ postgres: sql`jsonb_each(${sql.ref(column)})`, sqlite: sql`json_each(${sql.ref(column)})` });

/** Whether a column holds a JSON object with a member of this name. */
export const jsonObjectHas = (column: string, name: string): RawBuilder<boolean> =>
  byDialect({
    postgres: sql`jsonb_exists(${sql.ref(column)}, ${name})`,
    sqlite: sql`EXISTS (SELECT 1 FROM json_each(${sql.ref(column)}) AS held WHERE held.key = ${name})`,
  });

/** The elements of a JSON array as rows with a column called `value`. */
export const jsonElements = (elements: readonly unknown[]): RawBuilder<unknown> => {
  const text = JSON.stringify(elements);
  return byDialect({ postgres: sql`jsonb_array_elements(${text}::jsonb)`, sqlite: sql`json_each(${text})` });
};

/** Texts as a table called `given` with the columns `value` and `place`. It is one parameter, however many texts there are. */
export const jsonTextsInOrder = (texts: readonly string[]): RawBuilder<unknown> => {
  const list = JSON.stringify(texts);
  return byDialect({
    postgres: sql`jsonb_array_elements_text(${list}::jsonb) WITH ORDINALITY AS given (value, place)`,
    sqlite: sql`(SELECT value, key AS place FROM json_each(${list})) AS given`,
  });
};

/** The JSON object of one column, with the text member `name` taken from another column's object. */
export const jsonWithMemberOf = (object: string, other: string, name: string): RawBuilder<string> =>
  byDialect({
    postgres: sql`jsonb_set(${sql.ref(object)}, ${sql.lit(`{${name}}`)}, ${sql.ref(other)} -> ${sql.lit(name)})`,
    sqlite: sql`json_set(${sql.ref(object)}, ${sql.lit(`$.${name}`)}, ${sql.ref(other)} ->> ${sql.lit(name)})`,
  });
