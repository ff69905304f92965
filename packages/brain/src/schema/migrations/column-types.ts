import { type Kysely, sql } from "kysely";
import type { DialectName } from "../../platform/database/database.ts";

/** Names of the column types in each dialect; text compares by code point on both. */
export function columnTypes(dialect: DialectName) {
  return dialect === "postgres"
    ? {
        uuid: "uuid",
        text: 'text COLLATE "C"',
        instant: "timestamptz",
        json: "jsonb",
        bool: "boolean",
        int: "bigint",
        real: "double precision",
        serial: "bigint GENERATED ALWAYS AS IDENTITY",
        yes: "true",
        no: "false",
        options: "",
      }
    : {
        uuid: "TEXT",
        text: "TEXT",
        instant: "INTEGER",
        json: "TEXT",
        bool: "INTEGER",
        int: "INTEGER",
        real: "REAL",
        serial: "INTEGER",
        yes: "1",
        no: "0",
        options: "STRICT",
      };
}

export type ColumnTypes = ReturnType<typeof columnTypes>;

/** Runs schema statements one after another; they are constants of this program, never input. */
export async function runStatements(db: Kysely<unknown>, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
