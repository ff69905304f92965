import { readFileSync } from "node:fs";

/** A column as its row type states it. */
export interface DescribedColumn {
  /** Its type in rows, such as `string` or `Date`, without null. */
  readonly type: string;
  readonly isNullable: boolean;
  readonly description: string;
}

/** A table as its row type states it. */
export interface DescribedTable {
  readonly description: string;
  readonly columns: ReadonlyMap<string, DescribedColumn>;
}

const folder = new URL("../tables/", import.meta.url);
const files = ["access", "agents", "tasks", "commands", "bulk-retries", "schedules", "audit"];

const comment = String.raw`(?:/\*\*(?<description>(?:[^*]|\*(?!/))*)\*/\n\s*)?`;
const rowType = new RegExp(`${comment}export interface (?<name>\\w+Row) \\{\\n(?<body>.*?)\\n\\}`, "gs");
const member = new RegExp(`${comment}(?<name>\\w+): (?<type>[^;|]+?)(?<isNullable> \\| null)?;`, "g");
const table = /^ {2}(?<name>\w+): (?<row>\w+Row);$/gm;

/** Every table with the comments of its row type, in the order of `Tables`; read from the sources. */
export function describedTables(): Map<string, DescribedTable> {
  const rows = new Map(files.flatMap((file) => rowTypes(readFileSync(new URL(`${file}.ts`, folder), "utf8"))));
  const index = readFileSync(new URL("tables.ts", folder), "utf8");
  return new Map(
    [...index.matchAll(table)].map(({ groups: { name = "", row = "" } = {} }) => {
      const described = rows.get(row);
      if (described === undefined) throw new Error(`no row type ${row} of the table ${name}`);
      return [name, described];
    }),
  );
}

const rowTypes = (text: string): [string, DescribedTable][] =>
  [...text.matchAll(rowType)].map(({ groups }) => [
    groups?.name ?? "",
    { description: plainText(groups?.description), columns: new Map(columnsOf(groups?.body ?? "")) },
  ]);

const columnsOf = (body: string): [string, DescribedColumn][] =>
  [...body.matchAll(member)].map(({ groups }) => [
    groups?.name ?? "",
    {
      type: groups?.type ?? "",
      isNullable: groups?.isNullable !== undefined,
      description: plainText(groups?.description),
    },
  ]);

/** A comment as one line, without the leading stars. */
const plainText = (text = ""): string =>
  text
    .split("\n")
    .map((line) => line.replace(/^ *[*]/, "").trim())
    .join(" ")
    .trim();
