import { Kysely } from "kysely";
import type { Database } from "../../database.ts";
import { SqliteError } from "../../errors.ts";
import type { NamedColumns } from "../../values/instants.ts";
import { createStatementRunner, openForReading, type SqliteOptions, type StatementResult } from "./connection.ts";
import { type StatementTarget, sqliteDialect } from "./kysely-dialect.ts";
import { carryError, type ReaderRequest, type WriterRequest } from "./messages.ts";
import { createThreadClient } from "./thread-client.ts";

export interface SqliteDatabaseOptions extends SqliteOptions {
  readonly namedColumns: NamedColumns;
  /** Paths of the thread entries (the writer's names the jobs of the features). */
  readonly writerEntry: string;
  readonly readerEntry: string;
  /** A transaction without a statement for this long is undone, so that it cannot block the writer forever. */
  readonly idleSessionMs: number;
  /** How long one turn of the event loop may block for the writer, in milliseconds. Only tests set it. */
  readonly maxBlockedMs?: number;
}

/** Opens the embedded database: one writer thread, one reader thread, one read-only connection in process. */
export async function openSqlite<Schema>(options: SqliteDatabaseOptions): Promise<Database<Schema>> {
  const { namedColumns } = options;
  const writer = createThreadClient<WriterRequest>(options.writerEntry, options, options.maxBlockedMs);
  // The writer creates the file and switches it to WAL; readers open it only after that.
  await writer.ask({ kind: "checkpoint" });
  const reader = createThreadClient<ReaderRequest>(options.readerEntry, { path: options.path });
  const readConnection = openForReading(options.path);
  const runRead = createStatementRunner(readConnection);
  let lastSession = 0;
  /** Transactions that have begun and not ended; a failed COMMIT is ended twice. */
  const openSessions = new Set<number>();

  function writerTarget(): StatementTarget {
    let session = 0;
    const execute = async (sql: string, parameters: readonly unknown[]) =>
      (await writer.askBlocking({ kind: "execute", session, sql, parameters: [...parameters] })) as StatementResult;
    const begin = async () => {
      lastSession += 1;
      session = lastSession;
      // An idle writer begins at once.
      const ask = writer.isAsked() ? writer.ask : writer.askBlocking;
      await ask({ kind: "begin", session });
      openSessions.add(session);
    };
    const end = async (commit: boolean) => {
      const ending = session;
      session = 0;
      openSessions.delete(ending);
      await writer.ask({ kind: "end", session: ending, commit });
    };
    return {
      begin,
      end,
      async execute(sql, parameters) {
        if (session !== 0) return execute(sql, parameters);
        await begin();
        try {
          const result = await execute(sql, parameters);
          await end(true);
          return result;
        } catch (error) {
          if (session !== 0) await end(false);
          throw error;
        }
      },
    };
  }

  const readingTarget = (run: typeof runRead): StatementTarget => ({
    execute(sql, parameters) {
      try {
        return run(sql, parameters);
      } catch (error) {
        const { message, resultCode } = carryError(error);
        throw new SqliteError(message, resultCode);
      }
    },
  });
  const readTarget = readingTarget(runRead);
  const slowTarget: StatementTarget = {
    execute: async (sql, parameters) =>
      (await reader.ask({ kind: "execute", sql, parameters: [...parameters] })) as StatementResult,
  };

  const writing = new Kysely<Schema>({ dialect: sqliteDialect(writerTarget, namedColumns) });
  const read = new Kysely<Schema>({ dialect: sqliteDialect(() => readTarget, namedColumns) });
  return {
    dialect: "sqlite",
    isShared: false,
    read,
    slow: new Kysely<Schema>({ dialect: sqliteDialect(() => slowTarget, namedColumns) }),
    prepared: async (_name, query) => (await read.executeQuery(query)).rows,
    write: (work) => writing.transaction().execute(work),
    async snapshot(work) {
      const connection = openForReading(options.path);
      try {
        connection.exec("BEGIN");
        const target = readingTarget(createStatementRunner(connection));
        return await work(new Kysely<Schema>({ dialect: sqliteDialect(() => target, namedColumns) }));
      } finally {
        connection.close();
      }
    },
    // A group of commits becomes visible only when it is durable.
    flush: async () => {},
    bulk: { dialect: "sqlite", job: (name, payload) => writer.ask({ kind: "job", name, payload }) },
    // There is no other process.
    notify: async () => {},
    listen: async () => async () => {},
    lead: async () => ({ isHeld: () => true, release: async () => {} }),
    async ping() {
      readTarget.execute("SELECT 1", []);
      await Promise.all([writer.answers({ kind: "ping" }), reader.answers({ kind: "ping" })]);
    },
    async checkpoint() {
      const result = (await writer.ask({ kind: "checkpoint" })) as StatementResult | null;
      const pages = result?.rows[0]?.log;
      return typeof pages === "number" ? pages : null;
    },
    // The connection in this process is never in use when this is read: its reads end before they return.
    poolStats: () => ({
      size: 3,
      checkedOut: Number(openSessions.size > 0 || writer.isAsked()) + Number(reader.isAsked()),
    }),
    async close() {
      await reader.end({ kind: "close" });
      readConnection.close();
      await writer.end({ kind: "close" });
    },
  };
}
