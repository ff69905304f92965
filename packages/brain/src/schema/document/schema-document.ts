import { columnTypes } from "../../platform/database/dialects/column-types.ts";
import { type DescribedTable, describedTables } from "./row-types.ts";
import { type StoredColumn, type StoredTable, storedTables } from "./stored-tables.ts";

const typeNames = ["uuid", "text", "instant", "json", "bool", "int", "real", "serial"] as const;

/**
 * docs/internals/schema.md: every table with its columns, keys and indexes from the migrations, and the comments of its row type.
 *
 * @throws when a table has no row type or no description.
 */
export function schemaDocument(): string {
  const stored = storedTables();
  const described = describedTables();
  for (const name of stored.keys()) if (!described.has(name)) throw new Error(`the table ${name} has no row type`);
  return [
    "# Schema",
    "",
    "Generated from the migrations and the row types in `packages/brain/src/schema` by `npm run docs`; `npm run schema` prints it. SQLite and",
    "PostgreSQL have the same tables unless noted; `schema_migrations` lists the applied migrations.",
    "",
    "| Type | PostgreSQL | SQLite |",
    "|---|---|---|",
    ...typeNames.map((name) => `| ${name} | \`${columnTypes.postgres[name]}\` | \`${columnTypes.sqlite[name]}\` |`),
    "",
    "On SQLite an instant is in microseconds since 1970, in UTC. A column whose type ends in `?` may be null.",
    ...[...described].flatMap(([name, table]) => tableText(name, table, stored.get(name))),
    "",
  ].join("\n");
}

function tableText(name: string, described: DescribedTable, stored: StoredTable | undefined): string[] {
  if (stored === undefined) throw new Error(`no migration makes the table ${name}`);
  if (described.description === "") throw new Error(`the row type of the table ${name} has no description`);
  const only = stored.only === null ? "" : ` Only on ${stored.only}.`;
  return [
    "",
    `## ${name}`,
    "",
    `${described.description}${only}`,
    "",
    "| Column | Type | Meaning |",
    "|---|---|---|",
    ...stored.columns.map((column) => columnLine(column, described.columns.get(column.name)?.description ?? "")),
    ...(stored.key.length === 0 ? [] : ["", ...keyLines(stored)]),
  ];
}

function columnLine({ name, type, isNullable, default: given }: StoredColumn, description: string): string {
  const fallback = given === null ? "" : `, ${given.replaceAll("'", "")} by default`;
  return `| \`${name}\` | ${type}${isNullable ? "?" : ""}${fallback} | ${description.replaceAll("|", "\\|") || "-"} |`;
}

const keyLines = ({ key, uniques, references, indexes }: StoredTable): string[] => [
  `- Key: ${list(key)}`,
  ...uniques.map((columns) => `- Unique: ${list(columns)}`),
  ...references.map(({ column, table, onDelete }) => `- \`${column}\` refers to \`${table}\`; on delete: ${onDelete}`),
  ...indexes.map(({ name, isUnique, on }) => `- ${isUnique ? "Unique index" : "Index"} \`${name}\`: \`${on}\``),
];

const list = (columns: readonly string[]): string => columns.map((column) => `\`${column}\``).join(", ");
