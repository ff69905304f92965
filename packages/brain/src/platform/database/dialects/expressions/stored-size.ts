import { type RawBuilder, sql } from "kysely";
import { byDialect } from "../by-dialect.ts";

/** Bytes that a value takes where it is stored, known without reading it; compressed on the server database. */
export const storedBytes = (column: RawBuilder<unknown>): RawBuilder<number> =>
  byDialect({ postgres: sql`pg_column_size(${column})`, sqlite: sql`octet_length(${column})` });

/** Whether the text of a column has at most `bytes` bytes. A value whose stored size is larger is not decompressed. */
export const isTextWithin = (column: RawBuilder<unknown>, bytes: number): RawBuilder<boolean> =>
  byDialect({
    postgres: sql`CASE WHEN pg_column_size(${column}) <= ${bytes} THEN octet_length(${column}::text) <= ${bytes} END`,
    sqlite: sql`octet_length(${column}) <= ${bytes}`,
  });
