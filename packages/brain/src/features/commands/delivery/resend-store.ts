import { redeliverableActions } from "@svc/protocol";
import type { ExpressionBuilder } from "kysely";
import type { Tx } from "../../../platform/database/database.ts";
import { changesOne } from "../../../platform/database/results.ts";
import type { CommandRow, Db, Tables } from "../../../schema/tables/index.ts";
import { commandMachine } from "../states.ts";

/** When a dispatched command may be sent again. */
export interface ResendRule {
  readonly now: Date;
  /** It must have been dispatched after this. */
  readonly dispatchedAfter: Date;
  /** It must have been last sent at or before this. */
  readonly lastSentBy: Date;
}

export const resendRule = (
  now: Date,
  { windowSeconds, minIntervalSeconds }: { windowSeconds: number; minIntervalSeconds: number },
): ResendRule => ({
  now,
  dispatchedAfter: new Date(now.getTime() - windowSeconds * 1000),
  lastSentBy: new Date(now.getTime() - minIntervalSeconds * 1000),
});

const actions = [...redeliverableActions];

const isDue =
  ({ now, dispatchedAfter, lastSentBy }: ResendRule) =>
  (eb: ExpressionBuilder<Tables, "commands">) =>
    eb.and([
      eb("status", "in", commandMachine.from("redeliver")),
      eb("action", "in", actions),
      eb("acked_at", "is", null),
      eb("dispatched_at", ">", dispatchedAfter),
      eb("last_sent_at", "<=", lastSentBy),
      eb("timeout_at", ">", now),
    ]);

/** Commands of the agent that are due for a resend, oldest first. */
export const dueForResend = (
  db: Db,
  { agentId, rule, limit }: { agentId: string; rule: ResendRule; limit: number },
): Promise<CommandRow[]> =>
  db
    .selectFrom("commands")
    .selectAll()
    .where("agent_id", "=", agentId)
    .where(isDue(rule))
    .orderBy("issued_at")
    .orderBy("id")
    .limit(limit)
    .execute();

/** Those of the agents that have commands due for a resend. */
export async function agentsDueForResend(db: Db, agentIds: readonly string[], rule: ResendRule): Promise<string[]> {
  const rows = await db
    .selectFrom("commands")
    .select("agent_id")
    .distinct()
    .where("agent_id", "in", agentIds)
    .where(isDue(rule))
    .execute();
  return rows.flatMap(({ agent_id }) => agent_id ?? []);
}

/** Claims a command for one resend with the same token; false when another poll, an ack or its end came first. */
export const winResend = (
  tx: Tx<Tables>,
  { id, token, rule }: { id: string; token: string; rule: ResendRule },
): Promise<boolean> =>
  changesOne(
    tx
      .updateTable("commands")
      .set({ last_sent_at: rule.now })
      .where("id", "=", id)
      .where("delivery_claim_token", "=", token)
      .where(isDue(rule)),
  );
