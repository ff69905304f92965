import type { DialectName } from "../database.ts";

/** How schema statements name types and options; text compares by code point on both databases. */
export interface ColumnTypes {
  readonly uuid: string;
  readonly text: string;
  readonly instant: string;
  readonly json: string;
  readonly bool: string;
  readonly int: string;
  readonly real: string;
  /** A number that the database gives to each new row. */
  readonly serial: string;
  readonly no: string;
  /** Options after the columns of a table. */
  readonly options: string;
  /** The same for a table that is partitioned by this column, which holds instants. */
  partitionedBy(column: string): string;
  /** The column `id` as the key. The embedded database gives each row a number as well, which search refers to and VACUUM keeps. */
  readonly numberedId: string;
  /** Statements of one database alone. */
  onPostgres(statements: readonly string[]): readonly string[];
  onSqlite(statements: readonly string[]): readonly string[];
}

export const columnTypes: Readonly<Record<DialectName, ColumnTypes>> = {
  postgres: {
    uuid: "uuid",
    text: 'text COLLATE "C"',
    instant: "timestamptz",
    json: "jsonb",
    bool: "boolean",
    int: "bigint",
    real: "double precision",
    serial: "bigint GENERATED ALWAYS AS IDENTITY",
    no: "false",
    options: "",
    partitionedBy: (column) => `PARTITION BY RANGE (${column})`,
    numberedId: "id uuid PRIMARY KEY",
    onPostgres: (statements) => statements,
    onSqlite: () => [],
  },
  sqlite: {
    uuid: "TEXT",
    text: "TEXT",
    instant: "INTEGER",
    json: "TEXT",
    bool: "INTEGER",
    int: "INTEGER",
    real: "REAL",
    serial: "INTEGER",
    no: "0",
    options: "STRICT",
    partitionedBy: () => "STRICT",
    numberedId: "serial INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE",
    onPostgres: () => [],
    onSqlite: (statements) => statements,
  },
};
