import type { Compilable } from "kysely";
import type { Database } from "./database.ts";

/**
 * A read of nearly every request: its text is built once, and the server database parses and plans it once per connection.
 *
 * @param name identifies the statement on a connection; one name, one text.
 * @param build creates the query from placeholders for its values.
 * @returns the rows for as many values as `count`, in the order in which `build` was given their placeholders.
 */
export function prepareRead<Schema, Row>(
  database: Pick<Database<Schema>, "prepared">,
  name: string,
  { count, build }: { count: number; build: (placeholders: readonly string[]) => Compilable<Row> },
): (values: readonly string[]) => Promise<Row[]> {
  const placeholders = Array.from({ length: count }, (_, index) => `placeholder ${index}`);
  const compiled = build(placeholders).compile();
  const places = compiled.parameters.map((parameter) => placeholders.indexOf(parameter as string));
  return (values) => {
    const parameters = compiled.parameters.map((parameter, index) => values[places[index] ?? -1] ?? parameter);
    return database.prepared(name, { ...compiled, parameters });
  };
}
