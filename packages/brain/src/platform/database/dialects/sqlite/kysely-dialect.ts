import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
} from "kysely";
import { type NamedColumns, restoreRows } from "../../values/instants.ts";
import type { StatementResult } from "./connection.ts";
import { EmbeddedQueryCompiler } from "./query-compiler.ts";

/** Where the statements of one Kysely connection go. */
export interface StatementTarget {
  execute(sql: string, parameters: readonly unknown[]): StatementResult | Promise<StatementResult>;
  begin?(): Promise<void>;
  end?(commit: boolean): Promise<void>;
}

/** A Kysely dialect over statement targets: the in-process reader, the reader thread and the writer thread. */
export function sqliteDialect(openTarget: () => StatementTarget, named: NamedColumns): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => createDriver(openTarget, named),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
    createQueryCompiler: () => new EmbeddedQueryCompiler(),
  };
}

interface TargetConnection extends DatabaseConnection {
  readonly target: StatementTarget;
}

function createDriver(openTarget: () => StatementTarget, named: NamedColumns): Driver {
  const targetOf = (connection: DatabaseConnection) => (connection as TargetConnection).target;
  return {
    init: async () => {},
    acquireConnection: async () => createConnection(openTarget(), named),
    beginTransaction: async (connection) => targetOf(connection).begin?.(),
    commitTransaction: async (connection) => targetOf(connection).end?.(true),
    rollbackTransaction: async (connection) => targetOf(connection).end?.(false),
    releaseConnection: async () => {},
    destroy: async () => {},
  };
}

function createConnection(target: StatementTarget, named: NamedColumns): TargetConnection {
  return {
    target,
    async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
      const { rows, changes, lastInsertRowid } = await target.execute(query.sql, query.parameters);
      return {
        rows: restoreRows(rows, named) as Row[],
        numAffectedRows: BigInt(changes),
        insertId: BigInt(lastInsertRowid),
      };
    },
    // biome-ignore lint/correctness/useYield: an iterator that refuses; pages are read by key instead.
    async *streamQuery() {
      throw new Error("streaming is done by keyset pages");
    },
  };
}
