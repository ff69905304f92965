/** The named schemas of the OpenAPI document: a schema with a `title` is printed once and referred to by it. */
import { instantFormat } from "../schemas.ts";

type Schema = Record<string, unknown>;

/** @param examples of named schemas. */
export function createComponents(examples: Readonly<Record<string, unknown>>) {
  const named = new Map<string, Schema>();

  function shown(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(shown);
    if (typeof value !== "object" || value === null) return value;
    const schema = simplified(value as Schema);
    const { title } = schema;
    if (typeof title !== "string" || !isSchema(schema)) return copied(schema);
    const { title: _, ...rest } = schema;
    const { description, ...shape } = copied(rest);
    const known = named.get(title);
    if (known === undefined) {
      const example = examples[title];
      named.set(title, {
        ...(description !== undefined && { description }),
        ...shape,
        ...(example !== undefined && { examples: [example] }),
      });
    } else if (!isSameShape(known, shape)) throw new Error(`two schemas have the title ${title}`);
    const differs = known !== undefined && description !== undefined && description !== known.description;
    return { $ref: `#/components/schemas/${title}`, ...(differs && { description }) };
  }

  const copied = (schema: Schema): Schema =>
    Object.fromEntries(
      Object.entries(schema).map(([name, inner]) => [
        name,
        // Other tools know our own name for request instants by its standard one.
        name === "format" && inner === instantFormat ? "date-time" : shown(inner),
      ]),
    );

  return {
    /** The schema as the document shows it: titled schemas within it, and itself, as references. */
    shown: (schema: unknown) => shown(schema) as Schema,
    /** Every schema that was referred to, by name in alphabetical order. */
    schemas: () => Object.fromEntries([...named].sort(([left], [right]) => (left < right ? -1 : 1))),
  };
}

export type Components = ReturnType<typeof createComponents>;

/** A property that happens to be called `title` has an object for its value, and a schema a type or a union. */
const isSchema = (schema: Schema) => "type" in schema || "anyOf" in schema || "enum" in schema;

/** A union of one, which only carries a description, as that one. */
function simplified(schema: Schema): Schema {
  const { anyOf, ...rest } = schema;
  return Array.isArray(anyOf) && anyOf.length === 1 ? { ...(anyOf[0] as Schema), ...rest } : schema;
}

function isSameShape({ description: _, examples: __, ...known }: Schema, shape: Schema): boolean {
  return JSON.stringify(known) === JSON.stringify(shape);
}
