import type { DeleteResult, UpdateResult } from "kysely";

interface Change {
  executeTakeFirst(): Promise<UpdateResult | DeleteResult>;
}

/** Carries out an update or a deletion and returns how many rows it affected. */
export async function affectedRows(change: Change): Promise<number> {
  const result = await change.executeTakeFirst();
  return Number("numUpdatedRows" in result ? result.numUpdatedRows : result.numDeletedRows);
}

/** Carries out an update or a deletion of one row and returns whether there was such a row. */
export const changesOne = async (change: Change): Promise<boolean> => (await affectedRows(change)) === 1;

/** Whether a query finds a row. */
export const findsRow = async (query: { executeTakeFirst(): Promise<unknown> }): Promise<boolean> =>
  (await query.executeTakeFirst()) !== undefined;

/** The number that a query has as its `count`. */
export const countOf = async (query: {
  executeTakeFirstOrThrow(): Promise<{ count: number | string }>;
}): Promise<number> => Number((await query.executeTakeFirstOrThrow()).count);
