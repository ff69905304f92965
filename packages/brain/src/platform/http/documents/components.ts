/** The named schemas of the OpenAPI document: a schema with a `title` is printed once and referred to by it. */
import { instantFormat, publishedAs } from "../schemas.ts";

type Schema = Record<string, unknown>;

/** @param examples of named schemas. */
export function createComponents(examples: Readonly<Record<string, unknown>>) {
  const named = new Map<string, Schema>();

  function shown(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(shown);
    if (typeof value !== "object" || value === null) return value;
    const schema = published(value as Schema);
    const { anyOf, ...about } = schema;
    // A union with one member exists only to carry a description.
    if (Array.isArray(anyOf) && anyOf.length === 1) return { ...(shown(anyOf[0]) as Schema), ...copied(about) };
    const { title } = schema;
    if (typeof title !== "string" || !isSchema(schema)) return copied(schema);
    const { title: _, ...rest } = schema;
    const { description, ...shape } = copied(rest);
    const known = named.get(title);
    if (known !== undefined && !isSameShape(known, shape)) throw new Error(`two schemas have the title ${title}`);
    // A parameter has its description next to its schema, so the first use of a schema may come without one.
    const own = known?.description ?? description;
    const example = examples[title];
    named.set(title, {
      ...(own !== undefined && { description: own }),
      ...shape,
      ...(example !== undefined && { examples: [example] }),
    });
    const differs = description !== undefined && description !== own;
    return { $ref: `#/components/schemas/${title}`, ...(differs && { description }) };
  }

  const copied = (schema: Schema): Schema =>
    Object.fromEntries(
      Object.entries(schema).map(([name, inner]) => [
        name,
        // Other tools know this format only by its standard name.
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

const published = (schema: Schema): Schema => (schema[publishedAs] as Schema | undefined) ?? schema;

function isSameShape({ description: _, examples: __, ...known }: Schema, shape: Schema): boolean {
  return JSON.stringify(known) === JSON.stringify(shape);
}
