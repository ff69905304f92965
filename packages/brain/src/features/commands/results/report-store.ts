import type { Tx } from "../../../platform/database/database.ts";
import type { CommandRow, Tables } from "../../../schema/tables/index.ts";
import { commandMachine } from "../states.ts";

/** Records the agent's ack of the current claim. An ack without a token counts for it as well. */
export async function markAcked(
  tx: Tx<Tables>,
  report: { id: string; agentId: string; token: string | null; now: Date },
) {
  await tx
    .updateTable("commands")
    .set({ acked_at: report.now })
    .where("id", "=", report.id)
    .where("agent_id", "=", report.agentId)
    .where("status", "=", "dispatched")
    .where("acked_at", "is", null)
    .$if(report.token !== null, (query) => query.where("delivery_claim_token", "=", report.token))
    .execute();
}

/** Stores the agent's result; returns the command, or undefined when it is terminal or belongs to another agent or claim. */
export function finish(
  tx: Tx<Tables>,
  report: {
    id: string;
    agentId: string;
    token: string | null;
    move: "report_success" | "report_failure";
    result: string | null;
    error: string | null;
    now: Date;
  },
): Promise<CommandRow | undefined> {
  return tx
    .updateTable("commands")
    .set({
      status: commandMachine.to(report.move),
      result: report.result,
      error: report.error,
      completed_at: report.now,
    })
    .where("id", "=", report.id)
    .where("agent_id", "=", report.agentId)
    .where("status", "in", commandMachine.from(report.move))
    .$if(report.token !== null, (query) => query.where("delivery_claim_token", "=", report.token))
    .returningAll()
    .executeTakeFirst();
}
