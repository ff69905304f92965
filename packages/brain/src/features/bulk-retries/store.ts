import { type ExpressionBuilder, sql } from "kysely";
import { chunks } from "../../platform/chunks.ts";
import type { Tx } from "../../platform/database/database.ts";
import type { BulkRetryChildRow, BulkRetryRequestRow, Db, Tables } from "../../schema/tables/index.ts";
import { commandMachine } from "../commands/index.ts";
import { deleteMatches } from "./sealing/sealing-store.ts";
import { type ChildMove, childColumns, childMachine } from "./states.ts";

export const findRequest = (db: Db, projectId: string, id: string): Promise<BulkRetryRequestRow | undefined> =>
  db
    .selectFrom("bulk_retry_requests")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirst();

export const findRequestById = (db: Db, id: string): Promise<BulkRetryRequestRow | undefined> =>
  db.selectFrom("bulk_retry_requests").selectAll().where("id", "=", id).executeTakeFirst();

export const findRequestByKey = (db: Db, projectId: string, key: string): Promise<BulkRetryRequestRow | undefined> =>
  db
    .selectFrom("bulk_retry_requests")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("idempotency_key", "=", key)
    .executeTakeFirst();

/** Inserts a request with its stored text; false when the project already has this key. */
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
  for (const some of chunks(children, childrenPerStatement)) {
    await tx.insertInto("bulk_retry_children").values(some).execute();
  }
}

/** Locks the request until the end of the transaction; required before changing it or its children. Undefined when it was deleted. */
export const holdRequest = (tx: Tx<Tables>, id: string): Promise<BulkRetryRequestRow | undefined> =>
  tx.selectFrom("bulk_retry_requests").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();

export async function updateRequest(tx: Tx<Tables>, id: string, changes: Partial<BulkRetryRequestRow>): Promise<void> {
  await tx.updateTable("bulk_retry_requests").set(changes).where("id", "=", id).execute();
}

/** Removes a deleted user from the requests that the user created. */
export async function forgetRetrier(tx: Tx<Tables>, userId: string): Promise<void> {
  await tx.updateTable("bulk_retry_requests").set({ issued_by: null }).where("issued_by", "=", userId).execute();
}

const requestsPerBatch = 20;
const childrenPerBatch = 5000;
const maxChildren = 10_000;

/**
 * Deletes a batch of requests that finished before `cutoff`, or have been paused or blocked since before it; children first. Returns the
 * number of deleted rows, 0 when none are left.
 */
export async function deleteRequestsEndedBefore(tx: Tx<Tables>, cutoff: Date): Promise<number> {
  const finished = await tx
    .selectFrom("bulk_retry_requests")
    .select("id")
    .where("finished_at", "is not", null)
    .where("finished_at", "<", cutoff)
    .orderBy("finished_at")
    .limit(requestsPerBatch)
    .execute();
  const abandoned = finished.length > 0 ? [] : await abandonedBefore(tx, cutoff);
  const requests = [...finished, ...abandoned];
  if (requests.length === 0) return 0;
  const ids = requests.map(({ id }) => id);
  // A request that could still be resumed is deleted as a whole, with at most 10,000 children.
  const limit = abandoned.length > 0 ? maxChildren : childrenPerBatch;
  const { numDeletedRows } = await tx
    .deleteFrom("bulk_retry_children")
    .where("id", "in", (eb) =>
      eb.selectFrom("bulk_retry_children").select("id").where("parent_id", "in", ids).limit(limit),
    )
    .executeTakeFirst();
  if (numDeletedRows > 0n && abandoned.length === 0) return Number(numDeletedRows);
  await deleteMatches(tx, ids);
  await tx.deleteFrom("bulk_retry_effective_requests").where("request_id", "in", ids).execute();
  await tx.deleteFrom("bulk_retry_requests").where("id", "in", ids).execute();
  return ids.length;
}

/** A request that has waited for an operator since before `cutoff`, locked until the end of the transaction. Resuming it would have moved its deadline. */
const abandonedBefore = (tx: Tx<Tables>, cutoff: Date): Promise<{ id: string }[]> =>
  tx
    .selectFrom("bulk_retry_requests")
    .select("id")
    .where("finished_at", "is", null)
    .where("control_state", "<>", "running")
    .where("claimed_count", "=", 0)
    .where("deadline_at", "<", cutoff)
    .where((eb) => eb.or([eb("last_progress_at", "is", null), eb("last_progress_at", "<", cutoff)]))
    .orderBy("id")
    .limit(1)
    .forUpdate()
    .skipLocked()
    .execute();

/** After this time without progress, any process may continue a search. */
const idleSealingMs = 3000;

/** It can progress without an operator: it is running, its search is idle, or outcomes of sent children are awaited. */
const isActive = (now: Date) => (eb: ExpressionBuilder<Tables, "bulk_retry_requests">) =>
  eb.or([
    eb("control_state", "=", "running"),
    eb("claimed_count", ">", 0),
    eb.and([
      eb("control_state", "=", "sealing"),
      eb(eb.fn.coalesce("last_progress_at", "created_at"), "<=", new Date(now.getTime() - idleSealingMs)),
    ]),
  ]);

export interface ActivePage {
  readonly now: Date;
  readonly afterId: string | null;
  readonly limit: number;
}

