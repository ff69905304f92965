import { type Kysely, sql } from "kysely";
import type { DialectName, Tx } from "../../platform/database/database.ts";
import type { BulkRetryChildRow, BulkRetryRequestRow, Tables } from "../../schema/tables/index.ts";

type Db = Kysely<Tables>;

export const findRequest = (db: Db, projectId: string, id: string): Promise<BulkRetryRequestRow | undefined> =>
  db
    .selectFrom("bulk_retry_requests")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirst();

export const findByKey = (db: Db, projectId: string, key: string): Promise<BulkRetryRequestRow | undefined> =>
  db
    .selectFrom("bulk_retry_requests")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("idempotency_key", "=", key)
    .executeTakeFirst();

/** Inserts a request with the text that it stands for; false when its project has one with this key. */
export async function insertRequest(
  tx: Tx<Tables>,
  row: BulkRetryRequestRow,
  effectiveRequest: string,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto("bulk_retry_requests")
    .values(row)
    .onConflict((conflict) => conflict.columns(["project_id", "idempotency_key"]).doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows !== 1n) return false;
  await tx
    .insertInto("bulk_retry_effective_requests")
    .values({ request_id: row.id, effective_request: effectiveRequest })
    .execute();
  return true;
}

const childrenPerStatement = 500;

export async function insertChildren(tx: Tx<Tables>, children: readonly BulkRetryChildRow[]): Promise<void> {
  for (let start = 0; start < children.length; start += childrenPerStatement) {
    await tx
      .insertInto("bulk_retry_children")
      .values(children.slice(start, start + childrenPerStatement))
      .execute();
  }
}

/** The request, held until the end of the transaction: whoever changes it or its children holds it first. Undefined when it is gone. */
export const holdRequest = (
  tx: Tx<Tables>,
  dialect: DialectName,
  id: string,
): Promise<BulkRetryRequestRow | undefined> =>
  tx
    .selectFrom("bulk_retry_requests")
    .selectAll()
    .where("id", "=", id)
    .$if(dialect === "postgres", (query) => query.forUpdate())
    .executeTakeFirst();

export async function updateRequest(tx: Tx<Tables>, id: string, changes: Partial<BulkRetryRequestRow>): Promise<void> {
  await tx.updateTable("bulk_retry_requests").set(changes).where("id", "=", id).execute();
}

/** Takes a user who is deleted out of the requests that the user made. */
export async function forgetRetrier(tx: Tx<Tables>, userId: string): Promise<void> {
  await tx.updateTable("bulk_retry_requests").set({ issued_by: null }).where("issued_by", "=", userId).execute();
}

const requestsPerBatch = 20;
const childrenPerBatch = 5000;

/** Deletes some of what finished before `cutoff`, children first; gives how many rows went, 0 when there are none left. */
export async function deleteFinishedBefore(tx: Tx<Tables>, cutoff: Date): Promise<number> {
  const requests = await tx
    .selectFrom("bulk_retry_requests")
    .select("id")
    .where("finished_at", "is not", null)
    .where("finished_at", "<", cutoff)
    .orderBy("finished_at")
    .limit(requestsPerBatch)
    .execute();
  if (requests.length === 0) return 0;
  const ids = requests.map(({ id }) => id);
  const { numDeletedRows } = await tx
    .deleteFrom("bulk_retry_children")
    .where("id", "in", (eb) =>
      eb.selectFrom("bulk_retry_children").select("id").where("parent_id", "in", ids).limit(childrenPerBatch),
    )
    .executeTakeFirst();
  if (numDeletedRows > 0n) return Number(numDeletedRows);
  await tx.deleteFrom("bulk_retry_effective_requests").where("request_id", "in", ids).execute();
  await tx.deleteFrom("bulk_retry_requests").where("id", "in", ids).execute();
  return ids.length;
}

/** Open requests after `afterId`, by id. */
export async function openRequests(db: Db, afterId: string | null, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom("bulk_retry_requests")
    .select("id")
    .where("finished_at", "is", null)
    .$if(afterId !== null, (query) => query.where("id", ">", afterId as string))
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export type OpenForAgent = BulkRetryRequestRow & { readonly agent_id: string };

/** Running requests with unsent children that any of the agents may be given, as far as the request says so; oldest first. */
export const openForAgents = (db: Db, agentIds: readonly string[], now: Date): Promise<OpenForAgent[]> =>
  db
    .selectFrom("agents as a")
    .innerJoin("bulk_retry_requests as r", "r.project_id", "a.project_id")
    .selectAll("r")
    .select("a.id as agent_id")
    .where("a.id", "in", agentIds)
    .where("a.revoked_at", "is", null)
    .where("r.finished_at", "is", null)
    .where("r.control_state", "=", "running")
    .where("r.pending_count", ">", 0)
    .where("r.deadline_at", ">", now)
    .where((eb) => eb.or([eb("r.target_agent_id", "is", null), eb("r.target_agent_id", "=", eb.ref("a.id"))]))
    .orderBy("r.id")
    .limit(maxOpenForAgents)
    .execute();

const maxOpenForAgents = 500;

/** Open requests of the projects. */
export async function openInProjects(db: Db, projectIds: readonly string[]): Promise<string[]> {
  if (projectIds.length === 0) return [];
  const rows = await db
    .selectFrom("bulk_retry_requests")
    .select("id")
    .where("project_id", "in", projectIds)
    .where("finished_at", "is", null)
    .execute();
  return rows.map(({ id }) => id);
}

/** The requests whose children these commands are. */
export async function parentsOf(db: Db, commandIds: readonly string[]): Promise<string[]> {
  if (commandIds.length === 0) return [];
  const rows = await db
    .selectFrom("bulk_retry_children")
    .select("parent_id")
    .distinct()
    .where("command_id", "in", commandIds)
    .execute();
  return rows.map(({ parent_id }) => parent_id);
}

/** As text, so that the partial indexes serve. */
export const isInFlight = sql<boolean>`(delivery_state = 'claimed' AND outcome = 'unobserved')`;
export const isAwaited = sql<boolean>`(task_outcome = 'awaited')`;
