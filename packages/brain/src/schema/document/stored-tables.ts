import { DatabaseSync } from "node:sqlite";
import type { ColumnTypes } from "../../platform/database/dialects/column-types.ts";
import { migrations } from "../migrations/migrations.ts";

/** A table as the migrations create it. */
export interface StoredTable {
  readonly columns: readonly StoredColumn[];
  /** Columns of the primary key. */
  readonly key: readonly string[];
  readonly uniques: readonly (readonly string[])[];
  readonly references: readonly { readonly column: string; readonly table: string; readonly onDelete: string }[];
  readonly indexes: readonly { readonly name: string; readonly isUnique: boolean; readonly on: string }[];
  /** The only database that has it; null for both. */
  readonly only: "PostgreSQL" | "SQLite" | null;
}

export interface StoredColumn {
  readonly name: string;
  /** A key of `ColumnTypes`. */
  readonly type: string;
  readonly isNullable: boolean;
  readonly default: string | null;
}

/**
 * Every table after all migrations, by name. They run in an in-memory database that accepts any type name, so that columns have the types
 * of `ColumnTypes` and not those of one database.
 */
export function storedTables(): Map<string, StoredTable> {
  const db = new DatabaseSync(":memory:");
  const onlyOn = new Map<string, "PostgreSQL" | "SQLite">();
  const types = namedTypes(onlyOn);
  for (const { statements } of migrations) for (const statement of statements(types)) db.exec(statement);
  const names = all(
    db,
    "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual') ORDER BY name",
  )
    .map(({ name }) => name as string)
    .filter((name) => !name.startsWith("sqlite_"));
  return new Map(names.map((name) => [name, tableOf(db, name, onlyOn.get(name) ?? null)]));
}

function namedTypes(onlyOn: Map<string, "PostgreSQL" | "SQLite">): ColumnTypes {
  const tablesOf = (only: "PostgreSQL" | "SQLite") => (statements: readonly string[]) => {
    const made = statements.filter((statement) => /^CREATE (VIRTUAL )?TABLE/.test(statement));
    for (const statement of made) onlyOn.set(/TABLE (\w+)/.exec(statement)?.[1] ?? "", only);
    return made;
  };
  return {
    uuid: "uuid",
    text: "text",
    instant: "instant",
    json: "json",
    bool: "bool",
    int: "int",
    real: "real",
    serial: "serial",
    no: "false",
    options: "",
    partitionedBy: () => "",
    numberedId: "id uuid PRIMARY KEY",
    onPostgres: tablesOf("PostgreSQL"),
    onSqlite: tablesOf("SQLite"),
  };
}

function tableOf(db: DatabaseSync, table: string, only: StoredTable["only"]): StoredTable {
  const columns = all(db, `PRAGMA table_info(${table})`);
  const indexes = all(db, `SELECT * FROM pragma_index_list('${table}') ORDER BY seq DESC`);
  const columnsOf = (index: unknown) =>
    all(db, `SELECT name FROM pragma_index_info('${index}') ORDER BY seqno`).map(({ name }) => name as string);
  const textOf = (index: unknown) => all(db, `SELECT sql FROM sqlite_schema WHERE name = '${index}'`)[0]?.sql as string;
  return {
    columns: columns.map(({ name, type, notnull, dflt_value, pk }) => ({
      name: name as string,
      // Columns of a virtual table have no types.
      type: type === "" ? "text" : (type as string).toLowerCase(),
      isNullable: notnull === 0 && pk === 0 && type !== "",
      default: dflt_value as string | null,
    })),
    key: columns
      .filter(({ pk }) => pk !== 0)
      .sort((a, b) => Number(a.pk) - Number(b.pk))
      .map(({ name }) => name as string),
    uniques: indexes.filter(({ origin }) => origin === "u").map(({ name }) => columnsOf(name)),
    references: all(db, `PRAGMA foreign_key_list(${table})`)
      .map(({ from, table: to, on_delete }) => ({
        column: from as string,
        table: to as string,
        onDelete: (on_delete as string).toLowerCase(),
      }))
      .reverse(),
    indexes: indexes
      .filter(({ origin }) => origin === "c")
      .map(({ name, unique }) => ({
        name: name as string,
        isUnique: unique === 1,
        on: (/ ON \w+ (.+)$/s.exec(textOf(name))?.[1] ?? "").replaceAll(/\s+/g, " "),
      })),
    only,
  };
}

const all = (db: DatabaseSync, sql: string) => db.prepare(sql).all();
