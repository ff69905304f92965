/** Answers are printed by functions that are generated from their schemas. */
import printer from "fast-json-stringify";

type Print = (value: unknown) => string;

/** Functions by schema, since several statuses, routes and their HEAD twins share one. */
const generated = new WeakMap<object, Print>();

/**
 * Fastify's serializer compiler. The function of a schema is generated when the first answer needs it: generating all of them would take
 * longer than the rest of the start, and most processes need only a few.
 */
export function compileSerializer({ schema }: { readonly schema: object }): Print {
  return (value) => {
    let print = generated.get(schema);
    if (print === undefined) {
      print = printer(schema as Parameters<typeof printer>[0]);
      generated.set(schema, print);
    }
    return print(value);
  };
}
