import type { Tx } from "../../../platform/database/database.ts";
import type { BulkRetryRequestRow, Tables } from "../../../schema/tables/index.ts";
import { eligibleAgents, findAgent } from "../../agents/index.ts";
import { openRanges } from "../planning/seal.ts";
import { deadlineReason } from "../states.ts";

/** Agents eligible for children of the engine now: all eligible `reporters`, preceded by the agent for the other children. */
export type EligibleAgents = (
  tx: Tx<Tables>,
  row: BulkRetryRequestRow,
  of: { readonly engine: string; readonly reporters: readonly string[] },
) => Promise<readonly string[]>;

/** Eligible agents with a session. */
export const eligibleSessions: EligibleAgents = async (
  tx,
  { project_id: projectId, target_agent_id: named },
  { engine, reporters },
) => {
  const needs = { action: "bulk_retry", engine, hasInputs: false };
  const eligible = await eligibleAgents(tx, needs, { projectId, among: named === null ? reporters : [named] });
  if (named !== null || (eligible.length > 0 && eligible.length === reporters.length)) return eligible;
  return [...new Set([...(await eligibleAgents(tx, needs, { projectId })), ...eligible])];
};

const namedEngines = 5;

/** Why a request past its deadline has unsent tasks, judged by its agents. */
export async function unsentReason(tx: Tx<Tables>, row: BulkRetryRequestRow): Promise<string> {
  const reason = deadlineReason(row.pending_count);
  const { target_agent_id: agentId } = row;
  if (agentId !== null && (await findAgent(tx, row.project_id, agentId)) === null) {
    return `${reason}: its agent was revoked`;
  }
  const unserved: string[] = [];
  for (const { engine } of openRanges(row)) {
    if ((await eligibleSessions(tx, row, { engine, reporters: [] })).length === 0) unserved.push(engine);
  }
  if (unserved.length === 0) return reason;
  const more = unserved.length > namedEngines ? ` and ${unserved.length - namedEngines} more` : "";
  const engines = `${unserved.slice(0, namedEngines).join(", ")}${more}`;
  return `${reason}: ${agentId === null ? "no agent can" : "its agent cannot"} retry ${engines}`;
}
