import { sql } from "kysely";
import type { Tx } from "../../../platform/database/database.ts";
import { typed, type ValueType } from "../../../platform/database/dialects/expressions/values-table.ts";
import type { BulkRetryChildRow, CommandRow, Db, Tables } from "../../../schema/tables/index.ts";
import { type ChildEnd, childColumns, childMachine } from "../states.ts";
import { isAwaited, isInFlight, mayMake } from "../store.ts";

export type ChildInFlight = Pick<BulkRetryChildRow, "id" | "task_id" | "claim_deadline_at"> & {
  readonly command_status: CommandRow["status"] | null;
  readonly command_result: string | null;
  readonly command_error: string | null;
  readonly command_timeout_at: Date | null;
};

/** The sent children without an outcome, with their commands; at most the request's limit in flight. */
export const childrenInFlight = (tx: Tx<Tables>, parentId: string): Promise<ChildInFlight[]> =>
  tx
    .selectFrom("bulk_retry_children as c")
    .leftJoin("commands as m", "m.id", "c.command_id")
    .select([
      "c.id",
      "c.task_id",
      "c.claim_deadline_at",
      "m.status as command_status",
      "m.result as command_result",
      "m.error as command_error",
      "m.timeout_at as command_timeout_at",
    ])
    .where("c.parent_id", "=", parentId)
    .where(isInFlight)
    .orderBy("c.ordinal")
    .execute();

/** Records the same outcome for children without one. */
export async function settleChildren(
  tx: Tx<Tables>,
  ids: readonly string[],
  end: ChildEnd,
  settled: Pick<BulkRetryChildRow, "error" | "completed_at" | "new_task_id">,
): Promise<void> {
  await tx
    .updateTable("bulk_retry_children")
    .set({ ...childColumns(childMachine.to(end)), ...settled })
    .where("id", "in", ids)
    .where(mayMake(end))
    .execute();
}

export type WaitingChild = Pick<BulkRetryChildRow, "id" | "ordinal" | "engine" | "task_id" | "payload" | "reported_by">;

/** The first pending children of a range, in ordinal order. */
export const nextChildren = (
  tx: Tx<Tables>,
  parentId: string,
  { next, end }: { readonly next: number; readonly end: number },
  limit: number,
): Promise<WaitingChild[]> =>
  tx
    .selectFrom("bulk_retry_children")
    .select(["id", "ordinal", "engine", "task_id", "payload", "reported_by"])
    .where("parent_id", "=", parentId)
    .where("ordinal", ">=", next)
    .where("ordinal", "<", end)
    .where(mayMake("claim"))
    .orderBy("ordinal")
    .limit(limit)
    .execute();

export type ChildClaim = Pick<
  BulkRetryChildRow,
  "id" | "command_id" | "claimed_agent_id" | "claimed_generation" | "ended_before_at"
>;

/** Claims pending children; returns how many. */
export async function claimChildren(
  tx: Tx<Tables>,
  claims: readonly ChildClaim[],
  shared: Pick<BulkRetryChildRow, "claimed_at" | "claim_deadline_at" | "task_outcome">,
): Promise<number> {
  const each = <Value>(column: keyof ChildClaim, type: ValueType) => {
    const whens = claims.map((claim) => sql`WHEN ${claim.id} THEN ${claim[column]}`);
    return typed<Value>(sql`CASE id ${sql.join(whens, sql` `)} END`, type);
  };
  const { numUpdatedRows } = await tx
    .updateTable("bulk_retry_children")
    .set({
      ...childColumns(childMachine.to("claim")),
      ...shared,
      command_id: each<string>("command_id", "uuid"),
      claimed_agent_id: each<string>("claimed_agent_id", "uuid"),
      claimed_generation: each<number | null>("claimed_generation", "bigint"),
      ...(shared.task_outcome !== null && { ended_before_at: each<Date | null>("ended_before_at", "timestamptz") }),
    })
    .where(
      "id",
      "in",
      claims.map(({ id }) => id),
    )
    .where(mayMake("claim"))
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** The canary's children whose tasks are awaited. */
export const awaitedChildren = (
  tx: Tx<Tables>,
  parentId: string,
): Promise<
  Pick<BulkRetryChildRow, "id" | "project_id" | "engine" | "task_id" | "new_task_id" | "outcome" | "ended_before_at">[]
> =>
  tx
    .selectFrom("bulk_retry_children")
    .select(["id", "project_id", "engine", "task_id", "new_task_id", "outcome", "ended_before_at"])
    .where("parent_id", "=", parentId)
    .where(isAwaited)
    .orderBy("ordinal")
    .execute();

/** The children whose tasks the canaries of these projects wait for, unless their request is paused. */
export const awaitedInProjects = (
  db: Db,
  projectIds: readonly string[],
): Promise<Pick<BulkRetryChildRow, "parent_id" | "project_id" | "engine" | "task_id" | "new_task_id">[]> =>
  db
    .selectFrom("bulk_retry_requests as r")
    .innerJoin("bulk_retry_children as c", "c.parent_id", "r.id")
    .select(["c.parent_id", "c.project_id", "c.engine", "c.task_id", "c.new_task_id"])
    .where("r.project_id", "in", projectIds)
    .where("r.finished_at", "is", null)
    .where("r.canary_size", "is not", null)
    .where("r.control_state", "<>", "paused")
    .where(isAwaited)
    .execute();

export async function noteTaskOutcome(tx: Tx<Tables>, id: string, outcome: "succeeded" | "failed"): Promise<void> {
  await tx.updateTable("bulk_retry_children").set({ task_outcome: outcome }).where("id", "=", id).execute();
}
