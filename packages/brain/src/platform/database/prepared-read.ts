import type { Compilable } from "kysely";
import type { Database } from "./database.ts";

/**
 * A read that nearly every request makes: its text is made once, and the server database parses and plans it once per connection.
 *
 * @param name tells statements apart on a connection; one name, one text.
 * @param build gives the query for stand-ins of its values.
 * @returns the rows for as many values as `count`, in the order in which `build` was given their stand-ins.
 */
export function prepareRead<Schema, Row>(
  { read, bulk }: Pick<Database<Schema>, "read" | "bulk">,
  name: string,
  { count, build }: { count: number; build: (standIns: readonly string[]) => Compilable<Row> },
): (values: readonly string[]) => Promise<Row[]> {
  const standIns = Array.from({ length: count }, (_, index) => `stand-in ${index}`);
  const compiled = build(standIns).compile();
  const places = compiled.parameters.map((parameter) => standIns.indexOf(parameter as string));
  return async (values) => {
    const parameters = compiled.parameters.map((parameter, index) => values[places[index] ?? -1] ?? parameter);
    if (bulk.dialect === "sqlite") return (await read.executeQuery<Row>({ ...compiled, parameters })).rows;
    const { rows } = await bulk.pool.query({ name, text: compiled.sql, values: parameters });
    return rows as Row[];
  };
}
