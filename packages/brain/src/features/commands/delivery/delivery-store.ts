import { redeliverableActions } from "@svc/protocol";
import { sql } from "kysely";
import type { Tx } from "../../../platform/database/database.ts";
import { findsRow } from "../../../platform/database/results.ts";
import type { BrainDatabase, CommandRow, Tables } from "../../../schema/tables/index.ts";
import { commandMachine } from "../states.ts";

/** One claim of a command. */
export interface Delivery {
  readonly id: string;
  readonly token: string;
}

const movedColumns = ["id", "project_id", "agent_id", "action", "status", "idempotency_key", "error"] as const;
type Moved = Pick<CommandRow, (typeof movedColumns)[number]>;

/**
 * Returns a command to `pending` after a failed send, if it may be repeated; undefined otherwise. It keeps its token: the agent may have
 * received it anyway, and then its result counts.
 */
export const putBack = (tx: Tx<Tables>, { id, token }: Delivery): Promise<Moved | undefined> =>
  tx
    .updateTable("commands")
    .set({ status: commandMachine.to("send_failed"), dispatched_at: null })
    .where("id", "=", id)
    .where("status", "in", commandMachine.from("send_failed"))
    .where("delivery_claim_token", "=", token)
    .where("acked_at", "is", null)
    .where("action", "in", [...redeliverableActions])
    .returning(movedColumns)
    .executeTakeFirst();

/** Fails a claimed command that could not be signed. */
export const failUnsigned = (
  tx: Tx<Tables>,
  { id, token }: Delivery,
  { error, now }: { error: string; now: Date },
): Promise<Moved | undefined> =>
  tx
    .updateTable("commands")
    .set({ status: commandMachine.to("signing_failed"), error, completed_at: now })
    .where("id", "=", id)
    .where("status", "in", commandMachine.from("signing_failed"))
    .where("delivery_claim_token", "=", token)
    .returning(movedColumns)
    .executeTakeFirst();

/** Whether any open command has timed out; checked before a write transaction is opened. */
export const isAnyDue = (db: BrainDatabase["read"], now: Date): Promise<boolean> =>
  findsRow(db.selectFrom("commands").select("id").where(isOpen).where("timeout_at", "<=", now).limit(1));

/** Literals, so that the index of open commands applies. */
const isOpen = sql<boolean>`status IN (${sql.join(commandMachine.from("expire").map((status) => sql.lit(status)))})`;

/**
 * Times out at most `limit` open commands, the oldest deadlines first. Rows that another transaction holds are left to the next round.
 */
export function expireDue(tx: Tx<Tables>, { now, limit }: { now: Date; limit: number }): Promise<Moved[]> {
  const due = tx
    .selectFrom("commands")
    .select("id")
    .where(isOpen)
    .where("timeout_at", "<=", now)
    .orderBy("timeout_at")
    .limit(limit);
  return tx
    .with("due", () => due.forUpdate().skipLocked())
    .updateTable("commands")
    .set({
      error: sql<string>`CASE status WHEN 'pending' THEN 'the agent did not take it in time' ELSE 'no result from the agent in time' END`,
      status: commandMachine.to("expire"),
      completed_at: now,
    })
    .where("id", "in", (eb) => eb.selectFrom("due").select("due.id"))
    .where(isOpen)
    .where("timeout_at", "<=", now)
    .returning(movedColumns)
    .execute();
}

/** Those of the agents that have pending commands. */
export async function agentsWithPending(
  db: BrainDatabase["read"],
  agentIds: readonly string[],
  now: Date,
): Promise<string[]> {
  if (agentIds.length === 0) return [];
  const rows = await db
    .selectFrom("commands")
    .select("agent_id")
    .distinct()
    .where("agent_id", "in", agentIds)
    .where("status", "in", commandMachine.from("claim"))
    .where((eb) => eb.or([eb("timeout_at", "is", null), eb("timeout_at", ">", now)]))
    .execute();
  return rows.flatMap(({ agent_id }) => agent_id ?? []);
}
