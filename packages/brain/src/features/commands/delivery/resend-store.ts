import { redeliverableActions } from "@svc/protocol";
import type { ExpressionBuilder } from "kysely";
import type { Tx } from "../../../platform/database/database.ts";
import type { CommandRow, Db, Tables } from "../../../schema/tables/index.ts";
import { commandMachine } from "../states.ts";
import { isAfter, type PendingCommand, pendingColumns } from "./claim-store.ts";

/** When a dispatched command may be sent again. */
export interface ResendRule {
  readonly now: Date;
  /** It must have been dispatched after this. */
  readonly dispatchedAfter: Date;
  /** It must have been last sent at or before this. */
  readonly lastSentBy: Date;
}

/** The rule for polls: within the window after the dispatch, at intervals. */
export const resendRule = (
  now: Date,
  { windowSeconds, minIntervalSeconds }: { windowSeconds: number; minIntervalSeconds: number },
): ResendRule => ({
  now,
  dispatchedAfter: new Date(now.getTime() - windowSeconds * 1000),
  lastSentBy: new Date(now.getTime() - minIntervalSeconds * 1000),
});

/** The rule for sockets: until the command times out. */
export const socketResendRule = (now: Date, lastSentBy: Date): ResendRule => ({
  now,
  dispatchedAfter: new Date(0),
  lastSentBy,
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

/** Commands of the agent that are due for a resend, oldest first, after `after`. */
export const dueForResend = (
  db: Db,
  { agentId, rule, after, limit }: { agentId: string; rule: ResendRule; after: PendingCommand | null; limit: number },
): Promise<PendingCommand[]> =>
  db
    .selectFrom("commands")
    .select(pendingColumns)
    .where("agent_id", "=", agentId)
    .where(isDue(rule))
    .$if(after !== null, (query) => query.where(isAfter(after!)))
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

/** Claims commands for one resend each with the same token; returns those that no other resend, ack or end won first, in any order. */
export const winResends = (
  tx: Tx<Tables>,
  { ids, rule }: { ids: readonly string[]; rule: ResendRule },
): Promise<CommandRow[]> =>
  tx
    .updateTable("commands")
    .set({ last_sent_at: rule.now })
    .where("id", "in", ids)
    .where(isDue(rule))
    .returningAll()
    .execute();
