import type { Kysely, QueryCreator, UpdateQueryBuilder } from "kysely";
import { isEmbedded } from "./by-dialect.ts";

/**
 * Runs an update and another write: in one statement on the server database, so that a contended lock is held only briefly; one after the
 * other on the embedded one, which has no such statement.
 */
export async function updateWith<Schema>(
  tx: Kysely<Schema>,
  // biome-ignore lint/suspicious/noExplicitAny: an update of any table
  update: (db: QueryCreator<Schema>) => UpdateQueryBuilder<Schema, any, any, any>,
  write: (db: QueryCreator<Schema>) => { execute(): Promise<unknown> },
): Promise<void> {
  if (isEmbedded(tx)) {
    await update(tx).execute();
    await write(tx).execute();
  } else await write(tx.with("updated", update) as unknown as QueryCreator<Schema>).execute();
}
