import type { Tx } from "../../platform/database/database.ts";
import { changesOne, findsRow } from "../../platform/database/results.ts";
import { days } from "../../platform/durations.ts";
import type { BrainDatabase, Tables } from "../../schema/tables/index.ts";

/** A correction that ends a task. It is recorded before its event is stored and removed with its audit row. */
export interface ExpectedEnd {
  readonly eventId: string;
  readonly projectId: string;
  readonly engine: string;
  readonly taskId: string;
  readonly state: string;
  readonly stateBefore: string;
  readonly agentId: string;
  readonly commandId: string;
  /** ISO instant. */
  readonly expectedAt: string;
}

const keyPrefix = "reconciliation.end.";

export async function expectEnd(tx: Tx<Tables>, end: ExpectedEnd): Promise<void> {
  await tx
    .insertInto("meta")
    .values({ key: keyPrefix + end.eventId, value: JSON.stringify(end) })
    .onConflict((conflict) => conflict.column("key").doNothing())
    .execute();
}

/** Removes the record; true for only one of several concurrent callers. */
export const takeEnd = (tx: Tx<Tables>, { eventId }: ExpectedEnd): Promise<boolean> =>
  changesOne(tx.deleteFrom("meta").where("key", "=", keyPrefix + eventId));

export async function expectedEnds(
  { read }: Pick<BrainDatabase, "read">,
  { limit }: { limit: number },
): Promise<ExpectedEnd[]> {
  const rows = await read
    .selectFrom("meta")
    .select("value")
    .where("key", "like", `${keyPrefix}%`)
    .orderBy("key")
    .limit(limit)
    .execute();
  return rows.map(({ value }) => JSON.parse(value) as ExpectedEnd);
}

/** Whether the end has its audit row. Assumes that the clocks of database and process differ by less than a day. */
export const hasAuditRow = (tx: Tx<Tables>, { eventId, expectedAt }: ExpectedEnd): Promise<boolean> =>
  findsRow(
    tx
      .selectFrom("audit_log")
      .select("id")
      .where("action", "=", "task.reconciled")
      .where("occurred_us", ">=", (Date.parse(expectedAt) - days(1)) * 1000)
      .where("event_id", "=", eventId)
      .limit(1),
  );
