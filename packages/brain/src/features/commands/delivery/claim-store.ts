import { type ExpressionBuilder, sql } from "kysely";
import type { Tx } from "../../../platform/database/database.ts";
import type { BrainDatabase, CommandRow, Db, Tables } from "../../../schema/tables/index.ts";
import { contractActions } from "../../agents/index.ts";
import { commandMachine } from "../states.ts";

/** Prefix of the idempotency keys of bulk retry commands, reserved for them. */
export const childKeyPrefix = "bulk:";

/** A pending command past its time limit must not be sent. The next sweep times it out. */
const isInTime = (now: Date) => (eb: ExpressionBuilder<Tables, "commands">) =>
  eb.or([eb("timeout_at", "is", null), eb("timeout_at", ">", now)]);

export const pendingColumns = ["id", "project_id", "action", "engine", "issued_at", "idempotency_key"] as const;
/** A command to send, without its payload, because hundreds of payloads may be large. */
export type PendingCommand = Pick<CommandRow, (typeof pendingColumns)[number]>;

type Place = Pick<CommandRow, "issued_at" | "id">;

/** Behind a command in issued_at order. */
export const isAfter =
  ({ issued_at, id }: Place) =>
  (eb: ExpressionBuilder<Tables, "commands">) =>
    eb.or([eb("issued_at", ">", issued_at), eb.and([eb("issued_at", "=", issued_at), eb("id", ">", id)])]);

const selectPending = (db: Db) =>
  db.selectFrom("commands").select(pendingColumns).where("status", "in", commandMachine.from("claim"));

/** Commands that wait for this agent at `now`, oldest first, after `after`. */
export function pendingForAgent(
  db: BrainDatabase,
  { agentId, after, limit, now }: { agentId: string; after: Place | null; limit: number; now: Date },
): Promise<PendingCommand[]> {
  return selectPending(db.read)
    .where("agent_id", "=", agentId)
    .where(isInTime(now))
    .$if(after !== null, (query) => query.where(isAfter(after!)))
    .orderBy("issued_at")
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** Children of bulk retries that wait for this agent at `now`, oldest first. */
export function pendingChildren(
  db: BrainDatabase,
  { agentId, limit, now }: { agentId: string; limit: number; now: Date },
): Promise<PendingCommand[]> {
  return selectPending(db.read)
    .where("agent_id", "=", agentId)
    .where("action", "=", "bulk_retry")
    .where("idempotency_key", "like", `${childKeyPrefix}%`)
    .where(isInTime(now))
    .orderBy("issued_at")
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** A kind of command that waits for an agent. */
export interface PendingKind {
  readonly agentId: string;
  readonly action: string;
  /** Null when the command names none, and for actions without a retry contract. */
  readonly engine: string | null;
}

/**
 * The kinds of commands that wait for these agents at `now`, and which of the agents are revoked. One statement each, however many polls
 * wait. Retries are read only for the agents in `retrying`; the others cannot take one.
 */
export async function waitingKinds(
  db: BrainDatabase,
  { agentIds, retrying, now }: { agentIds: readonly string[]; retrying: readonly string[]; now: Date },
): Promise<{ pending: PendingKind[]; revoked: string[] }> {
  const [pending, revoked] = await Promise.all([
    db.read
      .selectFrom("commands")
      .select([
        "agent_id",
        "action",
        sql<string | null>`CASE WHEN action IN (${sql.join(contractActions)}) THEN engine END`.as("engine"),
      ])
      .distinct()
      .where("agent_id", "in", agentIds)
      .where("status", "in", commandMachine.from("claim"))
      .where(isInTime(now))
      .where((eb) => {
        const isOpen = eb("action", "not in", contractActions);
        return retrying.length === 0 ? isOpen : eb.or([isOpen, eb("agent_id", "in", retrying)]);
      })
      .execute(),
    db.read.selectFrom("agents").select("id").where("id", "in", agentIds).where("revoked_at", "is not", null).execute(),
  ]);
  return {
    pending: pending.map(({ agent_id, action, engine }) => ({ agentId: agent_id ?? "", action, engine })),
    revoked: revoked.map(({ id }) => id),
  };
}

/** Claims pending commands for one delivery each; returns those that no other claim, cancel or timeout won first, in any order. */
export const claimPending = (
  tx: Tx<Tables>,
  { claims, now, timeoutAt }: { claims: readonly { id: string; token: string }[]; now: Date; timeoutAt: Date },
): Promise<CommandRow[]> =>
  tx
    .updateTable("commands")
    .set({
      status: commandMachine.to("claim"),
      dispatched_at: now,
      last_sent_at: now,
      timeout_at: timeoutAt,
      delivery_claim_token: sql<string>`CASE id ${sql.join(
        claims.map(({ id, token }) => sql`WHEN ${id} THEN ${token}`),
        sql` `,
      )} END`,
    })
    .where(
      "id",
      "in",
      claims.map(({ id }) => id),
    )
    .where("status", "in", commandMachine.from("claim"))
    .where(isInTime(now))
    .returningAll()
    .execute();
