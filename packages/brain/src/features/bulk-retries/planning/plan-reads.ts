import type { BulkRetryChildRow, Db } from "../../../schema/tables/index.ts";

/** The stored request with its defaults, as canonical JSON. */
export async function effectiveText(db: Db, requestId: string): Promise<string | null> {
  const row = await db
    .selectFrom("bulk_retry_effective_requests")
    .select("effective_request")
    .where("request_id", "=", requestId)
    .executeTakeFirst();
  return row?.effective_request ?? null;
}

const shownColumns = [
  "ordinal",
  "engine",
  "task_id",
  "payload",
  "delivery_state",
  "outcome",
  "error",
  "command_id",
  "claimed_agent_id",
  "new_task_id",
  "claimed_at",
  "completed_at",
] as const;
export type ShownChild = Pick<BulkRetryChildRow, (typeof shownColumns)[number]>;

/** Children after an ordinal, in order, optionally with one outcome. The filter scans at most the request's own rows. */
export const childrenAfter = (
  db: Db,
  parentId: string,
  { after, limit, outcome }: { after: number; limit: number; outcome: string | null },
): Promise<ShownChild[]> =>
  db
    .selectFrom("bulk_retry_children")
    .select(shownColumns)
    .where("parent_id", "=", parentId)
    .where("ordinal", ">", after)
    .$if(outcome !== null, (query) => query.where("outcome", "=", outcome as string))
    .orderBy("ordinal")
    .limit(limit)
    .execute();
