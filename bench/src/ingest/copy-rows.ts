import type { Client, Connection } from "pg";

/** One `COPY … FROM STDIN` of text prepared before: the fastest way of rows into PostgreSQL, without any care for duplicates. */
export function copyRows(client: Client, statement: string, text: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    let failure: Error | null = null;
    // What pg asks of a query object; only these messages come in a copy.
    const query = {
      submit: (connection: Connection) => {
        (connection as unknown as { query(text: string): void }).query(statement);
      },
      handleCopyInResponse: (connection: Connection) => {
        const wire = connection as unknown as { sendCopyFromChunk(chunk: Buffer): void; endCopyFrom(): void };
        wire.sendCopyFromChunk(text);
        wire.endCopyFrom();
      },
      handleCommandComplete: () => {},
      handleError: (error: Error) => {
        failure = error;
        reject(error);
      },
      handleReadyForQuery: () => {
        if (failure === null) resolve();
      },
    };
    client.query(query as never);
  });
}

/** A row in the text format of COPY. */
export const copyLine = (values: readonly string[]): string =>
  `${values.map((value) => value.replace(/[\\\n\r\t]/g, escaped)).join("\t")}\n`;

const escapes: Record<string, string> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const escaped = (character: string): string => escapes[character] as string;
