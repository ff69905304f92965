/** The types of the client, from the schemas and the parameters of the API document. */

export interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, Schema>>;
}

interface Body {
  readonly required?: boolean;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

export interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly requestBody?: Body;
  readonly responses?: Readonly<Record<string, Body>>;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly description?: string;
    readonly schema: Schema;
  }[];
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** One declaration for each named schema, and `<Operation>Query` for each operation with query parameters. */
export function clientTypes({ paths, components }: ApiDocument): string {
  return [
    "// Generated from openapi.json by `npm run docs`; a check fails when this file is stale.",
    ...Object.entries(components.schemas).map(([name, schema]) => declaration(name, schema)),
    ...operationsOf(paths).flatMap((operation) => queryDeclaration(operation) ?? []),
    "",
  ]
    .join("\n\n")
    .replace(/\n\n$/, "\n");
}

export const operationsOf = (paths: ApiDocument["paths"]): Operation[] =>
  Object.values(paths).flatMap((methods) => Object.values(methods));

function declaration(name: string, schema: Schema): string {
  const { description, enum: values, properties } = schema;
  if (values !== undefined) {
    const list = `${name.slice(0, 1).toLowerCase()}${plural(name.slice(1))}`;
    const items = values.map((value) => `  ${JSON.stringify(value)},\n`).join("");
    return `${comment(description)}export const ${list} = [\n${items}] as const;\nexport type ${name} = (typeof ${list})[number];`;
  }
  if (properties === undefined) return `${comment(description)}export type ${name} = ${typeText(schema)};`;
  return `${comment(description)}export interface ${name} ${membersText(schema, "")}`;
}

function queryDeclaration({ operationId, parameters = [] }: Operation): string | null {
  const query = parameters.filter((parameter) => parameter.in === "query");
  if (query.length === 0) return null;
  const properties = query.map(({ name, description, schema }) => [
    name,
    description === undefined ? schema : { ...schema, description },
  ]);
  const required = query.flatMap(({ name, required }) => (required ? [name] : []));
  return `export interface ${queryName(operationId)} ${membersText({ properties: Object.fromEntries(properties), required }, "")}`;
}

/** Name of the type of an operation's query parameters. */
export const queryName = (operationId: string): string =>
  `${operationId.slice(0, 1).toUpperCase()}${operationId.slice(1)}Query`;

function membersText({ properties = {}, required = [] }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([name, schema]) => {
    const mark = required.includes(name) ? "" : "?";
    return `${comment(noteOf(schema), inner)}${inner}${name}${mark}: ${typeText(schema, inner)};\n`;
  });
  return `{\n${members.join("")}${indent}}`;
}

/** The description of a member, which may be on its non-null part. */
const noteOf = (schema: Schema): string | undefined =>
  schema.description ?? schema.anyOf?.find(({ description }) => description !== undefined)?.description;

export function typeText(schema: Schema, indent = ""): string {
  if (schema.$ref !== undefined) return schema.$ref.split("/").at(-1) ?? "unknown";
  if (schema.anyOf !== undefined) return unionOf(schema.anyOf.map((option) => typeText(option, indent)));
  if (schema.enum !== undefined) return unionOf(schema.enum.map((value) => JSON.stringify(value)));
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(schema.type)) return unionOf(schema.type.map((type) => typeText({ ...schema, type }, indent)));
  switch (schema.type) {
    case "string":
    case "boolean":
    case "null":
      return schema.type;
    case "integer":
    case "number":
      return "number";
    case "array": {
      const item = typeText(schema.items ?? {}, indent);
      return item.includes(" | ") && !item.startsWith("{") ? `(${item})[]` : `${item}[]`;
    }
    case "object": {
      if (Object.keys(schema.properties ?? {}).length > 0) return membersText(schema, indent);
      const [values] = Object.values(schema.patternProperties ?? {});
      return `Record<string, ${typeText(values ?? {}, indent)}>`;
    }
    default:
      return "unknown";
  }
}

/** `unknown` includes null. */
const unionOf = (types: readonly string[]): string =>
  types.includes("unknown") ? "unknown" : [...new Set(types)].join(" | ");

const plural = (name: string): string =>
  /s$/.test(name) ? `${name}es` : /[^aeiou]y$/.test(name) ? `${name.slice(0, -1)}ies` : `${name}s`;

export function comment(text: string | undefined, indent = ""): string {
  if (text === undefined) return "";
  const isCode = /^[a-z]+_/.test(text);
  return `${indent}/** ${isCode ? text.slice(0, 1) : text.slice(0, 1).toUpperCase()}${text.slice(1).replaceAll("*/", "*\\/")}${/[.…]$/.test(text) ? "" : "."} */\n`;
}
