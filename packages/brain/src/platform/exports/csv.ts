import { stringify } from "csv-stringify/sync";
import { type Cell, safeCellText } from "./cells.ts";

/** CSV of pages of rows (RFC 4180, UTF-8, CRLF, header first), a page at a time. */
export async function* csvOf(
  columns: readonly string[],
  pages: AsyncIterable<readonly Record<string, Cell>[]>,
): AsyncGenerator<string> {
  // The library quotes only the full CRLF by default, and a lone CR or LF would end the row for every reader.
  const lines = (rows: readonly (readonly string[])[]) =>
    stringify(rows as string[][], { record_delimiter: "\r\n", quoted_match: /[\r\n]/ });
  yield lines([columns]);
  for await (const rows of pages) {
    yield lines(rows.map((row) => columns.map((column) => safeCellText(row[column]))));
  }
}

/** A JSON array of objects, a page at a time. */
export async function* jsonArrayOf(
  columns: readonly string[],
  pages: AsyncIterable<readonly Record<string, Cell>[]>,
): AsyncGenerator<string> {
  let separator = "[";
  for await (const rows of pages) {
    let text = "";
    for (const row of rows) {
      text += separator + JSON.stringify(Object.fromEntries(columns.map((column) => [column, row[column] ?? null])));
      separator = ",\n";
    }
    yield text;
  }
  yield separator === "[" ? "[]" : "]";
}
