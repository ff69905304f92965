import {
  createQueryId,
  createRawBuilder,
  type OperationNode,
  type QueryExecutorProvider,
  type RawBuilder,
  type RawNode,
  SqliteAdapter,
} from "kysely";

/** An expression in the form of the server database, paired with the form of the embedded one. */
export interface DialectNode extends RawNode {
  readonly onSqlite?: OperationNode;
}

/**
 * An expression that the two databases write differently. The compiler of a statement takes the form of its database, so nothing that
 * builds statements needs to know which database they are for.
 */
export function byDialect<T>(forms: { postgres: RawBuilder<unknown>; sqlite: RawBuilder<unknown> }): RawBuilder<T> {
  const rawNode: DialectNode = {
    ...(forms.postgres.toOperationNode() as RawNode),
    onSqlite: forms.sqlite.toOperationNode(),
  };
  return createRawBuilder<T>({ queryId: createQueryId(), rawNode });
}

/** Whether the statements of this connection or transaction go to the embedded database. */
export const isEmbedded = (db: QueryExecutorProvider): boolean => db.getExecutor().adapter instanceof SqliteAdapter;