/** Open requests that can progress without an operator, after `afterId`, by id. */
export async function activeRequests(db: Db, { now, afterId, limit }: ActivePage): Promise<string[]> {
  const rows = await db
    .selectFrom("bulk_retry_requests")
    .select("id")
    .where("finished_at", "is", null)
    .where(isActive(now))
    .$if(afterId !== null, (query) => query.where("id", ">", afterId as string))
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** One for each project and each named agent of a check for 500 agents. */
const maxOpen = 1000;

/** Running requests with unsent children in the projects of these agents, unless they name another agent. */
const openForAgents = (db: Db, agentIds: readonly string[], now: Date) =>
  db
    .selectFrom("bulk_retry_requests")
    .where("project_id", "in", (eb) =>
      eb.selectFrom("agents").select("project_id").where("id", "in", agentIds).where("revoked_at", "is", null),
    )
    .where("finished_at", "is", null)
    .where("control_state", "=", "running")
    .where("pending_count", ">", 0)
    .where("deadline_at", ">", now)
    .where((eb) => eb.or([eb("target_agent_id", "is", null), eb("target_agent_id", "in", agentIds)]));

/** Its own limits allow sending more at `now`. */
const hasAllowance = (now: Date) => (eb: ExpressionBuilder<Tables, "bulk_retry_requests">) =>
  eb.and([
    eb("claimed_count", "<", eb.ref("max_in_flight")),
    eb.or([
      eb("canary_size", "is", null),
      eb(eb("child_count", "-", eb.ref("pending_count")), "<", eb.ref("canary_size")),
    ]),
    eb.or([eb("next_claim_at", "is", null), eb("next_claim_at", "<=", now)]),
  ]);

/**
 * Requests whose children any of the agents can get now, oldest first. Requests without allowance are excluded. When there are too many, each
 * project and named agent keeps its oldest ones.
 */
export const openWithAllowance = (db: Db, agentIds: readonly string[], now: Date): Promise<BulkRetryRequestRow[]> =>
  db
    .selectFrom("bulk_retry_requests")
    .selectAll()
    .where("id", "in", (eb) =>
      eb
        .selectFrom(
          openForAgents(db, agentIds, now)
            .where(hasAllowance(now))
            .select("id")
            .select((open) =>
              open.fn
                .agg<number>("row_number")
                .over((over) => over.partitionBy(["project_id", "target_agent_id"]).orderBy("id"))
                .as("turn"),
            )
            .as("open"),
        )
        .select("open.id")
        .orderBy("open.turn")
        .orderBy("open.id")
        .limit(maxOpen),
    )
    .orderBy("id")
    .execute();

/** Requests without allowance that get some once the ended commands of their children are recorded; oldest first. */
export const fullWithUnnotedEnds = (db: Db, agentId: string, now: Date): Promise<BulkRetryRequestRow[]> =>
  openForAgents(db, [agentId], now)
    .selectAll()
    .where("claimed_count", ">", 0)
    .where((eb) => eb.not(hasAllowance(now)(eb)))
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom("bulk_retry_children as c")
          .innerJoin("commands as m", "m.id", "c.command_id")
          .select("c.id")
          .whereRef("c.parent_id", "=", "bulk_retry_requests.id")
          .where(isInFlight)
          .where("m.status", "in", commandMachine.final),
      ),
    )
    .orderBy("id")
    .limit(maxOpen)
    .execute();

/** The projects of the unrevoked agents. */
export const projectsOfAgents = (
  db: Db,
  agentIds: readonly string[],
): Promise<{ readonly id: string; readonly project_id: string }[]> =>
  db
    .selectFrom("agents")
    .select(["id", "project_id"])
    .where("id", "in", agentIds)
    .where("revoked_at", "is", null)
    .execute();

/** Open requests of the projects that can progress without an operator. */
export async function activeInProjects(db: Db, projectIds: readonly string[], now: Date): Promise<string[]> {
  if (projectIds.length === 0) return [];
  const rows = await db
    .selectFrom("bulk_retry_requests")
    .select("id")
    .where("project_id", "in", projectIds)
    .where("finished_at", "is", null)
    .where(isActive(now))
    .execute();
  return rows.map(({ id }) => id);
}

/** The requests that sent these commands. */
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

/** A project's requests, newest first, which is descending order of id; with `commandId`, only the one that sent the command. */
export const newestRequests = (
  db: Db,
  projectId: string,
  position: { readonly beforeId: string | null; readonly commandId: string | null; readonly limit: number },
): Promise<BulkRetryRequestRow[]> =>
  db
    .selectFrom("bulk_retry_requests")
    .selectAll()
    .where("project_id", "=", projectId)
    .$if(position.beforeId !== null, (query) => query.where("id", "<", position.beforeId as string))
    .$if(position.commandId !== null, (query) =>
      query.where("id", "in", (one) =>
        one.selectFrom("bulk_retry_children").select("parent_id").where("command_id", "=", position.commandId),
      ),
    )
    .orderBy("id", "desc")
    .limit(position.limit)
    .execute();

/** The child is in a state that allows the move. Literals, so that the partial indexes apply. */
export const mayMake = (move: ChildMove) =>
  sql<boolean>`(${sql.join(
    childMachine.from(move).map((state) => {
      const { delivery_state, outcome } = childColumns(state);
      return sql`(delivery_state = ${sql.lit(delivery_state)} AND outcome = ${sql.lit(outcome)})`;
    }),
    sql` OR `,
  )})`;
/** Sent, without an outcome. */
export const isInFlight = mayMake("result_success");
/** A literal, so that the partial index applies. */
export const isAwaited = sql<boolean>`(task_outcome = 'awaited')`;
