import { type RawBuilder, sql } from "kysely";
import { byDialect } from "../by-dialect.ts";

/** The physical address of a row, valid within one statement: for tables with wide keys. */
export const rowAddress: RawBuilder<string> = byDialect({ postgres: sql.ref("ctid"), sqlite: sql.ref("rowid") });

/** The greatest of some ids. The server database has no greatest uuid. */
export const greatestId = (id: RawBuilder<unknown>): RawBuilder<string> =>
  byDialect({ postgres: sql`max((${id})::text)`, sqlite: sql`max(${id})` });
