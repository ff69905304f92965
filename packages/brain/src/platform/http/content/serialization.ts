/** Answers are printed by functions that are generated from their schemas. */
import printer from "fast-json-stringify";

type Print = (value: unknown) => string;

/** By schema: several statuses, routes and their HEAD twins have the same one. */
const generated = new WeakMap<object, Print>();

/**
 * Fastify's serializer compiler. The function of a schema is generated when the first answer needs it: those of all routes take longer than
 * the rest of a start, and most processes answer few of them.
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
