import pg, { type PoolClient } from "pg";
import { type Column, copyMessagesOf } from "./binary-values.ts";

/** SQLSTATE of a row whose key already exists. */
export const uniqueViolation = "23505";

/** The driver's connection, which its types do not show. */
interface Connection {
  query(text: string): void;
  _send(messages: Buffer): void;
}

/**
 * `COPY … FROM STDIN` as a query of the driver. Everything is sent at once, so that it travels together with other statements: a server
 * that refuses the copy skips its data.
 */
class CopyIn extends pg.Query {
  override submit: (connection: pg.Connection) => void;

  constructor(text: string, messages: Buffer, done: (error: Error | null | undefined) => void) {
    super(text, done);
    this.submit = (connection) => {
      const wire = connection as unknown as Connection;
      wire.query(text);
      wire._send(messages);
    };
  }

  // The rows have already been sent.
  handleCopyInResponse(): void {}
}

/**
 * Copies rows into a table: the fastest way to insert, but without ON CONFLICT. Fails with `uniqueViolation` when a row exists. Table and
 * names are constants of the program, never input.
 */
export function copyIn<Row>(
  client: PoolClient,
  table: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): Promise<void> {
  const text = `COPY ${table} (${columns.map(({ name }) => name).join(", ")}) FROM STDIN (FORMAT binary)`;
  return new Promise((resolve, reject) => {
    client.query(new CopyIn(text, copyMessagesOf(columns, rows), (error) => (error ? reject(error) : resolve())));
  });
}
