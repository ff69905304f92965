import { type Expression, type SqlBool, sql } from "kysely";
import type { DialectName } from "./database.ts";

/** Whether the text holds `needle` literally, with case; no character of it is a wildcard. */
export const contains = (dialect: DialectName, text: Expression<string | null>, needle: string): Expression<SqlBool> =>
  dialect === "postgres" ? sql<SqlBool>`strpos(${text}, ${needle}) > 0` : sql<SqlBool>`instr(${text}, ${needle}) > 0`;
